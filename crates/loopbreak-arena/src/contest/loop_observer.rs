//! Observes an episode and counts loops. It learns from the guard only that there is a loop; it determines
//! independently whether the loop was left and whether a proposal returns to it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use loopbreak::detectors::DetectorSubject;
use loopbreak::evidence::EvidenceKey;
use loopbreak::{DetectorName, Finding, Pattern, Severity, Verdict};

use super::game_record::GameRecord;
use crate::episode::{EpisodeEvent, EpisodeResult};
use crate::game_text;
use crate::world::WorldObservation;

/// Number of turns within which a loop has to be left.
const TURNS_TO_LEAVE: u64 = 10;
/// Number of consecutive turns outside a loop after which it counts as left.
const ELSEWHERE: u64 = 3;
/// Number of turns within which a return resumes a loop.
const RESUMED_WITHIN: u64 = 20;
/// Maximum number of past turns that make up a loop.
const PAST: usize = 12;

/// The actions that make up a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
enum LoopTrack {
    /// Being at this place.
    Camp(u32),
    /// Moving between these places.
    Moves(BTreeSet<(u32, u32)>),
    /// Doing one of these actions at its place.
    Actions(BTreeSet<(u32, String)>),
}

#[derive(Clone, Debug)]
struct ObservedLoop {
    track: LoopTrack,
    since: u64,
    /// Number of consecutive turns outside the loop.
    elsewhere: u64,
    left: Option<u64>,
}

/// The outcome of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LoopOutcome {
    Broken,
    Continued,
}

/// A turn: the place, the action, and the destination.
#[derive(Clone, Debug)]
struct PlayedMove {
    turn: u64,
    from: u32,
    action: String,
    to: u32,
}

/// Counts the loops of an episode.
#[derive(Clone, Debug, Default)]
pub struct LoopObserver {
    here: u32,
    exits: Vec<String>,
    ways: BTreeMap<(u32, &'static str), u32>,
    past: VecDeque<PlayedMove>,
    open: Vec<ObservedLoop>,
    highest: Option<i32>,
    record: GameRecord,
}

impl LoopObserver {
    /// Processes an event.
    pub fn process(&mut self, event: &EpisodeEvent<'_>) {
        match event {
            EpisodeEvent::Begun { observation, .. } => {
                self.highest = observation.score;
                self.arrive(observation);
            }
            EpisodeEvent::Refused { action, ruling, .. } => self.proposed(action, ruling.score < ruling.base),
            EpisodeEvent::Turn { taken, observation, verdict, .. } => {
                // A proposal that was taken after a refusal has already been counted.
                if !taken.overridden {
                    self.proposed(taken.action, taken.critic.is_some_and(|base| taken.score < base));
                }
                self.turn(taken.turn, taken.action, observation, verdict);
            }
            EpisodeEvent::PlayerFailed { .. } | EpisodeEvent::CriticFailed { .. } => {}
        }
    }

    /// Returns the figures of the finished episode.
    pub fn finish(mut self, episode: &EpisodeResult) -> GameRecord {
        for open in std::mem::take(&mut self.open) {
            let turns = episode.turns.saturating_sub(open.since);
            match open.left {
                Some(_) => self.settle(LoopOutcome::Broken),
                None if turns >= TURNS_TO_LEAVE => self.settle(LoopOutcome::Continued),
                // The episode ended before the outcome was clear.
                None => {}
            }
        }
        let ending = episode.ending.as_str().to_owned();
        let stopped = (ending == loopbreak::verdict::RunStop::ENDING.as_str()).then_some(episode.turns);
        let score = i64::from(episode.score.unwrap_or_default());
        GameRecord { ending, turns: episode.turns, score, stopped, ..self.record }
    }

    fn arrive(&mut self, observation: &WorldObservation) {
        if let Some(place) = &observation.place {
            self.here = place.id;
            self.exits.clone_from(&place.exits);
        }
    }

