//! What is put away of a run between two events: the guard, and what was said and refused.

use loopbreak::config::AllowRule;
use loopbreak::evidence::EvidenceKey;
use loopbreak::text::clip::clip;
use loopbreak::{Config, Finding, Guard, Series, SeriesState, Snapshot, Verdict};
use serde::{Deserialize, Serialize};

/// How many loops, refusals, pieces of advice and questions are remembered; the oldest go first.
const LOOPS: usize = 8;
const REFUSALS: usize = 8;
const ADVISED: usize = 8;
const ASKED: usize = 8;
/// How many calls are known by their ids, and how many are allowed.
const CALLS: usize = 32;
const ALLOWED: usize = 16;
/// For how many turns a warning counts. What comes back after longer is not what was warned of.
const LATELY: u64 = 30;
/// How much of a call's id is kept.
const ID_BYTES: usize = 64;
/// How much of the reason for an act is kept.
const REASON_BYTES: usize = 400;
/// For how many turns a refusal is remembered, as the engine does.
const TURNS: u64 = 20;

/// Everything that is put away.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Memory {
    guard: Option<Snapshot>,
    /// The turn the guard is at.
    pub turn: u64,
    /// The loops seen, for those who ask how the run stands.
    pub loops: Vec<Seen>,
    refusals: Vec<Refusal>,
    /// The turns at which the agent was advised.
    advised: Vec<u64>,
    /// The calls a human was asked about.
    asked: Vec<String>,
    /// Up to where the conversation was read, and the last calls that a hook was told of.
    pub mark: Option<Mark>,
    calls: Vec<String>,
    /// The calls that the user allowed in this session.
    pub allowed: Vec<AllowRule>,
    /// Since the user spoke, the agent was told once that it stopped short.
    pub nudged: bool,
    /// The attempts at tasks, where somebody reports them to be asked about later.
    #[serde(skip_serializing_if = "Option::is_none")]
    series: Option<SeriesState>,
    /// They come with times of another clock than ours.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub own_times: bool,
}

/// Up to where the conversation of an agent was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The file.
    pub path: String,
    /// How many bytes of it.
    pub at: u64,
}

/// A loop that was seen.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Seen {
    /// Its name.
    #[serde(rename = "loop")]
    pub id: String,
    /// Who saw it first.
    pub detector: String,
    /// What it is.
    pub pattern: String,
    /// How bad it is: `hint`, `warn`, `hard`.
    pub severity: String,
    /// Since which turn it has been going on.
    pub since: u64,
    /// How often it repeated.
    pub attempt_count: u32,
    /// When it was sighted last, in milliseconds since 1970.
    pub last_attempt: i64,
    /// The turn at which it was sighted last.
    #[serde(default)]
    pub turn: u64,
    /// What was done in it.
    #[serde(default)]
    pub action: String,
    /// What came of it.
    #[serde(default)]
    pub outcome: String,
    /// What the policy did about it last, and why; nothing where nobody was told so yet.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub intervention: String,
    /// Why, in one sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Refusal {
    id: String,
    count: u32,
    turn: u64,
}

impl Memory {
    /// Reads what was put away. What cannot be read is forgotten, which `tell` is told.
    pub fn read(text: Option<&str>, tell: impl FnOnce(&str)) -> Self {
        let Some(text) = text else { return Memory::default() };
        serde_json::from_str(text).unwrap_or_else(|error| {
            tell(&format!("what was kept of this run cannot be read, so it begins anew: {error}"));
            Memory::default()
        })
    }

    /// The guard, as it was put away.
    pub fn guard(&mut self, config: Config, run: &str) -> Result<Guard, String> {
        match self.guard.take() {
            Some(snapshot) => Guard::restore(config, snapshot).map_err(|error| error.to_string()),
            None => Ok(Guard::new(config).for_run(run)),
        }
    }

    /// Whether attempts at tasks were put away.
    pub fn has_series(&self) -> bool {
        self.series.is_some()
    }

    /// The attempts at tasks, as they were put away.
    pub fn series(&mut self, config: Config) -> Series {
        Series::restore(config, self.series.take().unwrap_or_default())
    }

    /// Puts the attempts at tasks away again.
    pub fn keep_series(&mut self, series: &Series) {
        self.series = Some(series.snapshot());
    }

    /// The same as it is, where only what is beside the guard was changed.
    pub fn write_beside(&self) -> Result<String, String> {
        serde_json::to_string(self).map_err(|error| error.to_string())
    }

    /// Everything, with the guard, to be put away.
    pub fn write(&mut self, guard: &Guard) -> Result<String, String> {
        self.turn = guard.turn();
        self.guard = Some(guard.snapshot());
        serde_json::to_string(self).map_err(|error| error.to_string())
    }

