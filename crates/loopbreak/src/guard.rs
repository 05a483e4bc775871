//! The guard: the engine for one run.

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use crate::detectors::stagnation::StagnationPatience;
use crate::detectors::{
    AgentDetectors, DetectorName, ObservationOutput, Pattern, ProposalContext, ProposalFingerprint,
    ProposalReview, RunDetectors, StepContext, WeighedProposal,
};
use crate::event::RunId;
use crate::fingerprint::{ActionKind, ChangeHistory, Fingerprints, NormalizedCall};
use crate::memory::{Key, Lru, Ring, key_of, key_of_parts};
use crate::place::{PlaceMap, PlaceTrail, action_direction};
use crate::policy::{Circumstances, Ledger, Proposal, Ruling, decide, foreseen, rule};
use crate::settings::{Config, Mode, Settings};
use crate::snapshot::SNAPSHOT_BYTES;
use crate::step::{Action, Step};
use crate::text::clip::{clip, clip_escaped};
use crate::text::normalize::normalize_whitespace_case;
use crate::verdict::{StepProgress, Verdict};

/// The name of the agent that a step without one belongs to.
pub const MAIN_AGENT: &str = "main";

/// The detectors that read fingerprints. Stagnation does so where its deadline moves.
const PRINT_READERS: [DetectorName; 7] = [
    DetectorName::Cycle,
    DetectorName::Recurrence,
    DetectorName::Drift,
    DetectorName::FailingTarget,
    DetectorName::Poll,
    DetectorName::Chant,
    DetectorName::Noop,
];

/// How many agents of a run are kept apart; the least recently active goes first.
const AGENTS: usize = 16;
/// How many open objectives a warning lists, and how much of each.
const OBJECTIVES: usize = 5;
const OBJECTIVE_BYTES: usize = 120;
/// How many iterations an escalation tells of, and how much of each.
const ITERATIONS: usize = 5;
const ITERATION_BYTES: usize = 100;
const RUN_BYTES: usize = 200;
/// What agents leave to the map of their snapshot, where it needs so much.
const PLACES_SHARE: usize = 16 * 1024;

/// The engine for one run: takes steps and proposals, gives verdicts and rulings. Pure: it reads no clock, no file and
/// no network, so the same steps always give the same verdicts.
///
/// ```
/// use loopbreak::{Config, Guard, Proposal, Step};
///
/// let mut guard = Guard::new(Config::default());
/// for line in [r#"{"place":"Dam"}"#, r#"{"action":"north","place":"Lobby"}"#, r#"{"action":"south","place":"Dam"}"#,
///              r#"{"action":"north","place":"Lobby"}"#] {
///     let verdict = guard.observe(&Step::from_json(line)?);
///     for advice in &verdict.advice {
///         println!("{}", advice.text);
///     }
/// }
/// // Dam, Lobby, Dam, Lobby: going south again is worth little now.
/// let ruling = guard.weigh(&Proposal::new("south", 0.9));
/// assert!(!ruling.accepted);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Guard {
    config: Config,
    /// The measure for proposals that nobody scored, made when the first of them comes.
    foreseen: OnceLock<Arc<Settings>>,
    state: State,
}

/// Everything a guard remembers. Bounded, whatever the length of the run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct State {
    run: RunId,
    /// The number of the last turn, and how many there were.
    turn: u64,
    turns: u64,
    steps: u64,
    started: Option<i64>,
    now: Option<i64>,
    map: PlaceMap,
    agents: Lru<Agent>,
    detectors: RunDetectors,
    ledger: Ledger,
    effects: ChangeHistory,
    objectives: Vec<String>,
    iterations: Ring<String>,
}

/// What is kept of one agent.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Agent {
    steps: u64,
    trail: PlaceTrail,
    /// The last step was nothing but waiting.
    #[serde(default)]
    waits: bool,
    detectors: AgentDetectors,
}

impl Default for State {
    fn default() -> Self {
        State {
            run: Arc::from(""),
            turn: 0,
            turns: 0,
            steps: 0,
            started: None,
            now: None,
            map: PlaceMap::default(),
            agents: Lru::default(),
            detectors: RunDetectors::default(),
            ledger: Ledger::default(),
            effects: ChangeHistory::default(),
            objectives: Vec::new(),
            iterations: Ring::default(),
        }
    }
}

impl Guard {
    /// A guard for a new run.
    pub fn new(config: Config) -> Self {
        Guard::from_parts(config, State::default())
    }

