//! `cargo xtask fleet`: puts `loopbreak serve` under load, injects faults, and checks what is promised about it.
//!
//! - `run`: the chore
//! - `fleet_arguments`: its command line, and the extent of the parts
//! - `parts`: the kinds of load and faults
//! - `fleet_lab`: the surroundings that all parts share
//! - `served_instance`: a running server
//! - `database_cluster`: a `PostgreSQL` server in a folder of its own
//! - `tcp_relay`: a connection that can be delayed, held and cut
//! - `run_script`: the steps of a run
//! - `http_connection`: a connection of a client
//! - `run_traffic`: clients that send the steps of many runs, and send them again after a failure
//! - `step_audit`: compares what is stored with what was acknowledged
//! - `latency_figures`: times of answers
//! - `promise_row`: promises beside what was seen
//! - `store_kind`: the stores

mod database_cluster;
mod fleet_arguments;
mod fleet_lab;
mod http_connection;
mod latency_figures;
mod parts;
mod promise_row;
mod run;
mod run_script;
mod run_traffic;
mod served_instance;
#[cfg(test)]
mod short_form;
mod step_audit;
mod store_kind;
mod tcp_relay;

pub(crate) use run::run;
