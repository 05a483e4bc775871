//! Texts about an episode that both views share.

use std::fmt::Write as _;

use loopbreak::{Ruling, Usage, Verdict, verdict::Audience};
use loopbreak_report::{plural, printable};

use crate::episode::EpisodeResult;

/// Renders the advice and decisions of a verdict, one per line.
pub(super) fn render_verdict(verdict: &Verdict) -> Vec<String> {
    let mut lines: Vec<String> = verdict
        .advice
        .iter()
        .filter(|advice| advice.audience != Audience::Critic)
        .map(|advice| {
            format!("loopbreak to the {}: {}", audience_name(advice.audience), printable(&advice.text))
        })
        .collect();
    // Decisions that are only observed have no advice.
    let observed = verdict.decisions.iter().filter(|decision| !decision.enforced);
    lines.extend(observed.map(|decision| {
        format!(
            "loopbreak would {}: {} ({})",
            decision.intervention.as_str(),
            printable(&decision.reason),
            decision.detector.as_str()
        )
    }));
    lines
}

fn audience_name(audience: Audience) -> &'static str {
    match audience {
        Audience::Agent => "player",
        other => other.as_str(),
    }
}

/// Renders a refused proposal as one line.
pub(super) fn render_refusal(action: &str, ruling: &Ruling, reasons: &[String]) -> String {
    let reasons: Vec<&str> = reasons.iter().map(|reason| reason.trim_end_matches('.')).collect();
    format!(
        "refused {}: {:.2} became {:.2}: {}",
        printable(action),
        ruling.base,
        ruling.score,
        printable(&reasons.join("; "))
    )
}

/// Renders the usage. Returns `None` if it is not known.
pub(super) fn render_usage(usage: &Usage) -> Option<String> {
    let mut parts = Vec::new();
    parts.extend(usage.input_tokens.map(|tokens| format!("{tokens} input tokens")));
    parts.extend(usage.output_tokens.map(|tokens| format!("{tokens} output tokens")));
    parts.extend(usage.cost_usd.map(|cost| format!("{cost:.4} USD")));
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Renders the result of an episode, one to three lines.
pub fn render_result(episode: &EpisodeResult) -> String {
    let (ending, reason) = (episode.ending.as_str(), printable(&episode.ending.reason()));
    let detail = if reason == ending { String::new() } else { format!(" ({reason})") };
    let score = episode.score.map(|score| format!("score {score}, ")).unwrap_or_default();
    let mut text = format!(
        "{ending}{detail} after {}: {score}{}, {} refused, {} taken anyway\n",
        plural(episode.turns, "turn"),
        plural(episode.places as u64, "place"),
        plural(episode.refused, "proposal"),
        episode.overridden,
    );
    if episode.player_failures + episode.critic_failures > 0 {
        _ = writeln!(
            text,
            "failures: {} of the player, {} of the critic",
            episode.player_failures, episode.critic_failures
        );
    }
    if let Some(usage) = render_usage(&episode.usage) {
        _ = writeln!(text, "used: {usage}");
    }
    text
}
