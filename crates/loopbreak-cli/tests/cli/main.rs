//! Tests of the whole program. Each file is about one command or one guarantee.

#[path = "../../../loopbreak-arena/tests/support/server.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "the tests of the arena use the rest of it, and a test that cannot begin has failed"
)]
mod server;

mod browser;
mod mcp_client;
mod support;

mod advisor;
mod alerts;
mod analyze;
mod analyze_cache;
#[cfg(unix)]
mod analyze_open;
mod arena;
mod autopilot;
mod autopilot_meanwhile;
mod autopilot_reports;
mod bad_input;
#[cfg(unix)]
mod budgets;
mod card;
mod closed_pipes;
mod completions;
mod config;
#[cfg(unix)]
mod dashboard;
mod demo;
mod docs;
#[cfg(unix)]
mod documented_commands;
mod ending;
mod eval;
mod explain;
mod explain_step;
mod figures;
mod first_release;
mod first_signal;
mod formats;
#[cfg(unix)]
mod github_action;
mod golden;
mod guard;
mod held_out_runs;
mod holdout;
mod hook;
mod hook_allow;
mod hook_conversation;
mod hook_discovery;
#[cfg(unix)]
mod hook_doctor;
mod hook_ending;
mod hook_faults;
mod hook_harm;
mod hook_install;
#[cfg(unix)]
mod hook_live;
mod hook_rejected;
mod hook_secrets;
#[cfg(unix)]
mod hook_server;
#[cfg(unix)]
mod hook_waiting;
#[cfg(unix)]
mod install_script;
mod layout;
mod limits;
mod look;
mod mcp;
mod mcp_http;
mod mcp_lines;
mod merge;
mod mode_notes;
#[cfg(unix)]
mod narrow_terminal;
#[cfg(unix)]
mod notify;
mod opencode_database;
mod outputs;
mod page;
mod pages;
#[cfg(target_os = "linux")]
mod pause;
mod pictures;
mod play;
mod play_https;
mod releases;
mod report_overview;
mod report_page;
mod run;
mod run_again;
mod run_killed;
mod seeds;
#[cfg(unix)]
mod serve;
#[cfg(unix)]
mod serve_attacks;
mod serve_description;
mod serve_tls;
mod settings;
mod statusline;
#[cfg(unix)]
mod store_removed;
mod threads;
mod trust;
mod tune;
mod unread_items;
mod versions;
#[cfg(unix)]
mod wait;
mod watch;
mod watch_files;
#[cfg(target_os = "linux")]
mod watch_keys;
mod wrong_usage;
