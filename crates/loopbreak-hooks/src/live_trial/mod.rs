//! A trial with the agent itself: it is started in a temporary home folder and project, against a model on the loopback
//! address that follows a script, with the hooks installed as for a user.
//!
//! The agent has nothing of the user's environment but the PATH: no home folder, no credentials, and no way to other
//! machines for programs that obey the proxy settings. The folder is removed at the end.
//!
//! | module | content |
//! |---|---|
//! | `live_agent`, `agents` | how each agent is pointed at the model, also for `cargo xtask agents` |
//! | `live_session` | the folders and the environment of a session |
//! | `failing_call` | the script: failing commands that are repeated until one is refused |
//! | `trial_process` | the process of the agent, from its start to its end |
//! | `run_trial` | the trial as a whole |

pub mod agents;
mod failing_call;
mod live_agent;
mod live_session;
mod live_trial_error;
mod live_trial_report;
mod run_trial;
mod trial_process;

pub use live_agent::{LiveAgent, LiveFile};
pub use live_session::LiveSession;
pub use live_trial_error::LiveTrialError;
pub use live_trial_report::{LiveTrialEnding, LiveTrialReport};
pub use run_trial::{LiveTrialWatcher, run_live_trial};
