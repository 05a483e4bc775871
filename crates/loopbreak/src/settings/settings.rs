//! Every option, declared once: its name, default and text. The reference page, the JSON schema and
//! `loopbreak config explain` come from here.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Profile;
use crate::detectors::budget::BudgetSettings;
use crate::detectors::camping::CampingSettings;
use crate::detectors::chant::ChantSettings;
use crate::detectors::cycle::CycleSettings;
use crate::detectors::drift::DriftSettings;
use crate::detectors::errors::ErrorsSettings;
use crate::detectors::failing_target::FailingTargetSettings;
use crate::detectors::noop::NoopSettings;
use crate::detectors::novelty::NoveltySettings;
use crate::detectors::oscillation::OscillationSettings;
use crate::detectors::poll::PollSettings;
use crate::detectors::recurrence::RecurrenceSettings;
use crate::detectors::restart::RestartSettings;
use crate::detectors::revisit::RevisitSettings;
use crate::detectors::signature::SignatureSettings;
use crate::detectors::similarity::SimilaritySettings;
use crate::detectors::stagnation::StagnationSettings;
use crate::detectors::task::TaskSettings;
use crate::fingerprint::ActionSettings;

/// All settings of a guard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The named set of defaults that the other settings start from.
    pub profile: Profile,
    /// Whether the guard acts (`enforce`), only reports (`observe`), or does nothing (`off`).
    pub mode: Mode,
    /// No progress for too long.
    pub stagnation: StagnationSettings,
    /// Back at a place of a moment ago.
    pub revisit: RevisitSettings,
    /// To and fro between two places.
    pub oscillation: OscillationSettings,
    /// Most of the last turns at one place.
    pub camping: CampingSettings,
    /// A proposal that was tried a moment ago, and exits nobody tried.
    pub novelty: NoveltySettings,
    /// A task attempted again and again without headway.
    pub task: TaskSettings,
    /// The same core of an iteration's output again and again.
    pub signature: SignatureSettings,
    /// An iteration's output much like one of the last.
    pub similarity: SimilaritySettings,
    /// Iterations, time and money.
    pub budget: BudgetSettings,
    /// Errors in a row.
    pub errors: ErrorsSettings,
    /// The same actions with the same outcomes, round and round.
    pub cycle: CycleSettings,
    /// The same action with the same outcome again and again, whatever lies between.
    pub recurrence: RecurrenceSettings,
    /// Other arguments, the same failure; the same question in other words.
    pub drift: DriftSettings,
    /// The same thing fails again and again, whatever is tried on it.
    pub failing_target: FailingTargetSettings,
    /// Waiting that waits for nothing.
    pub poll: PollSettings,
    /// A text that repeats itself, or a message that is said again and again.
    pub chant: ChantSettings,
    /// Steps that do nothing.
    pub noop: NoopSettings,
    /// Runs that die young, one after the other, with the same prompt.
    pub restart: RestartSettings,
    /// How tools and commands are understood.
    pub actions: ActionSettings,
    /// What is done about findings.
    pub policy: PolicySettings,
    /// The texts for the agent, the critic and the user.
    pub advice: AdviceSettings,
    /// Figures that reports are computed with.
    pub report: ReportSettings,
    /// Actions that are never a loop.
    pub allow: Vec<AllowRule>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings::of(Profile::default())
    }
}

/// Whether something acts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Computed, reported and acted on.
    #[default]
    Enforce,
    /// Computed and reported with `acted: false`, never acted on.
    Observe,
    /// Not computed.
    Off,
}

/// Which steps a detector of outputs reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OutputScope {
    /// Only steps without an action: the outputs of whole iterations.
    #[default]
    Iterations,
    /// Every step. On tool replies this fires on healthy runs.
    All,
}

/// What is done about a repeated output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OnLoop {
    /// A human is called.
    #[default]
    Escalate,
    /// The run is stopped.
    Stop,
    /// The agent is warned, no more.
    Advise,
}

/// What is done about findings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct PolicySettings {
    /// A proposal is accepted from this adjusted score on.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0, max = 1.0)))]
    pub accept_at: f64,
    /// The lowest score a ruling gives.
    pub score_min: f64,
    /// The highest score a ruling gives.
    pub score_max: f64,
    /// What a proposal loses that would go on with a known loop of actions: the next call of a `cycle`, a call that
    /// keeps coming back (`recurrence`), another try at a `failing_target`. It is taken once, whichever of them object.
    /// A proposal that nobody scored is not taken below `accept_at` by a loop that is only warned of, and loses
    /// everything to one that is hard.
    #[cfg_attr(feature = "schema", schemars(range(min = -1.0, max = 0.0)))]
    pub repeat_penalty: f64,
    /// Whether the only known way out of a place is spared: at a dead end, nobody loses worth for going back. Counts only
    /// where the steps tell of the exits of a place.
    pub spare_only_way: bool,
    /// What is done about a repeated output (`signature`, `similarity`).
    pub on_loop: OnLoop,
    /// Give the standing advice again on every turn, as the documents do, instead of only when something worsens.
    pub repeat_advice: bool,
    /// Which rungs of the ladder are there to be used.
    pub ladder: InterventionLadder,
}

impl Default for PolicySettings {
    fn default() -> Self {
        PolicySettings {
            accept_at: 0.5,
            score_min: 0.0,
            score_max: 1.0,
            repeat_penalty: -0.6,
            spare_only_way: true,
            on_loop: OnLoop::Escalate,
            repeat_advice: false,
            ladder: InterventionLadder::default(),
        }
    }
}

/// The rungs of the ladder, each of which can be switched off; the next milder one takes its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct InterventionLadder {
    /// A word to the agent or the critic.
    pub hint: bool,
    /// A warning to the agent.
    pub warn: bool,
    /// Lower the worth of proposals that go on with a loop.
    pub penalize: bool,
    /// Refuse proposals that fall below `accept_at`.
    pub reject: bool,
    /// Move the agent on to another task.
    pub force_next: bool,
    /// Let the agent remove the blockers of one task.
    pub unblock_authority: bool,
    /// Call a human.
    pub escalate: bool,
    /// End the run.
    pub stop: bool,
}

impl Default for InterventionLadder {
    fn default() -> Self {
        InterventionLadder {
            hint: true,
            warn: true,
            penalize: true,
            reject: true,
            force_next: true,
            unblock_authority: true,
            escalate: true,
            stop: true,
        }
    }
}

/// Which texts are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TemplateSet {
    /// Plain words for any agent.
    #[default]
    Neutral,
    /// The words of the documents about the Zork player.
    Zork,
}

/// The texts for the agent, the critic and the user.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct AdviceSettings {
    /// Which set of texts is used.
    pub templates: TemplateSet,
    /// Texts of your own, by the name of the template they replace. `loopbreak config explain advice.texts` lists
    /// the names and the values each can show.
    pub texts: BTreeMap<String, String>,
}

/// Figures that reports are computed with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ReportSettings {
    /// How many calls of a model one step stands for (a game agent makes 4: agent, critic, extractor, synthesis).
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1000)))]
    pub calls_per_step: u32,
}

impl Default for ReportSettings {
    fn default() -> Self {
        ReportSettings { calls_per_step: 1 }
    }
}

/// Actions that are never a loop. `*` stands for any text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct AllowRule {
    /// The tool's name, or a pattern of it; absent means any.
    pub tool: Option<String>,
    /// A pattern of its arguments, as JSON text; absent means any.
    pub args: Option<String>,
}
