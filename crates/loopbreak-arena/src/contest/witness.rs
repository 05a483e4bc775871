//! Somebody who looks on and keeps count. It learns from the guard only that there is a loop; whether the loop was left,
//! and whether a proposal goes back to it, it sees for itself.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use loopbreak::{DetectorName, Finding, LoopId, Severity, Verdict};

use super::account::Account;
use crate::episode::{Episode, Moment};
use crate::texts;
use crate::world::Sight;

/// A loop has to be left within so many turns.
const TURNS_TO_LEAVE: u64 = 10;
/// So many turns in a row elsewhere are a loop left.
const ELSEWHERE: u64 = 3;
/// Whoever is back within so many turns has resumed it.
const RESUMED_WITHIN: u64 = 20;
/// A loop is what was done since it began, so many turns at most.
const PAST: usize = 12;

/// What makes up a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Track {
    /// Being at one of these places.
    Places(BTreeSet<u32>),
    /// Doing one of these things at its place.
    Deeds(BTreeSet<(u32, String)>),
}

#[derive(Clone, Debug)]
struct OpenLoop {
    id: LoopId,
    track: Track,
    since: u64,
    /// Turns in a row elsewhere.
    elsewhere: u64,
    left: Option<u64>,
}

/// What became of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Broken,
    GoneOn,
}

/// A turn: where, what, and where that led.
#[derive(Clone, Debug)]
struct Done {
    turn: u64,
    from: u32,
    action: String,
    to: u32,
}

/// Keeps count of an episode.
#[derive(Clone, Debug, Default)]
pub struct Witness {
    here: u32,
    exits: Vec<String>,
    ways: BTreeMap<(u32, &'static str), u32>,
    past: VecDeque<Done>,
    open: Vec<OpenLoop>,
    highest: Option<i32>,
    account: Account,
}

impl Witness {
    /// Sees what happens.
    pub fn see(&mut self, moment: &Moment<'_>) {
        match moment {
            Moment::Begun { sight, .. } => {
                self.highest = sight.score;
                self.arrive(sight);
            }
            Moment::Refused { action, ruling, .. } => self.proposed(action, ruling.score < ruling.base),
            Moment::Turn { taken, sight, verdict, .. } => {
                // One that is taken although it was refused has been counted then.
                if !taken.overridden {
                    self.proposed(taken.action, taken.critic.is_some_and(|base| taken.score < base));
                }
                self.turn(taken.turn, taken.action, sight, verdict);
            }
            Moment::PlayerFailed { .. } | Moment::CriticFailed { .. } => {}
        }
    }

    /// The figures, once the episode is over.
    pub fn conclude(mut self, episode: &Episode) -> Account {
        for open in std::mem::take(&mut self.open) {
            let turns = episode.turns.saturating_sub(open.since);
            match open.left {
                Some(_) => self.settle(Outcome::Broken),
                None if turns >= TURNS_TO_LEAVE => self.settle(Outcome::GoneOn),
                // It ended before anybody can say.
                None => {}
            }
        }
        let ending = episode.ending.mark().to_owned();
        let stopped = (ending == loopbreak::Stop::ENDING).then_some(episode.turns);
        let score = i64::from(episode.score.unwrap_or_default());
        Account { ending, turns: episode.turns, score, stopped, ..self.account }
    }

    fn arrive(&mut self, sight: &Sight) {
        if let Some(place) = &sight.place {
            self.here = place.id;
            self.exits.clone_from(&place.exits);
        }
    }

    /// Whether a proposal goes back to a loop that was seen, although there is something else to do.
    fn proposed(&mut self, action: &str, penalized: bool) {
        let to = texts::way(action).and_then(|way| self.ways.get(&(self.here, way)).copied());
        let goes_on = self.open.iter().any(|open| match &open.track {
            Track::Places(places) => to.is_some_and(|to| places.contains(&to)),
            Track::Deeds(deeds) => deeds.contains(&(self.here, action.to_owned())),
        });
        if goes_on && !(to.is_some() && self.exits.len() == 1) {
            self.account.returns += 1;
            self.account.penalized += u64::from(penalized);
        }
    }

