//! Runs the subcommands of `loopbreak config`.

use loopbreak_config::reference::reference_page;
use loopbreak_config::schema;

use super::args::{ConfigArgs, ConfigCommand};
use super::{check, explain, init, trust};
use crate::error::UserError;
use crate::{exit, output};

/// Runs the subcommand.
pub(crate) fn run(args: &ConfigArgs) -> Result<u8, UserError> {
    match &args.command {
        ConfigCommand::Init(args) => init::run(args),
        ConfigCommand::Check(args) => check::run(args),
        ConfigCommand::Explain(args) => explain::run(args),
        ConfigCommand::Get(args) => check::get(args),
        ConfigCommand::Trust(args) => trust::run(args),
        ConfigCommand::Untrust(args) => trust::untrust(args),
        ConfigCommand::Schema(_) => output::print_indented_json(&schema()).map(|()| exit::DONE),
        ConfigCommand::Reference(_) => output::print(&reference_page()).map(|()| exit::DONE),
    }
}
