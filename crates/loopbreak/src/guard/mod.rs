//! The guard: the engine for one run.
//!
//! `observe` takes a step through five stages: it weighs the action if a critic scored it, gathers the facts
//! of the step, passes them to the detectors, lets the policy decide, and keeps the memory within the size of
//! a snapshot. `weigh` judges a proposal and changes nothing.

mod agent_state;
mod observe;
mod state;
mod step_explainer;
mod weigh;

use crate::detectors::SharedSpending;
use crate::detectors::custom::{AddDetectorError, CustomDetector, CustomSlots};
use crate::memory::{HashKey, key_of};
use crate::settings::{Config, Mode, Settings};
use crate::text::clip::clip_escaped;
use crate::verdict::RunStop;

pub(crate) use state::GuardState;
use state::RUN_BYTES;
pub use step_explainer::StepExplainer;

/// The engine for one run: takes steps and proposals, gives verdicts and rulings.
///
/// It reads no clock, no file and no network, so identical steps always give identical verdicts.
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
/// // Dam, Lobby, Dam, Lobby: the score of going south again is lowered.
/// let ruling = guard.weigh(&Proposal::new("south", 0.9));
/// assert!(!ruling.accepted);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Guard {
    config: Config,
    /// The settings if the run is held out, so that it is only observed. Computed when the id of the run is known.
    held_out: Option<Config>,
    state: GuardState,
    /// The detectors of the user.
    custom: CustomSlots,
    /// True if a human spoke in the last step.
    user_spoke: bool,
    /// Money that this run and others have spent, if the adapter knows it. Not part of a snapshot: other runs go on spending.
    shared: Option<SharedSpending>,
}

impl Guard {
    /// Creates a guard for a new run.
    pub fn new(config: Config) -> Self {
        Guard::from_parts(config, GuardState::default(), CustomSlots::default())
    }

    /// Sets the id of the run. Without it, the first step that names a run sets the id.
    #[must_use]
    pub fn for_run(mut self, run: &str) -> Self {
        self.state.run = clip_escaped(run, RUN_BYTES).into();
        self.hold_out();
        self
    }

    pub(crate) fn from_parts(config: Config, state: GuardState, custom: CustomSlots) -> Self {
        let mut guard = Guard { config, held_out: None, state, custom, user_spoke: false, shared: None };
        guard.hold_out();
        guard
    }

    /// Adds a detector of your own. If the guard was restored from a snapshot, the detector continues from its state.
    ///
    /// # Errors
    ///
    /// Returns an error if another detector has the same name, or if the guard already has
    /// [`MAX_CUSTOM_DETECTORS`](crate::detectors::custom::MAX_CUSTOM_DETECTORS).
    pub fn with_detector(mut self, detector: Box<dyn CustomDetector>) -> Result<Self, AddDetectorError> {
        self.custom.add(detector)?;
        Ok(self)
    }

    /// Sets what this run and all others that share its budgets have spent so far. It applies to the next step, and to later
    /// ones with the cost of the steps between them added. The detector `budget` judges it; without it, a run knows only its
    /// own cost.
    pub fn share_spending(&mut self, shared: SharedSpending) {
        self.shared = Some(shared);
    }

    pub(crate) fn state(&self) -> &GuardState {
        &self.state
    }

    pub(crate) fn into_parts(self) -> (GuardState, CustomSlots) {
        (self.state, self.custom)
    }

    /// Returns the detectors of the user.
    pub(crate) fn custom(&self) -> &CustomSlots {
        &self.custom
    }

    /// Returns the settings of the guard.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns whether the run is held out: it is only observed, so that the effect of Loopbreak on the other runs can be
    /// measured (`policy.holdout`).
    pub fn is_held_out(&self) -> bool {
        self.held_out.is_some()
    }

    /// Returns the end of the run that is due. It stays due until the user speaks or the run makes progress.
    pub fn stop_due(&self) -> Option<RunStop> {
        self.state.stop_due
    }

    /// Returns whether a human spoke in the last step. An automatic prompt is not a human's word.
    pub(crate) fn user_spoke(&self) -> bool {
        self.user_spoke
    }

    /// Returns the settings that apply to this run.
    fn active_config(&self) -> &Config {
        self.held_out.as_ref().unwrap_or(&self.config)
    }

    /// Returns these settings as they apply to the run of this guard: if the run is held out, they only observe.
    ///
    /// Verdicts and rulings already take this into account. An adapter that reads `mode` to decide about measures of its
    /// own must read it here, or it would act on a run that is only to be observed.
    #[must_use]
    pub fn applied_config(&self, config: &Config) -> Config {
        if !self.is_held_out() || config.mode != Mode::Enforce {
            return config.clone();
        }
        let settings = Settings { mode: Mode::Observe, ..(**config).clone() };
        Config::new(settings).unwrap_or_else(|_| config.clone())
    }

    /// Decides whether the run is held out, by the hash of its id.
    fn hold_out(&mut self) {
        let share = self.config.policy.holdout;
        if share <= 0.0
            || self.state.run.is_empty()
            || self.held_out.is_some()
            || self.config.mode != Mode::Enforce
        {
            return;
        }
        let drawn = key_of(&self.state.run).0 as f64 / HashKey::MAX.0 as f64;
        if drawn < share {
            let settings = Settings { mode: Mode::Observe, ..(*self.config).clone() };
            self.held_out = Config::new(settings).ok();
        }
    }

    /// Returns the number of the last turn.
    pub fn turn(&self) -> u64 {
        self.state.turn
    }

    /// Returns whether the agent was moved away from this task. The task is not finished, and must not be
    /// started again.
    pub fn was_forced(&self, task: &str) -> bool {
        self.state.ledger.is_forced(task)
    }
}
