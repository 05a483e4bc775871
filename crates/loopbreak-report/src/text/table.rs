//! Many runs, one line each.

use std::fmt::{self, Write};
use std::io;

use unicode_width::UnicodeWidthStr as _;

use super::strips;
use super::style::TextStyle;
use crate::number::{grouped, percent};
use crate::worst_runs::WorstRuns;
use loopbreak_analysis::RunList;
use loopbreak_analysis::{RunReport, VerdictName};

/// Maximum number of lines. With more runs, only those with findings are listed, the worst first.
const LINES: usize = 40;
/// Width of the score strip.
const DRAWN: usize = 10;
/// Width of all columns but the score and the name, with gaps: verdict, steps, turn, saves.
const FIXED: usize = 7 + 8 + 7 + 8;
/// Minimum width of a pattern.
const PATTERN: usize = 17;

/// The runs to list, and the numbers of those that are not.
pub(super) struct RunTable {
    listed: Vec<RunReport>,
    left_out: [(usize, VerdictName); 3],
}

impl RunTable {
    pub(super) fn new(runs: &dyn RunList) -> io::Result<Self> {
        let all = runs.len() <= LINES;
        let mut worst = WorstRuns::new(LINES);
        let mut counts =
            [VerdictName::Stop, VerdictName::Warn, VerdictName::Clear].map(|verdict| (0, verdict));
        runs.each(&mut |run| {
            if all || run.verdict != VerdictName::Clear {
                // A few runs stay in their order.
                worst.offer(Some(run.verdict).filter(|_| !all), || run.clone());
            }
            counts
                .iter_mut()
                .filter(|(_, verdict)| *verdict == run.verdict)
                .for_each(|(count, _)| *count += 1);
            Ok(())
        })?;
        let listed = worst.finish();
        for (count, verdict) in &mut counts {
            *count -= listed.iter().filter(|run| run.verdict == *verdict).count();
        }
        Ok(RunTable { listed, left_out: counts })
    }

    pub(super) fn write(&self, out: &mut String, look: &TextStyle) -> fmt::Result {
        let RunTable { listed, left_out } = self;
        write(out, listed, left_out, look)
    }
}

fn write(
    out: &mut String,
    listed: &[RunReport],
    left_out: &[(usize, VerdictName)],
    look: &TextStyle,
) -> fmt::Result {
    let left: usize = left_out.iter().map(|(count, _)| count).sum();
    if listed.is_empty() {
        // Without findings there is nothing to list, and the totals below say how many runs are clear.
        return writeln!(out, "{0}nothing found in {left} runs; -v shows each of them{0:#}\n", look.dim());
    }
    let drawn = if listed.iter().any(|run| run.score.is_some()) { DRAWN } else { 0 };
    let gap = if drawn > 0 { drawn + 2 } else { 0 };
    let longest = listed.iter().map(|run| look.fit(&run.run, 200).width()).max().unwrap_or(0);
    let name_width = longest.min(look.width.saturating_sub(FIXED + gap + PATTERN)).max(8);
    let dim = look.dim();
    let score = if drawn > 0 { format!("  {:<DRAWN$}", "score") } else { String::new() };
    writeln!(
        out,
        "{dim}{:<7}{:<name_width$}{:>8}{score}{:>7}{:>7}{dim:#}",
        "", "run", "steps", "turn", "saves"
    )?;
    for run in listed {
        line(out, run, look, name_width, drawn)?;
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

fn line(out: &mut String, run: &RunReport, look: &TextStyle, name_width: usize, drawn: usize) -> fmt::Result {
    let (style, dim) = (look.verdict_style(run.verdict), look.dim());
    let mut line = String::new();
    write!(line, "{style}{:<5}{style:#}  ", run.verdict.as_str())?;
    write!(line, "{}{:>8}", look.padded_name(&run.run, name_width), grouped(run.steps))?;
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

/// "1 stop, 153 warn, 567 clear".
fn in_words(left_out: &[(usize, VerdictName)]) -> String {
    let kinds = left_out.iter().filter(|(count, _)| *count > 0);
    let kinds = kinds.map(|(count, verdict)| format!("{count} {}", verdict.as_str()));
    kinds.collect::<Vec<_>>().join(", ")
}
