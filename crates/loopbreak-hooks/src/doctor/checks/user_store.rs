//! Can this program use the store of the user?

use std::fs;
use std::io;
use std::path::Path;

use loopbreak_store::{Store, StoreError, StoreUrl, default_path, open_existing};

use crate::doctor::{CheckFinding, DoctorContext};

/// Opens the store as a hook does. The simulated session has a store of its own, so it would not notice.
pub(super) fn check(_: &DoctorContext<'_>) -> Vec<CheckFinding> {
    let Some(path) = default_path(|name| std::env::var_os(name)) else { return Vec::new() };
    let finding = match open_existing(&StoreUrl::from(path.as_path())) {
        Ok(None) => match try_to_create_beside(&path) {
            Ok(()) => return Vec::new(),
            Err(error) => CheckFinding::problem(
                format!("the store cannot be created, so the hooks guard nothing: {error}"),
                format!("the store would be {}", path.display()),
            ),
        },
        Ok(Some(store)) => match Store::quarantined(&*store) {
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

/// Tries whether the first hook can create the folders of the store. Leaves nothing behind.
fn try_to_create_beside(store: &Path) -> io::Result<()> {
    let Some(folder) = store.ancestors().skip(1).find(|folder| folder.exists()) else { return Ok(()) };
    let probe = folder.join(format!(".loopbreak-probe-{}", std::process::id()));
    fs::create_dir(&probe)
        .and_then(|()| fs::remove_dir(&probe))
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", folder.display())))
}
