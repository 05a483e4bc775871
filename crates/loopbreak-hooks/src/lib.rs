//! Hooks of coding agents: a guard that is asked before and after each tool call.
//!
//! [`answer`] reads an event of a [`HookAgent`], shows it to the guard of the run, and returns the response in the form
//! that the agent expects. It does not fail: if something goes wrong there is no response, so the agent continues, and
//! the reason goes to the caller's `warn` and to the error log.
//!
//! | module | content |
//! |---|---|
//! | [`agents`] | one file per agent |
//! | `handlers` | one file per kind of event |
//! | `hook_request`, `hook_transaction` | an event with its settings, and the run while the event is handled |
//! | `hook_event`, `raw_event`, `tool_outcome`, `transcript`, `part_reader` | parsing of events, tool responses and transcripts |
//! | `hook_budget`, `hook_watch` | the time that a hook may take, and its end if it takes longer |
//! | `event_queue`, `store_trouble` | steps that wait for a store that was locked, and what is remembered about it |
//! | `server_exchange`, `server_decision` | the question to a service, the steps sent to it, and what it decides |
//! | `own_files` | refusal of calls that would change the guard itself |
//! | `session_notice` | what the user should know about the guard, once per session |
//! | `detect_agent` | the agent that sent an event |
//! | [`install`] | the settings files of agents |
//! | [`doctor`], [`error_log`] | checks of the installed hook, and the errors of past events |
//! | [`demo`] | a recorded agent that gets stuck, played through the hooks |
//! | [`status_line`] | one line about a session, for the status line of Claude Code |
//! | [`guard_text`] | the texts of the guard in what reached a model |
//! | `live_trial` | a trial with the agent itself and a model that follows a script (feature `scripted-model`) |
//! | `scripted_model` | a model that follows a script, for tests with real agents (feature `scripted-model`) |

pub mod agents;
mod answer_event;
mod bounded_file;
pub mod demo;
mod detect_agent;
pub mod doctor;
pub mod error_log;
mod event_queue;
mod event_recorder;
mod guard_config;
pub mod guard_text;
mod handlers;
mod hook_agent;
mod hook_budget;
mod hook_environment;
mod hook_error;
mod hook_event;
mod hook_event_kind;
mod hook_request;
mod hook_response;
mod hook_transaction;
mod hook_troubles;
mod hook_watch;
pub mod install;
mod limited_process;
#[cfg(feature = "scripted-model")]
pub mod live_trial;
mod own_files;
mod part_reader;
mod raw_event;

#[cfg(feature = "scripted-model")]
pub mod scripted_model;
mod server_decision;
mod server_exchange;
mod session_notice;
pub mod status_line;
mod store_trouble;
mod temporary_folder;
mod tool_outcome;
mod transcript;
mod transcript_costs;

pub use answer_event::answer;
pub use event_queue::waiting_events;
pub use hook_agent::{HookAgent, UnknownAgent};
pub use hook_budget::{HookLimit, MESSAGE_TIME, WHOLE_TIME};
pub use hook_environment::{HookEnvironment, HookSettings, ServerConnector};
pub use hook_event_kind::HookEventKind;
pub use hook_troubles::HookTroubles;
