//! Deletes what the service stores of a run.

use loopbreak_store::now;
use loopbreak_store::service::{AuditRecord, ServiceRunKey};

use super::args::ForgetArgs;
use crate::error::UserError;
use crate::output::printable;
use crate::service_store_option::open_service;
use crate::{exit, output};

pub(crate) fn run(args: &ForgetArgs) -> Result<u8, UserError> {
    let store = open_service(&args.store)?;
    let key = ServiceRunKey { project: args.project.to_string(), run: args.run.clone() };
    let name = printable(&args.run);
    if !store.forget(&key)? {
        return Err(UserError::usage(format!("no run {name:?} in the project {}", args.project))
            .hint("`loopbreak status` and `loopbreak log` show the runs of hooks, which this command does not delete"));
    }
    store.audit(&AuditRecord {
        at: now(),
        project: key.project,
        actor: "local".to_owned(),
        action: "run.forget".to_owned(),
        subject: key.run,
        ..AuditRecord::default()
    })?;
    output::print(&format!("deleted {name}\n"))?;
    Ok(exit::DONE)
}
