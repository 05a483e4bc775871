//! The memory of a run besides its guard.

use serde::{Deserialize, Serialize};

use super::AgentStop;
use crate::memory::{HashKey, key_of};
use crate::verdict::{Audience, Finding, LoopId, Severity, Verdict};

/// Number of loops, pieces of advice and refused loops that are remembered.
const MAX_LOOPS: usize = 8;
const MAX_ADVISED: usize = 8;
const MAX_REFUSALS: usize = 8;
/// Number of turns for which a warning counts. A call that comes back later is not the one that was warned about.
const WARNING_TURNS: u64 = 30;
/// Number of turns for which a refusal is remembered. The detectors use the same number.
const REFUSAL_TURNS: u64 = 20;

/// The memory of a run besides its guard: the loops that were found, and the measures that were taken. Its size is bounded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentMemory {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    loops: Vec<CallLoop>,
    /// Turns at which the agent was advised.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) advised: Vec<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refusals: Vec<LoopRefusals>,
    /// The message of the last refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused_batch: Option<HashKey>,
    /// The end of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stopped: Option<AgentStop>,
}

/// A loop of calls that was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct CallLoop {
    #[serde(rename = "loop")]
    id: LoopId,
    turn: u64,
    warned: bool,
    action: String,
    outcome: String,
}

/// Number of refusals of one loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct LoopRefusals {
    #[serde(rename = "loop")]
    id: LoopId,
    turn: u64,
    count: u32,
}

impl AgentMemory {
    /// Remembers the loops of a verdict, and the advice in it if the agent gets it.
    pub(super) fn note(&mut self, verdict: &Verdict, is_told: bool) {
        for finding in &verdict.findings {
            self.note_finding(finding);
        }
        for known in self.loops.iter_mut().filter(|known| verdict.sighted.contains(&known.id)) {
            known.turn = verdict.turn;
        }
        if is_told && verdict.advice.iter().any(|advice| advice.audience == Audience::Agent) {
            push_bounded(&mut self.advised, verdict.turn, MAX_ADVISED);
        }
    }

    fn note_finding(&mut self, finding: &Finding) {
        let text = |name: &str| finding.evidence.text(name).unwrap_or_default().to_owned();
        let action = text("action");
        if action.is_empty() {
            return;
        }
        let warned = finding.severity > Severity::Hint;
        if let Some(known) = self.loops.iter_mut().find(|known| known.id == finding.loop_id) {
            known.warned |= warned;
            known.turn = finding.turn;
            return;
        }
        let found =
            CallLoop { id: finding.loop_id, turn: finding.turn, warned, action, outcome: text("outcome") };
        push_bounded(&mut self.loops, found, MAX_LOOPS);
    }

    /// Returns whether the agent was recently warned that this call keeps coming back.
    pub(super) fn has_warned(&self, action: &str, turn: u64) -> bool {
        let recent = |known: &&CallLoop| known.turn.saturating_add(WARNING_TURNS) >= turn;
        self.loops.iter().filter(recent).any(|known| known.warned && known.action == action)
    }

    /// Returns the last known result of a call.
    pub(super) fn result_of(&self, action: &str) -> Option<&str> {
        let known = self.loops.iter().rev().filter(|known| known.action == action);
        known.map(|known| known.outcome.trim()).find(|outcome| !outcome.is_empty())
    }

    /// Records a refusal. Returns the number of refusals of its loop, this one included. Calls of one message are one decision:
    /// the agent could not have read the refusal of the first.
    pub(super) fn add_refusal(&mut self, verdict: &Verdict, batch: Option<&str>) -> u32 {
        let batch = batch.map(key_of);
        let repeats = batch.is_some() && batch == self.refused_batch;
        self.refused_batch = batch;
        if repeats {
            return 1;
        }
        let turn = verdict.turn;
        self.refusals.retain(|known| known.turn.saturating_add(REFUSAL_TURNS) >= turn);
        let mut most = 1;
        for &id in &verdict.sighted {
            let known = self.refusals.iter().position(|known| known.id == id);
            let count = known.map_or(0, |at| self.refusals.remove(at).count).saturating_add(1);
            push_bounded(&mut self.refusals, LoopRefusals { id, turn, count }, MAX_REFUSALS);
            most = most.max(count);
        }
        most
    }

    /// Forgets measures and the end of the run after a message of the user.
    pub(super) fn reset(&mut self) {
        self.refusals.clear();
        self.advised.clear();
        self.refused_batch = None;
        self.stopped = None;
    }
}

/// Appends to a list of bounded length. The oldest entry is removed first.
fn push_bounded<T>(list: &mut Vec<T>, entry: T, limit: usize) {
    if list.len() >= limit {
        list.remove(0);
    }
    list.push(entry);
}
