//! The arguments of `loopbreak forget`.

use clap::Args;
use loopbreak_server::service::ProjectName;

use crate::service_store_option::ServiceStoreOption;

/// Delete what the service stores of a run.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak forget nightly-17
  loopbreak forget nightly-17 --project web

Deletes its steps, its guard and what only its loops are about. Usage by day
and the audit log keep their figures. The server may run meanwhile.

Exit codes:
  0 deleted; 1 failed; 2 wrong usage, or no such run")]
pub(crate) struct ForgetArgs {
    /// Name of the run
    #[arg(value_name = "RUN")]
    pub(super) run: String,
    /// Project of the run
    #[arg(long, value_name = "NAME", default_value_t)]
    pub(super) project: ProjectName,
    #[command(flatten)]
    pub(super) store: ServiceStoreOption,
}
