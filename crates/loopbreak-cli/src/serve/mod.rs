//! `loopbreak serve`: starts the service.

mod args;
mod command;

pub(crate) use args::{ServeArgs, ServiceStoreOption};
pub(crate) use command::{open_service, run};
