//! The user's store, as the commands that read it open it.

use loopbreak_process::SignalError;
use loopbreak_store::{SelectSessionError, Store, StoreError, StoreUrl, default_path, open_existing};

use crate::error::UserError;
use crate::output::printable;

/// Number of runs named in an error.
const NAMED_RUNS: usize = 5;

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
    crate::output::print_message("loopbreak", text);
}

/// Returns the error for a run that is not stored.
pub(crate) fn no_such_run(name: &str) -> UserError {
    SelectSessionError::NotFound { name: name.to_owned(), nearest: None }.into()
}

impl From<SignalError> for UserError {
    fn from(error: SignalError) -> Self {
        UserError { hint: error.hint().map(str::to_owned), ..UserError::failed(error.to_string()) }
    }
}

impl From<StoreError> for UserError {
    fn from(error: StoreError) -> Self {
        UserError::failed(error.to_string())
    }
}

impl From<SelectSessionError> for UserError {
    fn from(error: SelectSessionError) -> Self {
        let hint = match &error {
            SelectSessionError::Ambiguous { runs, .. } => {
                let names: Vec<String> =
                    runs.iter().take(NAMED_RUNS).map(|run| printable(&run.name())).collect();
                format!("name one of them: {}", names.join(", "))
            }
            SelectSessionError::NotFound { nearest: Some(name), .. } => {
                format!("did you mean {}?", printable(name))
            }
            SelectSessionError::Store(error) => return UserError::failed(error.to_string()),
            _ => "`loopbreak status --all` lists the stored runs".to_owned(),
        };
        UserError::usage(error.to_string()).hint(hint)
    }
}
