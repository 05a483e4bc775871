//! Texts that both views share.

use std::fmt::Write as _;

use loopbreak::{Audience, Ruling, Usage, Verdict};
use loopbreak_arena::EpisodeResult;

use crate::output::printable;

/// Renders the advice and decisions of a verdict, one per line.
pub(super) fn words_of(verdict: &Verdict) -> Vec<String> {
    let mut lines: Vec<String> = verdict
        .advice
        .iter()
        .filter(|advice| advice.audience != Audience::Critic)
        .map(|advice| format!("loopbreak to the {}: {}", to(advice.audience), printable(&advice.text)))
        .collect();
    // Decisions that are only observed have no advice.
    let silent = verdict.decisions.iter().filter(|act| !act.enforced);
    lines.extend(silent.map(|act| {
        format!(
            "loopbreak would {}: {} ({})",
            act.intervention.as_str(),
            printable(&act.reason),
            act.detector.as_str()
        )
    }));
    lines
}

fn to(audience: Audience) -> &'static str {
    match audience {
        Audience::Agent => "player",
        other => other.as_str(),
    }
}

/// Renders a refused proposal as one line.
pub(super) fn refusal(action: &str, ruling: &Ruling, reasons: &[String]) -> String {
    let why: Vec<&str> = reasons.iter().map(|reason| reason.trim_end_matches('.')).collect();
    let why = why.join("; ");
    format!(
        "refused {}: {:.2} became {:.2}: {}",
        printable(action),
        ruling.base,
        ruling.score,
        printable(&why)
    )
}

/// Renders the usage. Returns `None` if it is not known.
pub(super) fn used(usage: &Usage) -> Option<String> {
    let mut parts = Vec::new();
    parts.extend(usage.input_tokens.map(|tokens| format!("{tokens} input tokens")));
    parts.extend(usage.output_tokens.map(|tokens| format!("{tokens} output tokens")));
    parts.extend(usage.cost_usd.map(|cost| format!("{cost:.4} USD")));
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Renders the result of an episode.
pub(super) fn end(episode: &EpisodeResult) -> String {
    let (mark, reason) = (episode.ending.as_str(), printable(&episode.ending.reason()));
    let why = if reason == mark { String::new() } else { format!(" ({reason})") };
    let score = episode.score.map(|score| format!("score {score}, ")).unwrap_or_default();
    let mut text = format!(
        "{mark}{why} after {}: {score}{}, {} refused, {} taken anyway\n",
        count(episode.turns, "turn"),
        count(episode.places as u64, "place"),
        count(episode.refused, "proposal"),
        episode.overridden,
    );
    if episode.player_failures + episode.critic_failures > 0 {
        _ = writeln!(
            text,
            "failures: {} of the player, {} of the critic",
            episode.player_failures, episode.critic_failures
        );
    }
    if let Some(used) = used(&episode.usage) {
        _ = writeln!(text, "used: {used}");
    }
    text
}

fn count(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