    /// Counts a proposal that returns to a detected loop although there is an alternative.
    fn proposed(&mut self, action: &str, penalized: bool) {
        let to = game_text::direction_of(action).and_then(|way| self.ways.get(&(self.here, way)).copied());
        let goes_on = self.open.iter().filter(|open| open.left.is_none()).any(|open| match &open.track {
            LoopTrack::Camp(place) => to == Some(*place),
            LoopTrack::Moves(moves) => to.is_some_and(|to| moves.contains(&(self.here, to))),
            LoopTrack::Actions(actions) => actions.contains(&(self.here, action.to_owned())),
        });
        if goes_on && !(to.is_some() && self.exits.len() == 1) {
            self.record.returns += 1;
            self.record.penalized += u64::from(penalized);
        }
    }

    fn turn(&mut self, turn: u64, action: &str, observation: &WorldObservation, verdict: &Verdict) {
        let from = self.here;
        self.arrive(observation);
        if let Some(way) = game_text::direction_of(action).filter(|_| from != self.here) {
            self.ways.insert((from, way), self.here);
        }
        let done = PlayedMove { turn, from, action: action.to_owned(), to: self.here };
        let gained = observation.score > self.highest;
        if gained {
            self.highest = observation.score;
            self.record.gains.push(turn);
        }
        if gained || verdict.progress.any() {
            self.record.last_progress = turn;
        }
        self.follow(&done, gained);
        self.past.push_front(done);
        self.past.truncate(PAST);
        for finding in verdict.findings.iter().filter(|finding| is_loop(finding)) {
            self.found(turn, finding);
        }
    }

    /// Updates the detected loops.
    fn follow(&mut self, done: &PlayedMove, gained: bool) {
        let mut outcomes = Vec::new();
        self.open.retain_mut(|open| {
            let outcome = open.follow(done, gained);
            outcomes.extend(outcome);
            outcome.is_none()
        });
        for outcome in outcomes {
            self.settle(outcome);
        }
    }

    fn settle(&mut self, outcome: LoopOutcome) {
        self.record.loops += 1;
        self.record.broken += u64::from(outcome == LoopOutcome::Broken);
    }

