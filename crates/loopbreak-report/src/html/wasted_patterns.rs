//! The patterns for which runs would have ended, with the steps and the money after that.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;

use loopbreak::Pattern;
use loopbreak_analysis::{Report, RunCost};

use crate::number::{dollars, grouped, percent, rough};

/// Writes the patterns for which runs would have ended.
pub(super) fn wasted_patterns(out: &mut String, report: &Report) -> io::Result<()> {
    #[derive(Default)]
    struct PatternSum {
        runs: u64,
        steps: u64,
        cost: RunCost,
        destroyed: u64,
    }
    let mut sums: BTreeMap<(String, Pattern), PatternSum> = BTreeMap::new();
    report.runs.each(&mut |run| {
        let Some(ending) = &run.ending else { return Ok(()) };
        let sum = sums.entry((ending.detector.to_string(), ending.pattern)).or_default();
        sum.runs += 1;
        sum.steps += run.steps_after_ending;
        sum.cost.merge(&RunCost { tokens: run.tokens_after_ending, cost_usd: run.spending.after_ending_usd });
        sum.destroyed += u64::from(run.progress_after_ending == Some(true));
        Ok(())
    })?;
    if sums.is_empty() {
        return Ok(());
    }
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.steps));
    let (tokens, cost) = (report.totals.tokens.is_some(), report.totals.spending.spent_usd.is_some());
    *out += "<section aria-labelledby=\"where-h\">\n<h2 id=\"where-h\">Where it was wasted</h2>\n\
             <div class=\"scroll\" role=\"region\" aria-label=\"Where it was wasted\" tabindex=\"0\"><table class=\"fits\">\n\
             <thead><tr><th scope=\"col\">stuck on</th><th scope=\"col\">runs</th><th scope=\"col\">steps</th>\
             <th scope=\"col\">share</th>";
    for name in
        [("tokens", tokens), ("cost", cost)].into_iter().filter(|(_, shown)| *shown).map(|(name, _)| name)
    {
        let _ = write!(out, "<th scope=\"col\">{name}</th>");
    }
    *out += "<th scope=\"col\">progress lost</th></tr></thead>\n<tbody>\n";
    for ((detector, pattern), sum) in sums {
        let _ = write!(
            out,
            "<tr><th scope=\"row\">{} <span class=\"dim\">{detector}</span></th><td>{}</td><td>{}</td><td>{} %</td>",
            pattern.as_str().replace('_', " "),
            grouped(sum.runs),
            grouped(sum.steps),
            percent(sum.steps, report.totals.steps_after_ending)
        );
        if tokens {
            let _ = write!(out, "<td>{}</td>", sum.cost.tokens.map_or("–".to_owned(), rough));
        }
        if cost {
            let _ = write!(out, "<td>{}</td>", sum.cost.cost_usd.map_or("–".to_owned(), dollars));
        }
        let runs = if sum.destroyed == 1 { "run" } else { "runs" };
        let destroyed =
            if sum.destroyed == 0 { "–".to_owned() } else { format!("{} {runs}", grouped(sum.destroyed)) };
        let _ = writeln!(out, "<td>{destroyed}</td></tr>");
    }
    *out += "</tbody></table></div>\n</section>\n";
    Ok(())
}
