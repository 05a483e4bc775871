//! The journal of an episode: JSON lines, one event per line, with the event names of ZorkGPT. The log format
//! `zorkgpt` reads it back into exactly the steps that the guard observed.

use std::io::{self, Write};

use loopbreak::{Event, Usage, step::EpochMillis};
use serde::Serialize;

use super::played_turn::{EpisodeActor, JudgedProposal, PlayedTurn};
use crate::agent_failure::AgentFailure;
use crate::episode::EpisodeEnding;
use crate::episode::WorldObjective;
use crate::world::WorldLocation;

/// An event of the orchestrator; the guard adds its own events.
#[derive(Serialize)]
#[serde(tag = "event_type", rename_all = "snake_case")]
enum JournalEntry<'n> {
    OrchestratorInit {
        episode_id: &'n str,
        agent_model: &'n str,
        critic_enabled: bool,
        max_turns: u64,
    },
    EpisodeInitialized {
        episode_id: &'n str,
        turn: u64,
        max_turns: u64,
    },
    MapInitialRoomAdded {
        episode_id: &'n str,
        turn: u64,
        room_id: u32,
        room_name: &'n str,
    },
    ActionRejected {
        episode_id: &'n str,
        turn: u64,
        action: &'n str,
        #[serde(skip_serializing_if = "Option::is_none")]
        score: Option<f64>,
        adjusted_score: f64,
        justification: &'n str,
        reasons: &'n [String],
        rejection_attempt: usize,
    },
    FinalActionSelection {
        episode_id: &'n str,
        turn: u64,
        agent_action: &'n str,
        #[serde(skip_serializing_if = "str::is_empty")]
        agent_reasoning: &'n str,
        #[serde(skip_serializing_if = "Option::is_none")]
        critic_score: Option<f64>,
        adjusted_score: f64,
        was_overridden: bool,
    },
    ZorkResponse {
        episode_id: &'n str,
        turn: u64,
        action: &'n str,
        zork_response: &'n str,
    },
    MapMovementUpdate {
        episode_id: &'n str,
        turn: u64,
        action: &'n str,
        from_room_id: u32,
        from_room: &'n str,
        to_room_id: u32,
        to_room: &'n str,
    },
    TurnCompleted {
        episode_id: &'n str,
        turn: u64,
        action: &'n str,
        #[serde(skip_serializing_if = "Option::is_none")]
        score: Option<i32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        moves: Option<u32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        location: Option<&'n str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        location_id: Option<u32>,
        #[serde(skip_serializing_if = "<[String]>::is_empty")]
        exits: &'n [String],
        #[serde(skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
    },
    ObjectiveCompleted {
        episode_id: &'n str,
        turn: u64,
        objective: &'n str,
        completed_turn: u64,
        completion_action: &'n str,
        completion_response: &'n str,
        completion_location: &'n str,
        completion_score: Option<i32>,
    },
    ObjectivesUpdated {
        episode_id: &'n str,
        turn: u64,
        objective_count: usize,
        objectives: &'n [String],
    },
    AgentFailed {
        episode_id: &'n str,
        turn: u64,
        failure: &'static str,
        reason: &'n str,
        failures_in_a_row: usize,
    },
    CriticFailed {
        episode_id: &'n str,
        turn: u64,
        failure: &'static str,
        reason: &'n str,
    },
    GameOverDetected {
        episode_id: &'n str,
        turn: u64,
        reason: &'n str,
    },
    EpisodeFinalized {
        episode_id: &'n str,
        turn: u64,
        ending: &'n str,
        termination_reason: &'n str,
        final_score: Option<i32>,
    },
}

/// A line: timestamp, level, message and event.
#[derive(Serialize)]
struct JournalLine<'l, T> {
    timestamp: &'l str,
    level: &'static str,
    message: &'l str,
    #[serde(flatten)]
    event: &'l T,
}

/// Writes the journal; without a writer, it writes nothing.
pub(super) struct EpisodeJournal<'j> {
    to: Option<Box<dyn Write + 'j>>,
}

impl<'j> EpisodeJournal<'j> {
    pub(super) fn new(to: Option<Box<dyn Write + 'j>>) -> Self {
        EpisodeJournal { to }
    }

    fn line<T: Serialize>(
        &mut self,
        at: EpochMillis,
        level: &'static str,
        message: &str,
        event: &T,
    ) -> io::Result<()> {
        let Some(to) = &mut self.to else { return Ok(()) };
        let timestamp = &at.rfc3339().unwrap_or_else(|| at.0.to_string());
        serde_json::to_writer(&mut *to, &JournalLine { timestamp, level, message, event })?;
        to.write_all(b"\n")
    }

