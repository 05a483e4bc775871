//! Many runs, one line each.

use std::fmt::{self, Write};
use std::io;

use unicode_width::UnicodeWidthStr as _;

use super::TableOptions;
use super::run_order::RunOrder;
use super::strips;
use super::style::TextStyle;
use super::typable_ids::TypableIds;
use crate::number::{grouped, percent, render_duration, rough};
use crate::spending::{loop_cost, run_cost};
use crate::worst_runs::WorstRuns;
use loopbreak::step::EpochMillis;
use loopbreak_analysis::RunList;
use loopbreak_analysis::{RunReport, VerdictName};

/// Maximum number of runs that are all listed.
const LINES: usize = 40;
/// With more runs, only this number of those with findings is listed: each may take three lines, and a screen has to be enough.
const WORST: usize = 12;
/// Width of the score strip.
const DRAWN: usize = 10;
/// Width of all columns but the score and the name, with gaps: verdict, steps, turn, saves.
const FIXED: usize = 7 + 8 + 7 + 8;
/// Indent of the lines about a run.
const INDENT: usize = 7;
/// Minimum width of a pattern.
const PATTERN: usize = 17;

/// The runs to list, and the numbers of those that are not.
pub(super) struct RunTable {
    listed: Vec<RunReport>,
    left_out: [(usize, VerdictName); 3],
    ids: TypableIds,
}

impl RunTable {
    pub(super) fn new(runs: &dyn RunList, options: TableOptions) -> io::Result<Self> {
        let lines = options.top.unwrap_or(if runs.len() <= LINES { LINES } else { WORST });
        // By another order than waste, a run without findings may be the first.
        let all = options.top.is_some() || runs.len() <= LINES || options.order != RunOrder::Waste;
        let mut worst = WorstRuns::new(lines);
        let mut counts =
            [VerdictName::Stop, VerdictName::Warn, VerdictName::Clear].map(|verdict| (0, verdict));
        runs.each(&mut |run| {
            if all || run.verdict != VerdictName::Clear {
                worst.offer(options.order.key(run), || run.clone());
            }
            counts
                .iter_mut()
                .filter(|(_, verdict)| *verdict == run.verdict)
                .for_each(|(count, _)| *count += 1);
            Ok(())
        })?;
        let mut listed = worst.finish();
        if options.top.is_none() && runs.len() > LINES {
            // One page, however many lines a run has.
            let mut lines = 0;
            listed.retain(|run| {
                lines += 1 + usize::from(has_facts(run)) + usize::from(!words_about(run).is_empty());
                lines <= LINES
            });
        }
        for (count, verdict) in &mut counts {
            *count -= listed.iter().filter(|run| run.verdict == *verdict).count();
        }
        Ok(RunTable { listed, left_out: counts, ids: TypableIds::new(runs)? })
    }

    pub(super) fn write(&self, out: &mut String, look: &TextStyle) -> fmt::Result {
        let RunTable { listed, left_out, ids } = self;
        write(out, listed, left_out, ids, look)
    }
}

fn write(
    out: &mut String,
    listed: &[RunReport],
    left_out: &[(usize, VerdictName)],
    ids: &TypableIds,
    look: &TextStyle,
) -> fmt::Result {
    let left: usize = left_out.iter().map(|(count, _)| count).sum();
    if listed.is_empty() {
        // Without findings there is nothing to list, and the totals below say how many runs are clear.
        return writeln!(out, "{0}nothing found in {left} runs; -v shows each of them{0:#}\n", look.dim());
    }
    let drawn = if listed.iter().any(|run| run.score.is_some()) { DRAWN } else { 0 };
    let gap = if drawn > 0 { drawn + 2 } else { 0 };
    let room = look.width.saturating_sub(FIXED + gap + PATTERN).max(8);
    let names: Vec<String> =
        listed.iter().map(|run| look.fit(ids.shorten(&run.run, room), usize::MAX)).collect();
    let longest = names.iter().map(|name| name.width()).max().unwrap_or(0);
    let name_width = longest.min(room).max(8);
    let dim = look.dim();
    let score = if drawn > 0 { format!("  {:<DRAWN$}", "score") } else { String::new() };
    writeln!(
        out,
        "{dim}{:<7}{:<name_width$}{:>8}{score}{:>7}{:>7}{dim:#}",
        "", "run", "steps", "turn", "saves"
    )?;
    for (run, name) in listed.iter().zip(&names) {
        line(out, run, name, look, name_width, drawn)?;
        about(out, run, look)?;
    }
    if left > 0 {
        writeln!(out, "{dim}+{left} more runs: {}{dim:#}", in_words(left_out))?;
    }
    let dash = look.sign("–", "-");
    if listed.iter().any(|run| run.first_stop.is_some() && run.ending.is_none()) {
        writeln!(out, "{dim}{dash} steered but not stopped: saves no steps{dim:#}")?;
    }
    if listed.iter().any(|run| run.progress_after_ending == Some(true)) {
        writeln!(out, "{dim}! the run made progress after that turn, which would have been lost{dim:#}")?;
    }
    writeln!(out, "{dim}--run ID shows one in detail, -v all{dim:#}")?;
    writeln!(out)
}

