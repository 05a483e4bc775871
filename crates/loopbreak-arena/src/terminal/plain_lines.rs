//! Renders an episode as plain lines, for output that is not a terminal.

use std::fmt::Write as _;

use loopbreak_report::printable;

use super::event_text::{render_refusal, render_verdict};
use crate::episode::EpisodeEvent;
use crate::world::WorldObservation;

/// Renders an event as lines. `terse` leaves out the command, for a player who just typed it.
pub fn render_event(event: &EpisodeEvent<'_>, terse: bool) -> String {
    let mut out = String::new();
    match event {
        EpisodeEvent::Begun { observation, .. } => add_observation(&mut out, observation),
        EpisodeEvent::Refused { turn, action, ruling, reasons } => {
            _ = writeln!(out, "turn {turn}: {}", render_refusal(action, ruling, reasons));
        }
        EpisodeEvent::PlayerFailed { turn, failure, in_a_row } => {
            _ = writeln!(
                out,
                "turn {turn}: the player gave no command ({}, {in_a_row} in a row): {}",
                failure.kind,
                printable(&failure.message)
            );
        }
        EpisodeEvent::CriticFailed { turn, failure } => {
            _ = writeln!(
                out,
                "turn {turn}: the critic gave no score ({}): {}",
                failure.kind,
                printable(&failure.message)
            );
        }
        EpisodeEvent::Turn { taken, observation, verdict, .. } => {
            if !terse {
                let critic = taken.critic.map(|score| format!(", critic {score:.2}")).unwrap_or_default();
                let overridden = if taken.overridden { ", taken anyway" } else { "" };
                _ = writeln!(
                    out,
                    "turn {}: {} (worth {:.2}{critic}{overridden})",
                    taken.turn,
                    printable(taken.action),
                    taken.score
                );
            }
            add_observation(&mut out, observation);
            for line in render_verdict(verdict) {
                _ = writeln!(out, "  * {line}");
            }
        }
    }
    out
}

fn add_observation(out: &mut String, observation: &WorldObservation) {
    for line in observation.text.lines() {
        _ = writeln!(out, "{}", format!("  {}", printable(line)).trim_end());
    }
    let place = observation.place.as_ref().map(|place| printable(&place.name));
    let score = observation.score.map(|score| format!("score {score}"));
    let status: Vec<String> = place.into_iter().chain(score).collect();
    if !status.is_empty() {
        _ = writeln!(out, "  [{}]", status.join(", "));
    }
}
