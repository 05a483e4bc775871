//! The user's store, as the commands that read it open it.

use loopbreak_store::{Run, Store, StoreError, StoreUrl, default_path, open_existing};

use crate::error::UserError;
use crate::output::printable;

/// Returns the address of the user's store.
pub(crate) fn user_store() -> Result<StoreUrl, UserError> {
    let path = default_path(|name| std::env::var_os(name));
    path.map(StoreUrl::from)
        .ok_or_else(|| UserError::failed("no folder found for the store").hint("set XDG_STATE_HOME or HOME"))
}

/// Opens the user's store. Returns `None` if there is none yet: reading does not create it.
pub(crate) fn open_user_store() -> Result<Option<Box<dyn Store>>, UserError> {
    let store = open_existing(&user_store()?)?;
    if let Some(path) = store.as_deref().and_then(Store::quarantined) {
        warn(&format!("the store was damaged and was moved to {}", path.display()));
    }
    Ok(store)
}

/// Prints a warning about the store on stderr.
pub(crate) fn warn(text: &str) {
    anstream::eprintln!("loopbreak: {text}");
}

/// Returns the name of a run for people: the session, and the subagent if it is one.
pub(crate) fn run_name(run: &Run) -> String {
    let session = printable(&run.session);
    if run.agent.is_empty() { session } else { format!("{session} {}", printable(&run.agent)) }
}

impl From<StoreError> for UserError {
    fn from(error: StoreError) -> Self {
        UserError::failed(error.to_string())
    }
}
