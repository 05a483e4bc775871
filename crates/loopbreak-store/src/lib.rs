//! Storage between processes for Loopbreak: runs, the state of their guards, events, tasks, attempts, context
//! entries and recoveries.
//!
//! [`open`] returns a [`Store`] for a [`StoreUrl`]; the trait hides which database is behind it. The store decides
//! nothing: a caller reads the state of a run in a [`RunTransaction`], shows a step to the engine, and commits a
//! [`RunChange`].
//!
//! - [`RunState`] is the state of a run between two steps, [`RunEvent`] an entry of its log, [`RunRecords`]
//!   the records of its verdicts, [`RunStatus`] a summary of the run, [`HoldoutRecord`] its part in a comparison.
//! - [`RoadmapRun`] changes the tasks of a run, [`RefusedCall`] allows a call that was refused.
//! - [`StepOutbox`] keeps steps that have to be sent to a server, [`mask_step`] removes the secrets from them.
//! - [`tasks`] selects the next task of a roadmap and applies reports and recoveries. It is pure.
//!
//! ```
//! use loopbreak::{Action, Config, Step};
//! use loopbreak_store::{RunChange, RunEvent, RunKey, RunState, StepEvent, StoreUrl, now, open};
//!
//! # let folder = tempfile::tempdir()?;
//! let mut store = open(&StoreUrl::from(folder.path().join("loopbreak.db")))?;
//! let key = RunKey { source: "my-agent".into(), session: "job-1".into(), agent: String::new() };
//!
//! let transaction = store.begin(&key, "/project", now())?;
//! let mut state = RunState::parse(transaction.state(), |warning| eprintln!("{warning}"));
//! let mut guard = state.guard.restore(Config::default(), &key.session)?;
//! let step = Step { action: Some(Action::new("make test")), ..Step::default() };
//! let verdict = guard.observe(&step);
//! state.guard.note_findings(&verdict, now());
//! state.guard.save(&guard);
//! let event = StepEvent::default().with_action(&Action::new("make test")).with_verdict((&verdict).into());
//! transaction.commit(RunChange { state: Some(state.into_json()?), ..RunEvent::Step(event).into() })?;
//!
//! assert_eq!(store.runs(0, 10)?[0].events, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod atomic_file;
mod backend;
mod clock;
mod event;
mod healing;
mod holdout_record;
mod location;
mod mask_step;
mod private_file;
mod records;
mod refused_call;
mod roadmap_run;
mod run;
mod run_lock;
mod run_measures;
mod run_status;
mod select_session;
pub mod service;
mod session_cost;
mod sqlite;
mod state;
mod step_outbox;
mod store;
mod store_error;
mod store_options;
mod store_url;
pub mod tasks;

pub use atomic_file::{
    replace_with_empty_file, write_copy_atomically, write_file_atomically, write_private_file_atomically,
};
pub use backend::{open, open_existing, open_with, read_existing, repair};
pub use clock::now;
pub use event::*;
pub use healing::{StoreHealing, change_with_healing};
pub use holdout_record::HoldoutRecord;
pub use location::{create_parent_folder, default_path};
pub use mask_step::mask_step;
pub use private_file::{open_own_file, open_private_file, open_regular_file};
pub use records::{
    RunRecords, StoredAttempt, StoredContextEntry, StoredRecovery, StoredTask, redact_and_truncate,
};
pub use refused_call::{AllowCallError, RefusedCall};
pub use roadmap_run::{RoadmapRun, RoadmapRunError, StoredTaskHistory};
pub use run::{Run, RunChange, RunKey};
pub use run_lock::RunLock;
pub use run_measures::{EventCount, LoopMeasures, RunMeasures};
pub use run_status::{
    IDLE_MS, LIVE_MS, LoopStatus, MeasuredLoop, RunPhase, RunStatus, StatusSummary, StatusTimes,
    TaskLoopStatus,
};
pub use select_session::{SelectSessionError, select_session};
pub use session_cost::SessionCost;
pub use state::*;
pub use step_outbox::{MAX_UNSENT_STEPS, NewUnsentStep, OutboxState, ServerBackoff, StepOutbox, UnsentStep};
pub use store::{RunTransaction, Store};
pub use store_error::StoreError;
pub use store_options::{StoreLimits, StoreOptions};
pub use store_url::{StoreUrl, StoreUrlError};