    /// The same guard, for the run of this id; otherwise the first step that names one does.
    #[must_use]
    pub fn for_run(mut self, run: &str) -> Self {
        self.state.run = clip_escaped(run, RUN_BYTES).into();
        self
    }

    pub(crate) fn from_parts(config: Config, state: State) -> Self {
        Guard { config, foreseen: OnceLock::new(), state }
    }

    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    pub(crate) fn into_state(self) -> State {
        self.state
    }

    /// The settings it works by.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The number of the last turn.
    pub fn turn(&self) -> u64 {
        self.state.turn
    }

    /// Whether the agent was moved on from this task: it is not finished, and not to be taken up again.
    pub fn was_forced(&self, task: &str) -> bool {
        self.state.ledger.is_forced(task)
    }

    /// Takes in a step and says what to do now.
    ///
    /// A step with `critic.score` is weighed first, as a proposal from the place before it, so that a replay of a log
    /// gives what the live run was given.
    pub fn observe(&mut self, step: &Step<'_>) -> Verdict {
        let Guard { config, state, .. } = self;
        let before = state.now;
        let (turn, renumbered) = state.count(step);
        let mut verdict = Verdict { turn, renumbered, ..Verdict::default() };
        if config.mode == Mode::Off {
            return verdict;
        }
        let name = step.agent.as_deref().unwrap_or(MAIN_AGENT);
        let agent_key = key_of(name);

        let weighed = step.action.as_ref().zip(step.critic_score()).map(|(action, base)| {
            let (weighed, ruling) = state.weigh(action, Some(base), turn, agent_key, None, config, config);
            verdict.events.extend(ruling.events.iter().cloned());
            verdict.ruling = Some(ruling);
            weighed
        });

        state.remember(step);
        let State {
            run,
            turns,
            steps,
            started,
            now,
            map,
            agents,
            detectors,
            ledger,
            effects,
            objectives,
            iterations,
            ..
        } = state;
        let agent = agents.touch_or_insert(agent_key, Agent::default);
        agent.steps += 1;
        let history = config.revisit.history.max(config.camping.window) as usize;
        let moved = !step.refused && agent.walk(map, step, turn, history);

        // Fingerprints cost more than all the rest: nobody pays for them who has no use for them.
        let prints = reads_prints(config)
            .then(|| {
                Fingerprints::from_step(step, &config.tables().actions, effects.epoch(), |edit| {
                    effects.is_new(edit)
                })
            })
            .flatten();
        if let Some(prints) = prints.as_ref().filter(|prints| prints.effect) {
            effects.note(prints.call);
        }
        let further = effects.gets_further(step);
        let allowed =
            step.action.as_ref().is_some_and(|action| config.allow.iter().any(|rule| rule.covers(action)));
        let waits = prints.as_ref().is_some_and(|prints| prints.kind == ActionKind::Wait);
        let after_wait = std::mem::replace(&mut agent.waits, waits);
        let context = StepContext {
            step,
            further,
            measured: effects.measures() || agent.trail.here().is_some(),
            scored: effects.measures(),
            after_wait,
            prints: prints.as_ref().filter(|_| !allowed),
            epoch: effects.epoch(),
            tables: config.tables(),
            run,
            turn,
            turns: *turns,
            now: *now,
            started: *started,
            passed: before.zip(step.at).map(|(before, at)| at.0.saturating_sub(before).max(0)),
            agent: name,
            moved,
            trail: &agent.trail,
            map,
            weighed: weighed.as_ref(),
        };
        let mut sink = ObservationOutput {
            reports: Vec::new(),
            events: &mut verdict.events,
            progress: StepProgress::default(),
        };
        detectors.observe(&context, *steps, config, &mut sink);
        agent.detectors.observe(&context, agent.steps, config, &mut sink);
        let ObservationOutput { reports, progress, .. } = sink;
        verdict.progress = progress;

        let user_spoke = step.user.is_some();
        if !reports.is_empty() || user_spoke {
            let exits = agent.trail.here().map_or_else(Vec::new, |here| map.unexplored(here));
            let exits: Vec<String> = exits.into_iter().map(str::to_owned).collect();
            let iterations: Vec<String> = iterations.iter().cloned().collect();
            let circumstances = Circumstances {
                run,
                agent: name,
                turn,
                now: *now,
                step: agent.steps,
                user_spoke,
                objectives,
                exits: &exits,
                repeated: weighed.as_ref().and_then(WeighedProposal::repeated),
                iterations: &iterations,
            };
            decide(reports, &circumstances, ledger, detectors.book(), config, &mut verdict);
        }
        state.fit();
        verdict
    }