    pub(super) fn begin(&mut self, actor: &EpisodeActor, at: EpochMillis, max_turns: u64) -> io::Result<()> {
        let EpisodeActor { run: episode_id, model, judged: critic_enabled } = actor;
        let init = JournalEntry::OrchestratorInit {
            episode_id,
            agent_model: model,
            critic_enabled: *critic_enabled,
            max_turns,
        };
        self.line(at, "INFO", "the orchestrator is ready", &init)?;
        let begun = JournalEntry::EpisodeInitialized { episode_id, turn: 0, max_turns };
        self.line(at, "INFO", "the episode begins", &begun)
    }

    pub(super) fn first_place(
        &mut self,
        actor: &EpisodeActor,
        at: EpochMillis,
        place: &WorldLocation,
    ) -> io::Result<()> {
        let WorldLocation { id: room_id, name: room_name, .. } = place;
        let note = JournalEntry::MapInitialRoomAdded {
            episode_id: &actor.run,
            turn: 0,
            room_id: *room_id,
            room_name,
        };
        self.line(at, "INFO", "the first place is on the map", &note)
    }

    pub(super) fn rejected(
        &mut self,
        actor: &EpisodeActor,
        (turn, attempt): (u64, usize),
        at: EpochMillis,
        judged: &JudgedProposal,
        reasons: &[String],
    ) -> io::Result<()> {
        let note = JournalEntry::ActionRejected {
            episode_id: &actor.run,
            turn,
            action: &judged.action,
            score: judged.base,
            adjusted_score: judged.score,
            justification: &judged.justification,
            reasons,
            rejection_attempt: attempt,
        };
        self.line(at, "INFO", "a proposal was refused", &note)
    }

    pub(super) fn turn(
        &mut self,
        actor: &EpisodeActor,
        turn: &PlayedTurn,
        from: Option<&WorldLocation>,
    ) -> io::Result<()> {
        let (episode_id, number, at, observation) =
            (actor.run.as_str(), turn.number, turn.at, &turn.observation);
        let action = turn.chosen.action.as_str();
        let chosen = JournalEntry::FinalActionSelection {
            episode_id,
            turn: number,
            agent_action: action,
            agent_reasoning: &turn.chosen.reason,
            critic_score: turn.chosen.base,
            adjusted_score: turn.chosen.score,
            was_overridden: turn.overridden,
        };
        self.line(at, "INFO", "an action was chosen", &chosen)?;
        let response =
            JournalEntry::ZorkResponse { episode_id, turn: number, action, zork_response: &observation.text };
        self.line(at, "INFO", "the world answered", &response)?;
        let place = observation.place.as_ref();
        if let (Some(from), Some(to)) = (from, place)
            && from.id != to.id
        {
            let moved = JournalEntry::MapMovementUpdate {
                episode_id,
                turn: number,
                action,
                from_room_id: from.id,
                from_room: &from.name,
                to_room_id: to.id,
                to_room: &to.name,
            };
            self.line(at, "INFO", "the player is somewhere else", &moved)?;
        }
        let completed = JournalEntry::TurnCompleted {
            episode_id,
            turn: number,
            action,
            score: observation.score,
            moves: observation.moves,
            location: place.map(|place| place.name.as_str()),
            location_id: place.map(|place| place.id),
            exits: place.map_or(&[], |place| &place.exits),
            usage: turn.usage,
        };
        self.line(at, "INFO", "the turn is over", &completed)?;
        for objective in &turn.completed {
            self.objective(actor, turn, objective)?;
        }
        if let Some(objectives) = &turn.objectives {
            let note = JournalEntry::ObjectivesUpdated {
                episode_id,
                turn: number,
                objective_count: objectives.len(),
                objectives,
            };
            self.line(at, "INFO", "the objectives changed", &note)?;
        }
        Ok(())
    }

    fn objective(
        &mut self,
        actor: &EpisodeActor,
        turn: &PlayedTurn,
        objective: &WorldObjective,
    ) -> io::Result<()> {
        let note = JournalEntry::ObjectiveCompleted {
            episode_id: &actor.run,
            turn: turn.number,
            objective: &objective.text,
            completed_turn: turn.number,
            completion_action: &turn.chosen.action,
            completion_response: &turn.observation.text,
            completion_location: turn.observation.place.as_ref().map_or("", |place| &place.name),
            completion_score: turn.observation.score,
        };
        self.line(turn.at, "INFO", "an objective is completed", &note)
    }

    /// Records that there was no proposal; the turn is not played.
    pub(super) fn agent_failed(
        &mut self,
        actor: &EpisodeActor,
        turn: u64,
        at: EpochMillis,
        failure: &AgentFailure,
        failures_in_a_row: usize,
    ) -> io::Result<()> {
        let AgentFailure { kind, message: reason } = failure;
        let (episode_id, failure) = (actor.run.as_str(), kind.as_str());
        let note = JournalEntry::AgentFailed { episode_id, turn, failure, reason, failures_in_a_row };
        self.line(at, "WARNING", "the agent gave no action", &note)
    }

