//! Puts the page together.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;

use loopbreak::Pattern;

use super::detail::{RunDetail, share};
use super::figures;
use super::overview::OverviewLine;
use crate::markup::{HtmlPage, escape, escape_json};
use crate::mode_note::mode_note;
use crate::number::{dollars, grouped, partly_known, percent, plural, rough};
use crate::spending::amount;
use crate::unread_items::unread_items;
use crate::worst_runs::WorstRuns;
use loopbreak_analysis::RunCost;
use loopbreak_analysis::RunList;
use loopbreak_analysis::recording::{FinishedRecording, visible_text};
use loopbreak_analysis::{Report, RunReport, VerdictName};

/// Maximum number of runs listed. The totals include all.
pub const LISTED_RUNS: usize = 2000;
/// Maximum size of the timelines and steps of all runs, in bytes.
pub const DETAIL_BYTES: usize = 16 << 20;
/// Maximum number of tasks and prompts listed.
const SERIES: usize = 100;

const STYLE: &str = include_str!("page.css");
/// In the order of their dependencies.
const SCRIPT: &str = concat!(
    "(() => {\n\"use strict\";\n",
    include_str!("script/dom.js"),
    include_str!("script/timeline.js"),
    include_str!("script/steps.js"),
    include_str!("script/run.js"),
    include_str!("script/list.js"),
    include_str!("script/main.js"),
    "})();\n"
);

/// Renders the whole page: the report, and the recordings of the listed runs.
pub fn page(report: &Report) -> io::Result<String> {
    let listed = listed(&*report.runs)?;
    let unlisted = report.runs.len() - listed.len();
    let recorded =
        |(index, run): &'_ (usize, RunReport)| Ok(report.runs.take_recording(*index)?.finish(&run.findings));
    let recordings: Vec<FinishedRecording> = listed.iter().map(recorded).collect::<io::Result<_>>()?;
    let runs: Vec<(&RunReport, FinishedRecording)> =
        listed.iter().map(|(_, run)| run).zip(recordings).collect();
    let lines: Vec<OverviewLine<'_>> =
        runs.iter().map(|(run, recording)| OverviewLine::new(run, recording)).collect();
    let lines = escape_json(&serde_json::to_string(&lines).unwrap_or_else(|_| "[]".to_owned()));
    let details: Vec<RunDetail<'_>> =
        runs.into_iter().map(|(run, recording)| RunDetail::new(run, recording)).collect();
    let sizes: Vec<usize> = details.iter().map(RunDetail::size).collect();
    let room = share(&sizes, DETAIL_BYTES);

    let mut body = "<div id=\"overview\">\n<header>\n<h1>Loopbreak report</h1>\n".to_owned();
    headline(&mut body, report);
    if let Some(unread) = unread_items(report.totals.unread_items) {
        let _ = writeln!(body, "<p class=\"lead\"><strong class=\"warn\">{unread}.</strong></p>");
    }
    if let Some(note) = mode_note(report.mode) {
        let _ = writeln!(body, "<p class=\"lead\"><strong class=\"warn\">{}.</strong></p>", escape(note));
    }
    body += "</header>\n<main>\n";
    cards(&mut body, report);
    patterns(&mut body, report)?;
    series(&mut body, report);
    list(&mut body, unlisted);
    figures::write(&mut body, &report.totals);
    let _ = write!(
        body,
        "</main>\n<footer><p class=\"dim\">Loopbreak {}. Steps are shortened and secrets masked. A long run has its first and last steps, \
         those around findings, and a sample of the rest.</p></footer>\n</div>\n<div id=\"run\" hidden></div>\n\
         <script type=\"application/json\" id=\"runs\">{lines}</script>\n",
        env!("CARGO_PKG_VERSION")
    );
    for (index, detail) in details.iter().enumerate() {
        let detail = detail.write(room);
        let _ = writeln!(body, "<script type=\"application/json\" id=\"run-{index}\">{detail}</script>");
    }
    Ok(HtmlPage { title: "Loopbreak report", style: STYLE, script: Some(SCRIPT), body: &body }.write())
}

/// Returns the runs to list with their indexes: all of them, or the worst if there are too many.
fn listed(runs: &dyn RunList) -> io::Result<Vec<(usize, RunReport)>> {
    let all = runs.len() <= LISTED_RUNS;
    let (mut worst, mut place) = (WorstRuns::new(LISTED_RUNS), 0);
    runs.each(&mut |run| {
        // A few runs stay in the order of the logs.
        worst.offer(Some((run.verdict, run.steps_after_ending)).filter(|_| !all), || (place, run.clone()));
        place += 1;
        Ok(())
    })?;
    Ok(worst.finish())
}

fn runs_of(count: u64) -> &'static str {
    if count == 1 { "run" } else { "runs" }
}

/// Writes a summary in one sentence.
fn headline(out: &mut String, report: &Report) {
    let totals = &report.totals;
    let (runs, steps) = (grouped(totals.runs), grouped(totals.steps));
    let were = runs_of(totals.runs);
    let _ = if totals.ended == 0 {
        writeln!(
            out,
            "<p class=\"lead\">{}, {}: Loopbreak would have ended none.</p>",
            plural(totals.runs, "run"),
            plural(totals.steps, "step")
        )
    } else {
        writeln!(
            out,
            "<p class=\"lead\">Loopbreak would have ended {} of {runs} {were}. <strong>{} of {steps} steps ({} %)</strong> came \
             after that.</p>",
            grouped(totals.ended),
            grouped(totals.steps_after_ending),
            percent(totals.steps_after_ending, totals.steps)
        )
    };
}

