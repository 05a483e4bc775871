//! The files of a store are readable for their user only: they hold the actions of agents.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use loopbreak_store::{RunChange, RunEvent, RunKey, StepEvent, StoreError, StoreUrl, open};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn record(path: &Path) -> Result<(), StoreError> {
    let key = RunKey { source: "x".into(), session: "s".into(), agent: String::new() };
    let mut store = open(&StoreUrl::from(path))?;
    let step: RunChange = RunEvent::Step(StepEvent::default()).into();
    store.begin(&key, "", 1)?.commit(step)
}

/// The folder existed before, so its mode is not the one that Loopbreak would have given it.
#[test]
fn a_store_in_a_folder_that_others_can_read_is_private() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("loopbreak");
    fs::create_dir(&folder).unwrap();
    set_mode(&folder, 0o755);
    let path = folder.join("loopbreak.db");
    record(&path).unwrap();
    assert_eq!(mode(&folder), 0o700);
    let files: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() >= 3, "{files:?}");
    for file in &files {
        assert_eq!(mode(file), 0o600, "{}", file.display());
    }
    for file in &files {
        set_mode(file, 0o644);
    }
    record(&path).unwrap();
    for file in &files {
        assert_eq!(mode(file), 0o600, "{}", file.display());
    }
}

/// A folder that somebody chose for other files as well keeps its mode.
#[test]
fn a_folder_with_another_name_keeps_its_mode() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("shared");
    fs::create_dir(&folder).unwrap();
    set_mode(&folder, 0o755);
    record(&folder.join("x.db")).unwrap();
    assert_eq!((mode(&folder), mode(&folder.join("x.db"))), (0o755, 0o600));
}

#[test]
fn a_folder_or_a_file_of_another_user_is_refused() {
    let parent = tempfile::tempdir().unwrap();
    for name in ["loopbreak", "loopbreak/loopbreak.db"] {
        let path = parent.path().join("loopbreak/loopbreak.db");
        record(&path).unwrap();
        let foreign = parent.path().join(name);
        if std::os::unix::fs::chown(&foreign, Some(65534), None).is_err() {
            // Only root can give a file away.
            return;
        }
        let error = record(&path).unwrap_err();
        assert!(matches!(error, StoreError::ForeignOwner { .. }), "{name}: {error}");
        assert!(error.to_string().contains("belongs to another user"), "{error}");
        fs::remove_dir_all(parent.path().join("loopbreak")).unwrap();
    }
}
