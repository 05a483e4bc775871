//! Changes of a run in a store that may turn out to be damaged, moved or removed.

use std::path::PathBuf;

use crate::{RunKey, Store, StoreError};

/// Measure that was taken against damage.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreHealing {
    /// The records of the run could not be used. They were removed, and the run starts over. All other runs are kept.
    RunRestarted {
        /// The damage.
        reason: String,
    },
    /// The store could not be used. It was moved away, and a new one was created.
    PutAside {
        /// New path of the damaged store.
        path: PathBuf,
    },
}

/// Changes a run. If the store reports damage, the change is tried again; if the damage remains, the run starts over; and if that
/// does not help, the store is moved away. Each measure is passed to `report`.
///
/// A lock, a full disk, missing permissions and a store of a later version are returned as errors, and nothing is moved.
pub fn change_with_healing<T, E: From<StoreError>>(
    store: &mut dyn Store,
    run: &RunKey,
    mut change: impl FnMut(&mut dyn Store) -> Result<T, E>,
    store_error: impl Fn(&E) -> Option<&StoreError>,
    mut report: impl FnMut(&StoreHealing),
) -> Result<T, E> {
    let error = match change(store) {
        Err(error) if is_worth_retry(store_error(&error)) => error,
        result => return result,
    };
    let is_replaced = matches!(store_error(&error), Some(StoreError::Replaced));
    if !is_replaced {
        // Another process may have moved the file, or a later version may have changed its tables.
        store.refresh()?;
    }
    let error = match change(store) {
        Err(error) if store_error(&error).is_some_and(StoreError::is_damage) => error,
        result => return result,
    };
    if let Some(StoreError::Inconsistent(reason)) = store_error(&error)
        && store.restart_run(run).is_ok()
    {
        let reason = reason.clone();
        match change(store) {
            Err(error) if store_error(&error).is_some_and(StoreError::is_damage) => {}
            result => {
                report(&StoreHealing::RunRestarted { reason });
                return result;
            }
        }
    }
    store.put_aside()?;
    if let Some(path) = store.quarantined() {
        report(&StoreHealing::PutAside { path: path.to_owned() });
    }
    change(store)
}

fn is_worth_retry(error: Option<&StoreError>) -> bool {
    error.is_some_and(|error| error.is_damage() || matches!(error, StoreError::Replaced))
}