fn card(out: &mut String, class: &str, name: &str, value: &str, note: &str) {
    let _ = writeln!(
        out,
        "<div class=\"card {class}\"><dt>{name}</dt><dd><strong>{value}</strong><span>{note}</span></dd></div>"
    );
}

fn cards(out: &mut String, report: &Report) {
    let totals = &report.totals;
    *out += "<dl class=\"cards\" aria-label=\"Totals\">\n";
    let clear = totals.runs - totals.warned;
    let steered = totals.stopped.saturating_sub(totals.ended);
    let mut note = format!("{} ended, ", grouped(totals.ended));
    if steered > 0 {
        let _ = write!(note, "{} only steered, ", grouped(steered));
    }
    let _ = write!(note, "{} only warned, {} clear", grouped(totals.warned - totals.stopped), grouped(clear));
    if let Some(mean) = totals.mean_steps.filter(|_| totals.runs > 1) {
        let _ = write!(note, "; {mean:.0} steps each on average");
    }
    card(out, "", "Runs", &grouped(totals.runs), &note);
    let note =
        format!("of {}, {} %", grouped(totals.steps), percent(totals.steps_after_ending, totals.steps));
    card(out, "", "Steps wasted", &grouped(totals.steps_after_ending), &note);
    if totals.llm_calls_saved != totals.steps_after_ending {
        card(
            out,
            "",
            "Model calls wasted",
            &grouped(totals.llm_calls_saved),
            "that the wasted steps stand for",
        );
    }
    if let Some(tokens) = totals.tokens {
        let wasted = totals.tokens_after_ending.unwrap_or(0);
        let (value, note) = partly_known(rough(wasted), totals.uncounted_endings, totals.wasteful_endings);
        let share = format!("of {}, {} %{note}", rough(tokens), percent(wasted, tokens));
        card(out, "", "Tokens wasted", &value, &share);
    }
    let spending = &totals.spending;
    let is_estimate = spending.estimated_usd.is_some();
    if let Some(cost) = spending.spent_usd {
        let wasted = spending.after_ending_usd.unwrap_or(0.0);
        let (value, note) =
            partly_known(amount(wasted, is_estimate), totals.unpriced_endings, totals.wasteful_endings);
        card(out, "", "Cost wasted", &value, &format!("of {}{note}", amount(cost, is_estimate)));
    }
    let destroyed = totals.progress_after_ending;
    let measured = totals.ended - totals.unmeasured_endings;
    let (class, note) = match (totals.ended, measured) {
        (0, _) => ("", "no run would have ended".to_owned()),
        (_, 0) => ("", "unknown: no run has a progress signal".to_owned()),
        (_, measured) if destroyed == 0 => {
            let runs = runs_of(measured);
            ("good", format!("in none of {} {runs} with a progress signal", grouped(measured)))
        }
        (_, measured) => {
            let runs = runs_of(measured);
            (
                "bad",
                format!("in {} of {} {runs} with a progress signal", grouped(destroyed), grouped(measured)),
            )
        }
    };
    let value = if measured == 0 { "–".to_owned() } else { grouped(destroyed) };
    card(out, class, "Progress lost", &value, &note);
    let effects = &totals.effects;
    let (all, _) = effects.totals();
    if all > 0 {
        let note = format!(
            "continued; {} stopped on their own, {} ended",
            grouped(effects.changed_course),
            grouped(effects.ended)
        );
        card(
            out,
            "",
            "Loops after warning",
            &format!("{} / {}", grouped(effects.went_on), grouped(all)),
            &note,
        );
    }
    *out += "</dl>\n";
}

/// Writes the patterns for which runs would have ended.
fn patterns(out: &mut String, report: &Report) -> io::Result<()> {
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
             <div class=\"scroll\" role=\"region\" aria-label=\"Where it was wasted\" tabindex=\"0\"><table>\n\
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

/// Writes tasks and prompts over several runs.
fn series(out: &mut String, report: &Report) {
    let found: Vec<_> = report.series.iter().filter(|series| !series.findings.is_empty()).collect();
    if found.is_empty() {
        return;
    }
    *out += "<section aria-labelledby=\"series-h\">\n<h2 id=\"series-h\">Over several runs</h2>\n\
             <div class=\"scroll\" role=\"region\" aria-label=\"Over several runs\" tabindex=\"0\"><table>\n\
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

/// Writes the element of the list, which the script fills.
fn list(out: &mut String, unlisted: usize) {
    *out += "<section aria-labelledby=\"runs-h\">\n<h2 id=\"runs-h\">Runs</h2>\n";
    if unlisted > 0 {
        let _ = writeln!(
            out,
            "<p class=\"dim\">The {} worst runs are listed; {} more are counted above.</p>",
            grouped(LISTED_RUNS as u64),
            grouped(unlisted as u64)
        );
    }
    *out += "<noscript><p>The list and the timelines need JavaScript, which is turned off.</p></noscript>\n\
             <div id=\"list\"></div>\n</section>\n";
}
