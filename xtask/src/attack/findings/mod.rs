//! The attacks, by finding.

mod attack_finding;
mod endless_files;
mod guard_voice;
mod huge_logs;
mod killed_runner;
mod lost_stores;
mod many_clients;
mod mcp_lines;
mod other_users;
mod planted_files;
mod secret_shapes;
mod slow_ends;
mod small_remarks;
mod supply_chain;
mod untried;
mod waiting_hooks;
mod watched_logs;

pub(super) use attack_finding::{AttackFinding, FINDINGS};