fn line(
    out: &mut String,
    run: &RunReport,
    name: &str,
    look: &TextStyle,
    name_width: usize,
    drawn: usize,
) -> fmt::Result {
    let (style, dim) = (look.verdict_style(run.verdict), look.dim());
    let mut line = String::new();
    write!(line, "{style}{:<5}{style:#}  ", run.verdict.as_str())?;
    // An id that is too long moves the figures: a part of it would be of no use.
    let padding = name_width.saturating_sub(name.width());
    write!(line, "{name}{:padding$}{:>8}", "", grouped(run.steps))?;
    if drawn > 0 {
        let columns = run.timeline.columns(drawn);
        let scores = strips::scores(&run.timeline, &columns, look).unwrap_or_default();
        write!(line, "  {scores:<drawn$}")?;
    }
    let room = look.width.saturating_sub(FIXED + name_width + if drawn > 0 { drawn + 2 } else { 0 });
    if let Some(end) = &run.ending {
        let share = format!("{} %", percent(run.steps_after_ending, run.steps));
        let lost = if run.progress_after_ending == Some(true) { "!" } else { " " };
        let red = look.verdict_style(VerdictName::Stop);
        let pattern = look.fit(end.pattern.as_str(), room);
        write!(line, "{:>7}{share:>7}{red}{lost}{red:#}{dim}{pattern}{dim:#}", end.turn)?;
    } else if let Some(stop) = &run.first_stop {
        let dash = look.sign("–", "-");
        write!(line, "{:>7}{dash:>7} {dim}{}{dim:#}", stop.turn, look.fit(stop.pattern.as_str(), room))?;
    } else if let Some(warning) = &run.first_warning {
        write!(line, "{:>7}{:>8}{dim}{}{dim:#}", warning.turn, "", look.fit(warning.pattern.as_str(), room))?;
    } else if run.findings.iter().any(|finding| !finding.enforced) {
        write!(line, "{:>15}{dim}only observed{dim:#}", "")?;
    }
    writeln!(out, "{}", line.trim_end())
}

/// Writes what people recognize the run by, and its cost, if the log has a prompt, a project, tokens or a cost.
fn about(out: &mut String, run: &RunReport, look: &TextStyle) -> fmt::Result {
    let dim = look.dim();
    let room = look.width.saturating_sub(INDENT);
    if has_facts(run) {
        let date = run.started.and_then(|at| EpochMillis(at).rfc3339()).map(|time| time[..10].to_owned());
        let ran = run.started.zip(run.ended).filter(|(started, ended)| ended > started);
        let model = run.models.first().map(|model| match run.models.len() {
            1 => look.fit(model, 30),
            several => format!("{} +{}", look.fit(model, 30), several - 1),
        });
        let facts = [
            date,
            ran.map(|(started, ended)| render_duration(ended.saturating_sub(started))),
            model,
            run.tokens.map(|tokens| format!("{} tokens", rough(tokens))),
            run_cost(&run.spending),
            loop_cost(&run.spending),
        ];
        let facts: Vec<String> = facts.into_iter().flatten().collect();
        writeln!(out, "{dim}{:INDENT$}{}{dim:#}", "", look.fit(&facts.join(look.sign(" · ", ", ")), room))?;
    }
    let words = words_about(run);
    if words.is_empty() {
        Ok(())
    } else {
        writeln!(out, "{dim}{:INDENT$}{}{dim:#}", "", look.fit_words(&words, room))
    }
}

/// Returns whether a run has a line with its date, model and cost.
fn has_facts(run: &RunReport) -> bool {
    run.tokens.is_some() || !run.spending.is_unknown()
}

/// Returns the project and the prompt of a run. Empty if the log has neither.
fn words_about(run: &RunReport) -> String {
    let project = run.about.project.as_deref().map(folder_name).filter(|name| !name.is_empty());
    let prompt =
        run.about.prompt.as_deref().map(|prompt| prompt.split_whitespace().collect::<Vec<_>>().join(" "));
    [project.map(str::to_owned), prompt].into_iter().flatten().collect::<Vec<_>>().join(": ")
}

/// Returns the last part of a path, with either separator.
fn folder_name(path: &str) -> &str {
    path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(path)
}

/// "1 stop, 153 warn, 567 clear".
fn in_words(left_out: &[(usize, VerdictName)]) -> String {
    let kinds = left_out.iter().filter(|(count, _)| *count > 0);
    let kinds = kinds.map(|(count, verdict)| format!("{count} {}", verdict.as_str()));
    kinds.collect::<Vec<_>>().join(", ")
}