    /// Says what a proposal is worth. Changes nothing: ask as often as you like.
    ///
    /// One without a score is judged as if it were made: where the eighth equal call is one too many, the eighth is
    /// refused, not the ninth.
    pub fn weigh(&self, proposal: &Proposal<'_>) -> Ruling {
        let score = proposal.score.filter(|score| score.is_finite());
        let agent = key_of(proposal.agent.as_deref().unwrap_or(MAIN_AGENT));
        let from = proposal.place.as_ref().and_then(PlaceMap::key);
        let turn = self.state.turn.saturating_add(1);
        let limits: &Settings = match score {
            Some(_) => &self.config,
            None => self.foreseen.get_or_init(|| Arc::new(foreseen(&self.config))),
        };
        self.state.weigh(&proposal.action, score, turn, agent, from, limits, &self.config).1
    }
}

impl State {
    /// Counts a step and gives its turn, and whether it had to be counted on because its own was not after the last.
    fn count(&mut self, step: &Step<'_>) -> (u64, bool) {
        if self.steps == 0
            && self.run.is_empty()
            && let Some(run) = &step.run
        {
            self.run = clip_escaped(&run.as_text(), RUN_BYTES).into();
        }
        self.steps += 1;
        if let Some(at) = step.at {
            self.started.get_or_insert(at.0);
            self.now = self.now.max(Some(at.0));
        }
        let next = self.turn.saturating_add(1);
        let turn = step.turn.filter(|turn| *turn >= next).unwrap_or(next);
        let renumbered = step.turn.is_some_and(|named| named != turn);
        if !step.refused {
            self.turn = turn;
            self.turns += 1;
        }
        (turn, renumbered)
    }

    /// What everything but the map and the agents takes in a snapshot, at most.
    fn fixed_bytes(&self, digits: usize) -> usize {
        // Texts are reckoned by what they were cut to: to measure each of them at every step would cost more than the
        // step.
        const NAMES: usize = 320 + RUN_BYTES;
        const ITERATION: usize = ITERATION_BYTES + 3 + "Iteration 18446744073709551615: ".len();
        NAMES
            + 2 * digits
            + self.objectives.len() * (OBJECTIVE_BYTES + 3)
            + self.iterations.len() * ITERATION
            + self.detectors.bytes(digits)
            + self.ledger.bytes(digits)
            + self.effects.bytes(digits)
    }

    /// Makes the guard fit into its snapshot: the agents that were silent longest go first, then the places that were
    /// left longest ago.
    fn fit(&mut self) {
        let digits = self.turn.checked_ilog10().unwrap_or_default() as usize + 1;
        let room = SNAPSHOT_BYTES.saturating_sub(self.fixed_bytes(digits));
        let mut agents: usize = self.agents.iter().map(|(_, agent)| agent.bytes(digits)).sum();
        let places = self.map.bytes().min(PLACES_SHARE);
        while self.agents.len() > AGENTS || (self.agents.len() > 1 && agents + places > room) {
            let Some((_, gone)) = self.agents.pop_oldest() else { break };
            agents = agents.saturating_sub(gone.bytes(digits));
        }
        self.map.fit(room.saturating_sub(agents));
    }

    /// Keeps what later texts will show.
    fn remember(&mut self, step: &Step<'_>) {
        if let Some(objectives) = &step.objectives {
            let open = || {
                let first = objectives.active.iter().take(OBJECTIVES);
                first.map(|objective| clip_escaped(objective, OBJECTIVE_BYTES))
            };
            // Most steps have the same ones as the step before.
            if !open().eq(self.objectives.iter().map(String::as_str)) {
                self.objectives = open().map(str::to_owned).collect();
            }
        }
        if step.action.is_none()
            && let Some(text) = step.outcome.as_ref().and_then(|outcome| outcome.text.as_deref())
        {
            let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            let line = crate::evidence::quoted(clip(line, 2 * ITERATION_BYTES));
            self.iterations.push(
                format!("Iteration {}: {}", self.turn, clip_escaped(&line, ITERATION_BYTES)),
                ITERATIONS,
            );
        }
    }