    fn found(&mut self, turn: u64, finding: &Finding) {
        let period = finding.evidence.number(EvidenceKey::PERIOD).unwrap_or(1);
        // A recurrence is about the last call, a cycle about one round, everything else about all actions since the
        // start.
        let actions = match (finding.detector, finding.pattern) {
            (DetectorName::Cycle, _) => period as usize,
            (DetectorName::Recurrence, Pattern::Again) => 1,
            _ => PAST,
        };
        // Moves are not actions here: loops of places cover them.
        let span = || {
            let past = self.past.iter().take_while(|done| done.turn >= finding.since.min(turn));
            past.filter(|done| done.from == done.to)
        };
        let moves = |count: usize| {
            let moves = self.past.iter().filter(|done| done.from != done.to).take(count);
            LoopTrack::Moves(moves.map(|done| (done.from, done.to)).collect())
        };
        let track = match (finding.detector, finding.pattern) {
            (DetectorName::Camping, _) => LoopTrack::Camp(self.here),
            (DetectorName::Oscillation, _) => moves(2),
            (_, Pattern::Circuit) => moves(period as usize),
            _ => LoopTrack::Actions(
                span().take(actions).map(|done| (done.from, done.action.clone())).collect(),
            ),
        };
        match self.open.iter().position(|open| open.track == track) {
            // The loop was left and has returned.
            Some(index) if self.open[index].left.is_some() => {
                self.open.swap_remove(index);
                self.settle(LoopOutcome::Continued);
            }
            Some(_) => {}
            None => self.open.push(ObservedLoop { track, since: turn, elsewhere: 0, left: None }),
        }
    }
}

impl ObservedLoop {
    /// Processes the next turn. Returns the outcome of the loop once it is clear.
    fn follow(&mut self, done: &PlayedMove, gained: bool) -> Option<LoopOutcome> {
        let inside = match &self.track {
            LoopTrack::Camp(place) => *place == done.to,
            LoopTrack::Moves(moves) => moves.contains(&(done.from, done.to)),
            LoopTrack::Actions(actions) => actions.contains(&(done.from, done.action.clone())),
        };
        self.elsewhere = if inside { 0 } else { self.elsewhere + 1 };
        if gained {
            return Some(LoopOutcome::Broken);
        }
        if let Some(left) = self.left {
            let away = done.turn.saturating_sub(left) > RESUMED_WITHIN;
            return away.then_some(LoopOutcome::Broken);
        }
        if self.elsewhere == ELSEWHERE {
            self.left = Some(done.turn + 1 - ELSEWHERE);
        }
        let late = done.turn.saturating_sub(self.since) >= TURNS_TO_LEAVE + ELSEWHERE;
        (late && self.left.is_none()).then_some(LoopOutcome::Continued)
    }
}

/// Returns whether a finding is a loop of places or actions, which can be followed on the map.
fn is_loop(finding: &Finding) -> bool {
    matches!(finding.detector.subject(), DetectorSubject::Place | DetectorSubject::Call)
        && finding.severity >= Severity::Warn
        && !matches!(finding.pattern, Pattern::RefusedReturn | Pattern::RefusedRepeat)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::episode::{EpisodeOrchestrator, EpisodeRules};
    use crate::player::{InfalliblePlayer, PlayerMove};
    use crate::proposal_critic::HeuristicCritic;
    use crate::world::StoryWorld;
    use loopbreak::{Config, Guard, Mode, Profile, Settings};

    /// Proposes fixed commands, whatever the context is.
    struct FixedLines(Vec<&'static str>);

    impl InfalliblePlayer for FixedLines {
        fn name(&self) -> String {
            "lines".to_owned()
        }

        fn propose(&mut self, context: &crate::PlayerContext) -> PlayerMove {
            self.0[(context.turn as usize - 1).min(self.0.len() - 1)].into()
        }
    }

    fn record(lines: &[&'static str]) -> GameRecord {
        let mut world = StoryWorld::new(crate::stories::spillway(), 1);
        let mut player = FixedLines(lines.to_vec());
        let mut critic = HeuristicCritic::default();
        let settings = Settings { mode: Mode::Observe, ..Settings::from(Profile::Game) };
        let mut observer = LoopObserver::default();
        let episode = EpisodeOrchestrator::new(
            &mut world,
            &mut player,
            &mut critic,
            Guard::new(Config::new(settings).unwrap()),
        )
        .rules(EpisodeRules { max_turns: lines.len() as u64, ..EpisodeRules::default() })
        .view(|event| observer.process(event))
        .play("lines")
        .unwrap();
        observer.finish(&episode)
    }

    #[test]
    fn a_loop_that_is_left_immediately_and_not_resumed_is_broken() {
        let mut lines = ["north", "south"].repeat(3);
        lines.extend(["east", "north", "east", "up", "down", "west", "south", "west"]);
        let record = record(&lines);
        assert_eq!((record.loops, record.broken), (1, 1), "{record:?}");
        assert!(record.returns >= 1, "{record:?}");
        assert_eq!(record.penalized, 0, "observe mode lowers no scores");
    }

    #[test]
    fn a_loop_that_continues_or_is_resumed_is_not_broken() {
        let on = record(&["north", "south"].repeat(12));
        assert!(on.loops >= 1 && on.broken == 0, "{on:?}");
        let mut lines = ["north", "south"].repeat(3);
        lines.extend(["east", "north", "east", "west", "south", "west"]);
        lines.extend(["north", "south"].repeat(4));
        let back = record(&lines);
        assert!(back.loops > back.broken, "{back:?}");
    }

    #[test]
    fn counts_points_and_wasted_turns() {
        let record = record(&["north", "take lantern", "look", "look", "look"]);
        assert_eq!((record.score, record.gains.as_slice(), record.turns), (5, [2].as_slice(), 5));
        assert_eq!((record.wasted(), record.gains_after(1), record.gains_after(2)), (3, true, false));
        assert_eq!((record.ending.as_str(), record.stopped), ("turn_limit", None));
    }
}
