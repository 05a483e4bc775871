//! Tasks and prompts over several runs.

use std::fmt::Write as _;

use loopbreak_analysis::recording::visible_text;
use loopbreak_analysis::{Report, VerdictName};

use crate::markup::escape;
use crate::number::grouped;

/// Maximum number of tasks and prompts listed.
const SERIES: usize = 100;

/// Writes tasks and prompts over several runs.
pub(super) fn series_table(out: &mut String, report: &Report) {
    let found: Vec<_> = report.series.iter().filter(|series| !series.findings.is_empty()).collect();
    if found.is_empty() {
        return;
    }
    *out += "<section aria-labelledby=\"series-h\">\n<h2 id=\"series-h\">Over several runs</h2>\n\
             <div class=\"scroll\" role=\"region\" aria-label=\"Over several runs\" tabindex=\"0\"><table class=\"fits\">\n\
             <thead><tr><th scope=\"col\">task or prompt</th><th scope=\"col\">verdict</th><th scope=\"col\">runs</th>\
             <th scope=\"col\">attempts</th><th scope=\"col\" class=\"text\">found</th></tr></thead>\n<tbody>\n";
    for series in found.iter().take(SERIES) {
        let name = series.task.as_ref().or(series.prompt.as_ref()).unwrap_or(&series.key);
        let mut patterns: Vec<&str> =
            series.findings.iter().map(|finding| finding.pattern.as_str()).collect();
        patterns.dedup();
        patterns.truncate(4);
        let verdict = VerdictName::from_findings(&series.findings).as_str();
        let _ = writeln!(
            out,
            "<tr><th scope=\"row\" class=\"wrap log\">{}</th><td><span class=\"{verdict}\">{verdict}</span></td><td>{}</td>\
             <td>{}</td><td class=\"text\">{}</td></tr>",
            escape(&visible_text(name, 120)),
            grouped(series.runs.len() as u64),
            grouped(series.attempts),
            patterns.join(", ").replace('_', " ")
        );
    }
    *out += "</tbody></table></div>\n";
    if found.len() > SERIES {
        let _ = writeln!(
            out,
            "<p class=\"dim\">{} more are in <code>--json</code>.</p>",
            grouped((found.len() - SERIES) as u64)
        );
    }
    *out += "</section>\n";
}
