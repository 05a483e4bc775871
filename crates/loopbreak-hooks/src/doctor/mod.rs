//! Checks an installation: what the settings of an agent say, and how the hook answers.
//!
//! Settings files may come with a cloned repository. They are read up to a limit, and no command that they name is run:
//! programs are compared by their paths, and only this program is started.
//!
//! | module | content |
//! |---|---|
//! | `checks` | one file per check, and the list of them |
//! | `agents` | what only one agent has: trust, switches, plugins |
//! | `doctor_context`, `hook_installation`, `hook_program` | the facts that checks look at |
//! | `check_finding` | the result of a check |
//! | `hook_check_up` | the whole check-up of one agent, or of all (feature `scripted-model`) |
//! | `simulated_session` | a session that is simulated for the hook of this program |

pub(crate) mod agents;
mod check_finding;
mod checks;
mod doctor_context;
#[cfg(feature = "scripted-model")]
mod hook_check_up;
mod hook_installation;
mod hook_program;
mod installed_plugin;
mod server_check;
mod simulated_session;

pub use check_finding::{CheckFinding, CheckLevel};
pub use checks::run_checks;
pub use doctor_context::DoctorContext;
#[cfg(feature = "scripted-model")]
pub use hook_check_up::{CheckUpError, CheckUpOutcome, HookCheckUp, LiveTrialStarter};
pub use hook_installation::HookInstallation;
pub use hook_program::HookProgram;
pub use installed_plugin::InstalledPlugin;
pub use server_check::check_server;
pub use simulated_session::{TrialAnswers, TrialStep, run_trial};
