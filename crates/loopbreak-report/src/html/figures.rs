//! Figures over all runs: findings by pattern, scores, proposals and objectives. Runs without scores and proposals have
//! only the first.

use std::fmt::Write as _;

use loopbreak_analysis::RunTotals;

use super::histogram::{ColumnGroup, histogram};
use crate::number::{grouped, plural, score};

/// Writes the sections.
pub(super) fn write(out: &mut String, totals: &RunTotals) {
    findings(out, totals);
    scores(out, totals);
    proposals(out, totals);
}

/// Writes all findings by detector and pattern.
fn findings(out: &mut String, totals: &RunTotals) {
    if totals.patterns.is_empty() {
        return;
    }
    let observed = totals.patterns.iter().any(|count| count.observed > 0);
    *out += "<section aria-labelledby=\"found-h\">\n<h2 id=\"found-h\">What was found</h2>\n\
             <div class=\"scroll\" role=\"region\" aria-label=\"What was found\" tabindex=\"0\"><table id=\"found\">\n\
             <thead><tr><th scope=\"col\">finding</th><th scope=\"col\">runs</th><th scope=\"col\">hints</th>\
             <th scope=\"col\">warnings</th><th scope=\"col\">hard</th>";
    if observed {
        *out += "<th scope=\"col\">only observed</th>";
    }
    *out += "</tr></thead>\n<tbody>\n";
    for count in &totals.patterns {
        let _ = write!(
            out,
            "<tr><th scope=\"row\">{} <span class=\"dim\">{}</span></th>",
            count.pattern.as_str().replace('_', " "),
            count.detector
        );
        let cells = [count.runs, count.hints, count.warnings, count.stops];
        for number in cells.into_iter().chain(observed.then_some(count.observed)) {
            let _ = write!(out, "<td>{}</td>", if number == 0 { "–".to_owned() } else { grouped(number) });
        }
        *out += "</tr>\n";
    }
    *out += "</tbody></table></div>\n</section>\n";
}

/// Writes the distribution of the last scores, and the objectives.
fn scores(out: &mut String, totals: &RunTotals) {
    let Some(spread) = totals.scores.as_ref().filter(|spread| spread.runs > 1) else { return };
    let _ = write!(
        out,
        "<section aria-labelledby=\"scores-h\">\n<h2 id=\"scores-h\">Last scores</h2>\n<p>{} with a score: median {}, \
         quartiles {} and {}, lowest {}, highest {}, mean {}.",
        plural(spread.runs, "run"),
        score(spread.median),
        score(spread.lower_quartile),
        score(spread.upper_quartile),
        score(spread.min),
        score(spread.max),
        score(spread.mean)
    );
    if totals.objectives_completed > 0 {
        let _ = write!(
            out,
            " {} completed, {} of them in {} that got stuck, {} after a stop.",
            plural(totals.objectives_completed, "objective"),
            grouped(totals.objectives_in_stuck_runs),
            plural(totals.stuck_runs, "run"),
            grouped(totals.objectives_after_ending)
        );
    }
    *out += "</p>\n";
    let group = |bin: &loopbreak_analysis::ScoreBin| {
        let title = format!("{} to below {}: {}", score(bin.from), score(bin.below), plural(bin.runs, "run"));
        ColumnGroup { label: score(bin.from), columns: vec![("base", bin.runs, title)] }
    };
    let groups: Vec<ColumnGroup> = spread.histogram.iter().map(group).collect();
    histogram(out, "Histogram of the last scores", &groups);
    *out += "</section>\n";
}

/// Writes the scores of proposals before and after their adjustments.
fn proposals(out: &mut String, totals: &RunTotals) {
    let (rejected, penalized) = (totals.rejected_proposals, totals.penalized_proposals);
    if rejected + penalized == 0 && totals.proposals.is_none() {
        return;
    }
    let _ = write!(
        out,
        "<section aria-labelledby=\"proposals-h\">\n<h2 id=\"proposals-h\">Proposals</h2>\n<p>{} would have been rejected and {} \
         only penalized",
        plural(rejected, "proposal"),
        grouped(penalized)
    );
    let by_detector: Vec<String> = totals
        .rulings
        .iter()
        .map(|sum| format!("{} {} and {}", sum.detector, grouped(sum.rejected), grouped(sum.penalized)))
        .collect();
    if !by_detector.is_empty() {
        let _ = write!(out, " ({})", by_detector.join(", "));
    }
    *out += ".";
    let Some(scored) = &totals.proposals else {
        *out += "</p>\n</section>\n";
        return;
    };
    let _ = writeln!(
        out,
        " Mean score of the {} that a critic scored: {:.2} before and {:.2} after the adjustments.</p>\n\
         <ul class=\"legend\"><li><i class=\"base\"></i>score of the critic</li><li><i class=\"adjusted\"></i>adjusted score</li></ul>",
        grouped(scored.count),
        scored.mean_base,
        scored.mean_adjusted
    );
    let group = |bin: &loopbreak_analysis::ProposalBin| {
        let title = |what: &str, count: u64| {
            format!("{what} {} to {}: {}", score(bin.from), score(bin.below), plural(count, "proposal"))
        };
        ColumnGroup {
            label: score(bin.from),
            columns: vec![
                ("base", bin.base, title("score of the critic", bin.base)),
                ("adjusted", bin.adjusted, title("adjusted score", bin.adjusted)),
            ],
        }
    };
    let groups: Vec<ColumnGroup> = scored.histogram.iter().map(group).collect();
    histogram(out, "Scores of proposals before and after their adjustments", &groups);
    *out += "</section>\n";
}