    /// Records that there was no opinion; only Loopbreak weighs the proposal.
    pub(super) fn critic_failed(
        &mut self,
        actor: &EpisodeActor,
        turn: u64,
        at: EpochMillis,
        failure: &AgentFailure,
    ) -> io::Result<()> {
        let AgentFailure { kind, message: reason } = failure;
        let note =
            JournalEntry::CriticFailed { episode_id: &actor.run, turn, failure: kind.as_str(), reason };
        self.line(at, "WARNING", "the critic gave no score", &note)
    }

    /// Records the events of the guard.
    pub(super) fn events(&mut self, at: EpochMillis, events: &[Event]) -> io::Result<()> {
        for event in events {
            let (level, message) = level_and_message(event);
            self.line(at, level, &message, event)?;
        }
        Ok(())
    }

    pub(super) fn end(
        &mut self,
        actor: &EpisodeActor,
        turn: u64,
        at: EpochMillis,
        ending: &EpisodeEnding,
        final_score: Option<i32>,
    ) -> io::Result<()> {
        let (episode_id, reason) = (actor.run.as_str(), ending.reason());
        if matches!(ending, EpisodeEnding::Victory | EpisodeEnding::Death | EpisodeEnding::Left) {
            let note = JournalEntry::GameOverDetected { episode_id, turn, reason: &reason };
            self.line(at, "INFO", "the game is over", &note)?;
        }
        let note = JournalEntry::EpisodeFinalized {
            episode_id,
            turn,
            ending: ending.as_str(),
            termination_reason: &reason,
            final_score,
        };
        self.line(at, "INFO", "the episode is over", &note)?;
        match &mut self.to {
            Some(to) => to.flush(),
            None => Ok(()),
        }
    }
}

/// A progress check at a multiple of this many turns without progress is worth more than the level `DEBUG`.
const NOTED_TURNS: u64 = 10;

/// Returns the level and the message of an event of the guard. The message has the figures that one looks for in a log.
fn level_and_message(event: &Event) -> (&'static str, String) {
    match event {
        Event::ProgressCheck(check)
            if check.turns_stuck > 0 && check.turns_stuck.is_multiple_of(NOTED_TURNS) =>
        {
            ("INFO", format!("no progress for {} turns", check.turns_stuck))
        }
        Event::ProgressCheck(_) => ("DEBUG", "progress was checked".to_owned()),
        Event::ScoreChange(change) => {
            ("INFO", format!("the score changed: {} → {}", change.old_score, change.new_score))
        }
        Event::ProgressDetected(progress) => {
            ("INFO", format!("progress after {} turns without any", progress.turns_stuck_before_reset))
        }
        Event::LocationPenaltyApplied(penalty) => (
            "INFO",
            format!(
                "the score of a proposal changed for {}: {:.2} → {:.2}",
                penalty.location_name, penalty.base_score, penalty.adjusted_score
            ),
        ),
        Event::LoopPenaltyApplied(penalty) => (
            "INFO",
            format!(
                "the score of a proposal changed: {:.2} → {:.2}",
                penalty.base_score, penalty.adjusted_score
            ),
        ),
        Event::LoopBreakWarning(warning) => {
            ("WARNING", format!("no progress for {} turns, the episode ends soon", warning.turns_stuck))
        }
        Event::StuckTermination(stop) => {
            ("WARNING", format!("the episode is stopped: no progress for {} turns", stop.turns_stuck))
        }
        Event::OscillationDetected(found) => {
            ("WARNING", format!("back and forth: {}", found.pattern_names.join(" → ")))
        }
        Event::CampingDetected(found) => (
            "WARNING",
            format!("{} of {} turns at {}", found.visit_count, found.window_size, found.camped_location_name),
        ),
        _ => ("WARNING", "the player is stuck".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use loopbreak::{Config, Guard, Profile, Step};

    use super::*;

    /// Document 001 wants 10 turns without progress at INFO, 20 at WARNING, and the figures of scores in the line.
    #[test]
    fn messages_have_the_figures_and_the_tenth_turn_without_progress_is_info() {
        let mut guard = Guard::new(Config::from(Profile::Documents));
        let mut lines = Vec::new();
        for turn in 1..=21_u64 {
            let score = if turn == 1 { 10 } else { 35 };
            let verdict = guard.observe(&Step::from_json(&format!(r#"{{"score":{score}}}"#)).unwrap());
            lines.extend(verdict.events.iter().map(|event| (turn, level_and_message(event))));
        }
        let said = |turn: u64| -> Vec<String> {
            let of_turn = lines.iter().filter(|(at, _)| *at == turn);
            of_turn.map(|(_, (level, message))| format!("{level} {message}")).collect()
        };
        assert_eq!(said(2)[0], "INFO the score changed: 10 → 35");
        assert_eq!(said(11), ["DEBUG progress was checked"]);
        assert_eq!(said(12), ["INFO no progress for 10 turns"]);
        assert_eq!(said(13), ["DEBUG progress was checked"]);
    }
}