    fn turn(&mut self, turn: u64, action: &str, sight: &Sight, verdict: &Verdict) {
        let from = self.here;
        self.arrive(sight);
        if let Some(way) = texts::way(action).filter(|_| from != self.here) {
            self.ways.insert((from, way), self.here);
        }
        let done = Done { turn, from, action: action.to_owned(), to: self.here };
        let gained = sight.score > self.highest;
        if gained {
            self.highest = sight.score;
            self.account.gains.push(turn);
        }
        if gained || verdict.progress.any() {
            self.account.last_progress = turn;
        }
        self.follow(&done, gained, &verdict.findings);
        self.past.push_front(done);
        self.past.truncate(PAST);
        for finding in verdict.findings.iter().filter(|finding| is_loop(finding)) {
            self.found(turn, finding);
        }
    }

    /// What becomes of the loops that were seen.
    fn follow(&mut self, done: &Done, gained: bool, findings: &[Finding]) {
        let mut outcomes = Vec::new();
        self.open.retain_mut(|open| {
            let outcome = open.follow(done, gained, findings);
            outcomes.extend(outcome);
            outcome.is_none()
        });
        outcomes.into_iter().for_each(|outcome| self.settle(outcome));
    }

    fn settle(&mut self, outcome: Outcome) {
        self.account.loops += 1;
        self.account.broken += u64::from(outcome == Outcome::Broken);
    }

    fn found(&mut self, turn: u64, finding: &Finding) {
        if self.open.iter().any(|open| open.id == finding.loop_id) {
            return;
        }
        let span = || self.past.iter().take_while(|done| done.turn >= finding.since.min(turn));
        let of_places = matches!(finding.detector, DetectorName::Oscillation | DetectorName::Camping)
            || finding.pattern == "circuit";
        let track = if finding.detector == DetectorName::Camping {
            Track::Places(BTreeSet::from([self.here]))
        } else if of_places {
            Track::Places(span().map(|done| done.to).collect())
        } else {
            Track::Deeds(span().map(|done| (done.from, done.action.clone())).collect())
        };
        self.open.push(OpenLoop { id: finding.loop_id, track, since: turn, elsewhere: 0, left: None });
    }
}

impl OpenLoop {
    /// Sees the next turn. Gives what became of the loop, once that is clear.
    fn follow(&mut self, done: &Done, gained: bool, findings: &[Finding]) -> Option<Outcome> {
        let inside = match &self.track {
            Track::Places(places) => places.contains(&done.to),
            Track::Deeds(deeds) => deeds.contains(&(done.from, done.action.clone())),
        };
        self.elsewhere = if inside { 0 } else { self.elsewhere + 1 };
        if gained {
            return Some(Outcome::Broken);
        }
        if let Some(left) = self.left {
            let back = findings.iter().any(|finding| finding.loop_id == self.id && is_loop(finding));
            let away = done.turn.saturating_sub(left) > RESUMED_WITHIN;
            return if back { Some(Outcome::GoneOn) } else { away.then_some(Outcome::Broken) };
        }
        if self.elsewhere == ELSEWHERE {
            self.left = Some(done.turn + 1 - ELSEWHERE);
        }
        let late = done.turn.saturating_sub(self.since) >= TURNS_TO_LEAVE + ELSEWHERE;
        (late && self.left.is_none()).then_some(Outcome::GoneOn)
    }
}

/// Whether a finding is of a loop that can be left: the same places, the same actions, the same target.
fn is_loop(finding: &Finding) -> bool {
    let kind = matches!(
        finding.detector,
        DetectorName::Oscillation
            | DetectorName::Camping
            | DetectorName::Cycle
            | DetectorName::Recurrence
            | DetectorName::Drift
            | DetectorName::FailingTarget
    );
    kind && finding.severity >= Severity::Warn && !finding.pattern.starts_with("refused")
}