    /// Takes note of what was found. Whoever saw a loop first names it; a finding is told once a rung, and in between the
    /// loop is only sighted.
    pub fn note(&mut self, verdict: &Verdict, now: i64) {
        let mut counted: Vec<String> = Vec::new();
        for finding in &verdict.findings {
            let seen = Seen::of(finding, verdict, now);
            match self.loops.iter_mut().find(|known| known.id == seen.id) {
                Some(known) if known.detector == seen.detector => {
                    counted.push(seen.id.clone());
                    *known = seen;
                }
                Some(_) => {}
                None => {
                    counted.push(seen.id.clone());
                    push(&mut self.loops, seen, LOOPS);
                }
            }
        }
        for id in &verdict.sighted {
            let id = id.to_string();
            if counted.contains(&id) {
                continue;
            }
            if let Some(known) = self.loops.iter_mut().find(|known| known.id == id) {
                known.attempt_count = known.attempt_count.saturating_add(1);
                known.last_attempt = now;
                known.turn = verdict.turn;
            }
        }
    }

    /// Whether the agent was told of late that this call keeps coming back.
    pub fn has_warned(&self, action: &str) -> bool {
        let lately = |seen: &&Seen| seen.turn.saturating_add(LATELY) >= self.turn;
        self.loops.iter().filter(lately).any(|seen| seen.action == action && seen.severity != "hint")
    }

    /// The agent was advised at this turn.
    pub fn advised(&mut self, turn: u64) {
        push(&mut self.advised, turn, ADVISED);
    }

    /// Counts the refusals of a proposal, this one among them.
    pub fn refused(&mut self, verdict: &Verdict) -> u32 {
        let turn = verdict.turn;
        self.refusals.retain(|known| known.turn.saturating_add(TURNS) >= turn);
        let mut count = 1;
        for id in &verdict.sighted {
            let id = id.to_string();
            let before = self.refusals.iter().position(|known| known.id == id);
            let before = before.map_or(0, |at| self.refusals.remove(at).count);
            push(&mut self.refusals, Refusal { id, count: before + 1, turn }, REFUSALS);
            count = count.max(before + 1);
        }
        count
    }

    /// A human is asked about a call.
    pub fn asks(&mut self, call: &str) {
        push(&mut self.asked, clip(call, ID_BYTES).to_owned(), ASKED);
    }

    /// Whether a human was asked about a call; asked once, this is forgotten.
    pub fn was_asked(&mut self, call: &str) -> bool {
        let at = self.asked.iter().position(|asked| !call.is_empty() && asked == clip(call, ID_BYTES));
        at.map(|at| self.asked.remove(at)).is_some()
    }

    /// A human spoke: what was said and refused before does not count any more.
    pub fn forgive(&mut self) {
        self.refusals.clear();
        self.advised.clear();
        self.nudged = false;
    }

    /// A hook was told of this call.
    pub fn knows(&mut self, call: &str) {
        if !call.is_empty() && !self.is_known(call) {
            push(&mut self.calls, clip(call, ID_BYTES).to_owned(), CALLS);
        }
    }

    /// Whether a hook was told of this call before.
    pub fn is_known(&self, call: &str) -> bool {
        self.calls.iter().any(|known| known == clip(call, ID_BYTES))
    }

    /// The user allows such calls in this session.
    pub fn allow(&mut self, rule: AllowRule) {
        self.forgive();
        if !self.allowed.contains(&rule) {
            push(&mut self.allowed, rule, ALLOWED);
        }
    }

    /// What was tried against the loop, in words.
    pub fn tried(&self, refusals: u32) -> Option<String> {
        let turns: Vec<String> = self.advised.iter().map(u64::to_string).collect();
        let advice = match turns.as_slice() {
            [] => None,
            [turn] => Some(format!("advice at turn {turn}")),
            turns => Some(format!("advice at turns {}", turns.join(", "))),
        };
        let refused = match refusals {
            0 => None,
            1 => Some("one refusal".to_owned()),
            count => Some(format!("{count} refusals")),
        };
        let tried: Vec<String> = [advice, refused].into_iter().flatten().collect();
        (!tried.is_empty()).then(|| tried.join(", "))
    }
}

impl Seen {
    fn of(finding: &Finding, verdict: &Verdict, now: i64) -> Self {
        let text = |key: EvidenceKey| finding.evidence.text(key).unwrap_or_default().to_owned();
        let act = verdict
            .decisions
            .iter()
            .filter(|act| act.loop_id == finding.loop_id)
            .max_by_key(|act| act.intervention);
        Seen {
            id: finding.loop_id.to_string(),
            detector: finding.detector.to_string(),
            pattern: finding.pattern.to_string(),
            severity: finding.severity.to_string(),
            since: finding.since,
            attempt_count: finding.count,
            last_attempt: now,
            turn: finding.turn,
            action: text(EvidenceKey::ACTION),
            outcome: text(EvidenceKey::OUTCOME),
            intervention: act
                .map(|act| act.intervention)
                .or(finding.intervention)
                .map_or_else(String::new, |intervention| intervention.as_str().to_owned()),
            reason: act.map_or_else(String::new, |act| clip(&act.reason, REASON_BYTES).to_owned()),
        }
    }
}

fn push<T>(kept: &mut Vec<T>, new: T, most: usize) {
    if kept.len() >= most {
        kept.remove(0);
    }
    kept.push(new);
}