    #[expect(clippy::too_many_arguments, reason = "a proposal, whose it is, and by what it is judged")]
    fn weigh(
        &self,
        action: &Action<'_>,
        score: Option<f64>,
        turn: u64,
        agent_key: Key,
        from: Option<Key>,
        limits: &Settings,
        config: &Config,
    ) -> (WeighedProposal, Ruling) {
        let base = score.unwrap_or(config.policy.score_max);
        let unknown = Agent::default();
        let agent = self.agents.peek(agent_key).unwrap_or(&unknown);
        let from = from.or_else(|| agent.trail.here());
        let destination =
            from.zip(action_direction(action)).and_then(|(from, way)| self.map.leads_to(from, &way));
        // Whoever can only go one way is not turning in circles by going it.
        let only_way = config.policy.spare_only_way
            && from.zip(destination).is_some_and(|(from, to)| self.map.is_only_way(from, to));
        let destination = destination.filter(|_| !only_way);
        let allowed = only_way || config.allow.iter().any(|rule| rule.covers(action));
        let prints = (!allowed && reads_prints(config)).then(|| ProposalFingerprint {
            agent: agent_key,
            kind: config.tables().actions.kind(action),
            call: NormalizedCall::from_action(action).key,
            epoch: self.effects.epoch(),
            measured: self.effects.measures() || agent.trail.here().is_some(),
        });
        let bid = ProposalContext {
            action,
            turn,
            from,
            destination,
            scored: score.is_some(),
            prints,
            tables: config.tables(),
            allowed,
            trail: &agent.trail,
            map: &self.map,
        };
        let mut review = ProposalReview::new(config.policy.repeat_penalty);
        if config.mode != Mode::Off {
            agent.detectors.weigh(&bid, limits, &mut review);
            self.detectors.weigh(&bid, limits, &mut review);
        }
        let ruling = rule(&self.run, &bid, base, &review, config);
        let weighed = WeighedProposal {
            proposal: key_of_parts(&[
                key_of(&normalize_whitespace_case(&action.line())),
                from.unwrap_or_default(),
            ]),
            base,
            accept_at: config.policy.accept_at,
            rejected: ruling.intervention == Some(crate::verdict::Intervention::Reject),
            review,
        };
        (weighed, ruling)
    }
}

/// Whether any detector reads fingerprints.
fn reads_prints(config: &Config) -> bool {
    let explores = config.stagnation.patience == StagnationPatience::Exploring
        && config.mode_of(DetectorName::Stagnation) != Mode::Off;
    explores || PRINT_READERS.iter().any(|detector| config.mode_of(*detector) != Mode::Off)
}

impl Agent {
    /// What it takes in a snapshot, at most, where a turn takes so many digits.
    fn bytes(&self, digits: usize) -> usize {
        80 + self.trail.bytes(digits) + self.detectors.bytes(digits)
    }

    /// Follows the agent to where the step took it. True if that is another place.
    fn walk(&mut self, map: &mut PlaceMap, step: &Step<'_>, turn: u64, history: usize) -> bool {
        let Some(here) = step.place.as_ref().and_then(|place| map.arrive(place)) else { return false };
        if let (Some(from), Some(way)) = (self.trail.here(), step.action.as_ref().and_then(action_direction))
        {
            map.walked(from, &way, here);
        }
        self.trail.push(here, turn, history)
    }
}

impl WeighedProposal {
    /// The action, where novelty knew it from a moment ago.
    fn repeated(&self) -> Option<String> {
        self.review.hint_of(Pattern::RepeatedAction)?.text("action")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_snapshot_takes_is_never_more_than_what_is_reckoned() {
        let mut guard = Guard::new(Config::default());
        for number in 0..600_u64 {
            let odd = format!("\u{1}\"{}", number % 40);
            let line = serde_json::json!({
                "turn": 1_000_000 * number, "at": number, "run": odd, "agent": format!("a{}", number / 3 % 9),
                "action": if number % 2 == 0 { "north" } else { "south" }, "critic": {"score": 0.9},
                "place": {"name": format!("{}{odd}", number % 2), "exits": [odd]}, "score": 1,
                "objectives": {"active": [odd], "completed": [number.to_string()]},
                "task": {"id": odd, "status": "blocked", "blockers": [odd], "work": [odd], "session": odd},
            });
            let output =
                serde_json::json!({"outcome": {"text": odd, "error": true}, "usage": {"cost_usd": 0.1}});
            for line in [line.to_string(), output.to_string()] {
                guard.observe(&Step::from_json(&line).unwrap());
            }
            let state = guard.state();
            let digits = state.turn.checked_ilog10().unwrap_or_default() as usize + 1;
            let agents = state.agents.iter().map(|(_, agent)| agent.bytes(digits)).sum::<usize>();
            let reckoned = state.fixed_bytes(digits) + agents + state.map.bytes();
            let written = serde_json::to_string(&guard.snapshot()).unwrap().len();
            assert!(written <= reckoned, "{written} bytes, {reckoned} reckoned");
        }
    }
}
