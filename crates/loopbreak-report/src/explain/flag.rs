//! The findings after a step with their evidence, and the advice that would have been given.

use std::fmt::Write as _;

use loopbreak::evidence::EvidenceKey;
use loopbreak::{DetectorName, Intervention, Pattern, Severity, Verdict, verdict::Audience};
use serde_json::Value;

use super::row::{INDENT, shown};
use crate::text::TextStyle;
use loopbreak_analysis::VerdictName;

/// Indentation of a text under a flag.
const DEEPER: usize = INDENT + 2;
/// Maximum number of lines for the reason of a finding.
const HEAD_LINES: usize = 3;
/// Maximum number of lines per advice.
const LINES: usize = 6;

/// Renders the lines under a step. Advice is shown once per detector and audience, unless everything is
/// requested.
pub(super) fn render(
    verdict: &Verdict,
    full: bool,
    advised: &mut Vec<(DetectorName, Audience)>,
    look: &TextStyle,
) -> Vec<String> {
    let mut lines = Vec::new();
    let least = if full { Severity::Hint } else { Severity::Warn };
    let mut told: Vec<(DetectorName, Pattern)> = Vec::new();
    for finding in verdict.findings.iter().filter(|finding| finding.severity >= least) {
        let key = (finding.detector, finding.pattern);
        told.push(key);
        let act = verdict.decisions.iter().find(|act| (act.detector, act.pattern) == key);
        let reason = act.map(|act| act.reason.as_str()).filter(|reason| !reason.is_empty());
        let reason = reason.unwrap_or_else(|| finding.reason());
        let what = act.map(|act| act.intervention).or(finding.intervention);
        head(&mut lines, finding.severity, what, finding.detector, reason, finding.enforced, look);
        let facts: Vec<String> = finding
            .evidence
            .iter()
            .filter(|(key, value)| !value.is_absent() && **key != EvidenceKey::REASON)
            .map(|(key, value)| {
                format!("{} {}", key.as_str().replace('_', " "), fact(&Value::from(value), look))
            })
            .collect();
        if !facts.is_empty() {
            under(&mut lines, &facts.join(", "), look, 2);
        }
    }
    for act in &verdict.decisions {
        let severity = if act.intervention.overrides_agent() { Severity::Hard } else { Severity::Warn };
        let quiet = act.intervention == Intervention::Hint && !full;
        if !quiet && !told.contains(&(act.detector, act.pattern)) {
            told.push((act.detector, act.pattern));
            head(&mut lines, severity, Some(act.intervention), act.detector, &act.reason, act.enforced, look);
        }
    }
    if let Some(ruling) =
        verdict.ruling.as_ref().filter(|ruling| ruling.intervention == Some(Intervention::Reject))
    {
        let reasons: Vec<&str> =
            ruling.adjustments.iter().map(|adjustment| adjustment.reason.as_str()).collect();
        let text = format!(
            "{} would reject the action before this step: {}",
            look.sign("×", "x"),
            reasons.join(", ")
        );
        lines.push(format!("{:INDENT$}{}", "", look.fit_words(&text, look.width.saturating_sub(INDENT))));
    }
    let told_of = |detector: DetectorName| told.iter().any(|(known, _)| *known == detector);
    for advice in verdict.advice.iter().filter(|advice| told_of(advice.detector)) {
        let whom = match advice.audience {
            Audience::Agent => "to the agent",
            Audience::User => "to you",
            Audience::Critic if full => "to the critic",
            _ => continue,
        };
        let key = (advice.detector, advice.audience);
        if advised.contains(&key) && !full {
            continue;
        }
        advised.push(key);
        under(&mut lines, &format!("{whom}: {}", advice.text), look, LINES);
    }
    lines
}

/// Renders the line with the signature of an output.
pub(super) fn render_signature(signature: &str, look: &TextStyle) -> String {
    let dim = look.dim();
    let text = look.fit(&format!("signature {}", shown(signature, look)), look.width.saturating_sub(INDENT));
    format!("{:INDENT$}{dim}{text}{dim:#}", "")
}

fn head(
    lines: &mut Vec<String>,
    severity: Severity,
    what: Option<Intervention>,
    detector: DetectorName,
    reason: &str,
    acted: bool,
    look: &TextStyle,
) {
    let (sign, style) = match severity {
        Severity::Hard => (look.sign("■", "#"), look.verdict_style(VerdictName::Stop)),
        Severity::Warn => ("!", look.verdict_style(VerdictName::Warn)),
        _ => ("?", look.dim()),
    };
    let mut text = what.map_or("found", Intervention::as_str).to_owned();
    if !acted {
        text += " (observed)";
    }
    let _ = write!(text, ", {detector}: {reason}");
    let wrapped = wrap(&text, look, HEAD_LINES);
    for (index, text) in wrapped.iter().enumerate() {
        let sign = if index == 0 { sign } else { " " };
        lines.push(format!("{:INDENT$}{style}{sign} {text}{style:#}", ""));
    }
}

/// Adds a text on several lines, but no more than `most`.
fn under(lines: &mut Vec<String>, text: &str, look: &TextStyle, most: usize) {
    let dim = look.dim();
    let wrapped = wrap(text, look, most);
    lines.extend(wrapped.into_iter().map(|line| format!("{:DEEPER$}{dim}{line}{dim:#}", "")));
}

/// Breaks a text between words into at most `most` lines. If it is longer, the last line ends in dots.
fn wrap(text: &str, look: &TextStyle, most: usize) -> Vec<String> {
    let room = look.width.saturating_sub(DEEPER).max(20);
    let text = text.lines().map(|paragraph| shown(paragraph, look)).collect::<Vec<_>>().join("\n");
    let mut all = look.wrap(&text, room);
    let cut = all.len() > most;
    all.truncate(most);
    if let Some(last) = all.last_mut().filter(|_| cut) {
        *last = look.fit(&format!("{last} {}", look.sign("…", "...")), room);
    }
    all
}

fn fact(value: &Value, look: &TextStyle) -> String {
    match value {
        Value::String(text) => format!("\"{}\"", look.fit(text, 60)),
        Value::Array(list) => {
            list.iter().map(|item| fact(item, look)).collect::<Vec<_>>().join(look.sign(" → ", " -> "))
        }
        other => other.to_string(),
    }
}
