//! The list of interventions in a run, with reasons.

use std::fmt::{self, Write};

use loopbreak::{DetectorName, Intervention};
use unicode_width::UnicodeWidthStr as _;

use super::reasons::MergedReasons;
use super::style::TextStyle;
use loopbreak_analysis::{RulingGroup, RunReport, VerdictName};

/// Number of lines listed, unless all are requested.
const LISTED: usize = 7;

/// One intervention, or several similar ones.
struct InterventionLine {
    first: u64,
    last: u64,
    count: u64,
    intervention: Intervention,
    detector: DetectorName,
    reasons: MergedReasons,
    acted: bool,
}

/// Writes the list, with similar interventions on one line unless all are requested.
pub(super) fn write(out: &mut String, run: &RunReport, look: &TextStyle, full: bool) -> fmt::Result {
    let mut lines = lines(run, full);
    if lines.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let hidden = if full { 0 } else { lines.len().saturating_sub(LISTED) };
    lines.sort_by_key(|line| (std::cmp::Reverse(line.intervention), line.first));
    lines.truncate(lines.len() - hidden);
    lines.sort_by_key(|line| (line.first, line.intervention));
    table(out, &lines, look)?;
    if !full && (hidden > 0 || lines.iter().any(|line| line.count > 1)) {
        let dim = look.dim();
        let more = if hidden > 0 {
            format!("+{hidden} more {}; ", if hidden == 1 { "kind" } else { "kinds" })
        } else {
            String::new()
        };
        writeln!(out, "  {dim}{more}-v lists each{dim:#}")?;
    }
    Ok(())
}

fn lines(run: &RunReport, full: bool) -> Vec<InterventionLine> {
    let mut lines: Vec<InterventionLine> = run.rulings.iter().flat_map(|group| ruled(group, full)).collect();
    let rulings = lines.len();
    for act in &run.interventions {
        let alike = |line: &InterventionLine| {
            (line.intervention, line.detector, line.acted) == (act.intervention, act.detector, act.acted)
        };
        // A decision about proposals only sums up their rulings.
        if lines[..rulings].iter().any(alike) {
            continue;
        }
        let reason =
            if act.reason.is_empty() { &act.pattern.as_str().replace('_', " ") } else { act.reason.as_str() };
        if let Some(line) = lines.iter_mut().find(|line| alike(line)).filter(|_| !full) {
            line.count += 1;
            line.last = act.turn;
            line.reasons.add(reason);
            continue;
        }
        lines.push(InterventionLine {
            first: act.turn,
            last: act.turn,
            count: 1,
            intervention: act.intervention,
            detector: act.detector,
            reasons: MergedReasons::new(reason),
            acted: act.acted,
        });
    }
    lines
}

/// Returns proposals that were treated alike as one line, or as many.
fn ruled(group: &RulingGroup, full: bool) -> Vec<InterventionLine> {
    let line = |first: u64, last: u64, count: u64, reason: &str| InterventionLine {
        first,
        last,
        count,
        intervention: group.intervention,
        detector: group.detector,
        reasons: MergedReasons::new(reason),
        acted: true,
    };
    if full {
        let mut lines: Vec<InterventionLine> =
            group.each.iter().map(|(turn, reason)| line(*turn, *turn, 1, reason)).collect();
        let untold = group.count - group.each.len() as u64;
        if let Some((turn, _)) = group.each.last().filter(|_| untold > 0) {
            lines.push(line(turn + 1, group.last, untold, "and so on"));
        }
        return lines;
    }
    let mut reasons = group.each.iter().map(|(_, reason)| reason.as_str());
    let mut one = line(group.first, group.last, group.count, reasons.next().unwrap_or_default());
    reasons.for_each(|reason| one.reasons.add(reason));
    vec![one]
}

/// Writes lines with columns as wide as necessary.
fn table(out: &mut String, lines: &[InterventionLine], look: &TextStyle) -> fmt::Result {
    let (dash, times, dim) = (look.sign("–", "-"), look.sign("×", "x"), look.dim());
    let cells = |line: &InterventionLine| {
        let turns = if line.first == line.last {
            line.first.to_string()
        } else {
            format!("{}{dash}{}", line.first, line.last)
        };
        let what = line.intervention.as_str();
        let what = if line.count > 1 { format!("{what} {times}{}", line.count) } else { what.to_owned() };
        (turns, what)
    };
    let widest = |width: &dyn Fn(&InterventionLine) -> usize| lines.iter().map(width).max().unwrap_or(0);
    let turns_width = widest(&|line| cells(line).0.width()).max("turn".len());
    let what_width = widest(&|line| cells(line).1.width()).max("would".len());
    let detector_width = widest(&|line| line.detector.as_str().len()).max("detector".len());
    let room = look.width.saturating_sub(2 + turns_width + 2 + what_width + 2 + detector_width + 2);
    writeln!(
        out,
        "  {dim}{:<turns_width$}  {:<what_width$}  {:<detector_width$}  why{dim:#}",
        "turn", "would", "detector"
    )?;
    for line in lines {
        let (turns, what) = cells(line);
        let style = match line.intervention {
            Intervention::Hint => look.dim(),
            Intervention::Warn | Intervention::Penalize => look.verdict_style(VerdictName::Warn),
            _ => look.verdict_style(VerdictName::Stop),
        };
        let observed = if line.acted { "" } else { " (observed)" };
        let reasons = line.reasons.render(look, room.saturating_sub(observed.len()));
        writeln!(
            out,
            "  {dim}{turns:<turns_width$}{dim:#}  {style}{what:<what_width$}{style:#}  \
             {dim}{:<detector_width$}{dim:#}  {reasons}{observed}",
            line.detector.as_str(),
        )?;
    }
    Ok(())
}
