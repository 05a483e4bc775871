//! Errors of the guards of the service, and the names of their runs.

use std::time::Duration;

use loopbreak_store::StoreError;
use loopbreak_store::service::ServiceRunKey;

use crate::service::IngestError;

/// Time after which a client may try again.
pub(super) const RETRY_TIME: Duration = Duration::from_secs(1);

pub(super) fn run_key(project: &str, run: &str) -> ServiceRunKey {
    ServiceRunKey { project: project.to_owned(), run: run.to_owned() }
}

/// The store cannot be used.
pub(super) fn unavailable(error: &StoreError) -> IngestError {
    IngestError::Unavailable { message: error.to_string(), retry_after: RETRY_TIME }
}

/// The run is not here any more.
pub(super) fn gone() -> IngestError {
    IngestError::Unavailable {
        message: "another server has taken over this run, or it was deleted".to_owned(),
        retry_after: RETRY_TIME,
    }
}
