//! Search for thresholds: other settings on the same runs, judged on held-out runs.

mod budget;
mod choice;
mod kept_run;
mod outcome_totals;
mod read_runs;
mod search;
mod space;
mod state_file;
mod trials;
mod tune_result;

pub use budget::TuneBudget;
pub use choice::{FinishedTrial, FrontierPoint, TuneChoice, choose};
pub use kept_run::{KeptRun, replay};
pub use outcome_totals::{OutcomeTotals, RunOutcome};
pub use read_runs::{MAX_STEP_BYTES, TooManySteps, read_runs};
pub use search::{SearchControl, SearchOutcome, prune, search};
pub use space::{OptionChange, TuneDimension, changed, shown, space, value_of, with_patience};
pub use state_file::{StateFile, StateFileError, TuneSubject};
pub use trials::{SettingsTrial, TrialGenerator};
pub use tune_result::{SCHEMA, TuneResult};
