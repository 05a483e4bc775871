//! Can this program use the store of the user?

use loopbreak_store::{Store, StoreError, StoreUrl, default_path, open_existing};

use crate::doctor::{CheckFinding, DoctorContext};

/// Opens the store as a hook does. The simulated session has a store of its own, so it would not notice.
pub(super) fn check(_: &DoctorContext<'_>) -> Vec<CheckFinding> {
    let Some(path) = default_path(|name| std::env::var_os(name)) else { return Vec::new() };
    let finding = match open_existing(&StoreUrl::from(path.as_path())) {
        Ok(store) => match store.as_deref().and_then(Store::quarantined) {
            None => return Vec::new(),
            Some(moved) => CheckFinding::warning(
                format!("the store was damaged and was moved to {}", moved.display()),
                "a new one was created; nothing else is needed",
            ),
        },
        Err(StoreError::Busy) => CheckFinding::warning(
            format!("another process keeps the store locked: {}", path.display()),
            "hooks queue their steps until it is free",
        ),
        Err(error @ StoreError::TooNew { .. }) => {
            CheckFinding::problem(error.to_string(), format!("the store is {}", path.display()))
        }
        Err(error) => CheckFinding::problem(
            format!("the store cannot be used: {error}"),
            format!("the store is {}", path.display()),
        ),
    };
    vec![finding]
}
