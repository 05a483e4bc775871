//! Puts the page together.

use std::fmt::Write as _;
use std::io;

use serde::Serialize;

use super::cards::cards;
use super::detail::{RunDetail, share};
use super::figures;
use super::overview::OverviewLine;
use super::page_loops::{PageLoop, PageLoops};
use super::page_origin::PageOrigin;
use super::page_parts::{DOM_SCRIPT, TIME_CHART_SCRIPT, TIME_CHART_STYLE, TIMELINE_SCRIPT, TIMELINE_STYLE};
use super::series_table::series_table;
use super::wasted_patterns::wasted_patterns;
use crate::markup::{HtmlPage, escape, escape_json};
use crate::mode_note::mode_note;
use crate::number::{grouped, percent, plural, rough};
use crate::spending::{price_source, total_cost, unpriced};
use crate::text::RunOrder;
use crate::unread_items::unread_items;
use crate::worst_runs::WorstRuns;
use loopbreak_analysis::RunList;
use loopbreak_analysis::recording::FinishedRecording;
use loopbreak_analysis::{Report, RunReport, RunTotals};

/// Maximum number of runs listed. The totals include all.
pub const LISTED_RUNS: usize = 2000;
/// Maximum size of the timelines and steps of all runs, in bytes.
pub const DETAIL_BYTES: usize = 16 << 20;
const STYLE: &[&str] = &[
    include_str!("style/page.css"),
    include_str!("style/list.css"),
    TIME_CHART_STYLE,
    TIMELINE_STYLE,
    include_str!("style/steps.css"),
];
/// In the order of their dependencies.
const SCRIPT: &[&str] = &[
    "(() => {\n\"use strict\";\n",
    DOM_SCRIPT,
    TIMELINE_SCRIPT,
    include_str!("script/word_diff.js"),
    include_str!("script/folds.js"),
    include_str!("script/steps.js"),
    include_str!("script/sorted_columns.js"),
    include_str!("script/facets.js"),
    TIME_CHART_SCRIPT,
    include_str!("script/loop_table.js"),
    include_str!("script/list.js"),
    include_str!("script/overview.js"),
    include_str!("script/run.js"),
    include_str!("script/main.js"),
    "})();\n",
];

/// The runs and loops of the overview. The keys are short because a page has many of them.
#[derive(Serialize)]
struct OverviewData<'r> {
    runs: Vec<OverviewLine<'r>>,
    loops: Vec<PageLoop<'r>>,
    /// Number of loops that are not listed.
    left: usize,
}

/// Renders the whole page: the report, the recordings of the listed runs, and where the page comes from.
pub fn page(report: &Report, origin: &PageOrigin) -> io::Result<String> {
    let listed = listed(&*report.runs)?;
    let unlisted = report.runs.len() - listed.len();
    let recorded =
        |(index, run): &'_ (usize, RunReport)| Ok(report.runs.take_recording(*index)?.finish(&run.findings));
    let recordings: Vec<FinishedRecording> = listed.iter().map(recorded).collect::<io::Result<_>>()?;
    let runs: Vec<(&RunReport, FinishedRecording)> =
        listed.iter().map(|(_, run)| run).zip(recordings).collect();
    let loops = PageLoops::new(runs.iter().map(|(run, _)| *run));
    let lines = runs.iter().map(|(run, recording)| OverviewLine::new(run, recording, &loops)).collect();
    let left = loops.left_out();
    let data = OverviewData { runs: lines, loops: loops.into_listed(), left };
    let data = escape_json(&serde_json::to_string(&data)?);
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
    list(&mut body, unlisted);
    wasted_patterns(&mut body, report)?;
    series_table(&mut body, report);
    figures::write(&mut body, &report.totals);
    let _ = write!(
        body,
        "</main>\n</div>\n<div id=\"run\" hidden></div>\n<footer>\n{}\
         <p class=\"dim\">Steps are shortened and secrets masked. A long run has its first and last steps, \
         those around findings, and a sample of the rest.</p></footer>\n\
         <script type=\"application/json\" id=\"runs\">{data}</script>\n",
        origin.render()
    );
    for (index, detail) in details.iter().enumerate() {
        let detail = detail.write(room);
        let _ = writeln!(body, "<script type=\"application/json\" id=\"run-{index}\">{detail}</script>");
    }
    let (style, script) = (STYLE.concat(), SCRIPT.concat());
    Ok(HtmlPage { title: "Loopbreak report", style: &style, script: Some(&script), body: &body }.write())
}

/// Returns the runs to list with their indexes: all of them, or the worst if there are too many.
fn listed(runs: &dyn RunList) -> io::Result<Vec<(usize, RunReport)>> {
    let all = runs.len() <= LISTED_RUNS;
    let (mut worst, mut place) = (WorstRuns::new(LISTED_RUNS), 0);
    runs.each(&mut |run| {
        // A few runs stay in the order of the logs.
        worst.offer(Some(RunOrder::Waste.key(run)).filter(|_| !all), || (place, run.clone()));
        place += 1;
        Ok(())
    })?;
    Ok(worst.finish())
}

fn runs_of(count: u64) -> &'static str {
    if count == 1 { "run" } else { "runs" }
}

/// Writes a summary: what was spent, and what Loopbreak would have ended.
fn headline(out: &mut String, report: &Report) {
    let totals = &report.totals;
    if let Some(spent) = spent(totals) {
        let _ = writeln!(out, "<p class=\"lead\" id=\"spent\"><strong>{}.</strong></p>", escape(&spent));
    }
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
    let notes: Vec<String> =
        [price_source(&totals.spending), unpriced(&totals.spending)].into_iter().flatten().collect();
    if !notes.is_empty() {
        let _ = writeln!(out, "<p class=\"dim\">{}.</p>", escape(&notes.join(". ")));
    }
}

/// "You spent ~$41.20, ~$12.30 of it in loops (30 %)", or the same in tokens if there is no price.
fn spent(totals: &RunTotals) -> Option<String> {
    if let Some(cost) = total_cost(&totals.spending) {
        return Some(format!("Y{}", cost.strip_prefix('y').unwrap_or(&cost)));
    }
    let (tokens, in_loops) = (totals.tokens?, totals.spending.tokens_in_loops);
    let share = percent(in_loops, tokens);
    Some(format!("You spent {} tokens, {} of them in loops ({share} %)", rough(tokens), rough(in_loops)))
}

/// Writes the elements of the filters, the chart, the loops and the list, which the script fills.
fn list(out: &mut String, unlisted: usize) {
    *out += "<noscript><p>Filters, the list and the timelines need JavaScript, which is turned off.</p></noscript>\n\
             <div id=\"filters\"></div>\n<div id=\"over-time\"></div>\n<div id=\"all-loops\"></div>\n\
             <section aria-labelledby=\"runs-h\">\n<h2 id=\"runs-h\">Runs</h2>\n";
    if unlisted > 0 {
        let _ = writeln!(
            out,
            "<p class=\"dim\">The {} worst runs are listed, and only they can be filtered; {} more are counted in the totals.</p>",
            grouped(LISTED_RUNS as u64),
            grouped(unlisted as u64)
        );
    }
    *out += "<div id=\"list\"></div>\n</section>\n";
}
