//! `cargo xtask agents`: plays parts with real coding agents, a scripted model and the hooks of Loopbreak.
//!
//! The agents are installed from npm and PyPI. Each session has a home folder and a project of its own, needs no credentials, and
//! talks to a model on the loopback address. What reached the model is read from its requests.
//!
//! | module | content |
//! |---|---|
//! | `agents_arguments`, `run` | the command line, and the chore as a whole |
//! | `programs` | one file per agent: how it is configured, started and given hooks |
//! | `agent_package`, `python_package` | the installation from npm and from PyPI |
//! | `session_setup`, `project_files`, `agent_session` | one session: folders, files, process |
//! | `hook_recorder`, `telemetry_recorder`, `log_trimmer` | recordings |
//! | `session_part`, `part_list`, `part_script` | the parts, and the script that plays one |
//! | `observation` | what reached the model |
//! | `expectation`, `expectation_table` | what is expected |
//! | `session_report`, `played_agent` | what is printed, and the page about all agents |

mod agent_package;
mod agent_session;
mod agents_arguments;
mod expectation;
mod expectation_table;
mod hook_recorder;
mod log_trimmer;
mod observation;
mod part_list;
mod part_script;
mod played_agent;
mod programs;
mod project_files;
mod python_package;
mod run;
mod session_part;
mod session_report;
mod session_setup;
mod telemetry_recorder;

pub(crate) use run::run;
