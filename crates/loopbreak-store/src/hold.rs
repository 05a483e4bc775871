//! A run belongs to one process at a time: whoever goes on with it holds it, and lets go of it by ending, however it ends.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use crate::damage::beside;
use crate::{RunKey, StoreError};

/// A run that this process holds. It is let go of when this is dropped, and by the system when the process is gone.
#[derive(Debug)]
pub struct Hold {
    path: PathBuf,
    // The lock is on the open file.
    _file: File,
}

impl Hold {
    /// Takes hold of a run of the store at this path; nothing where another process holds it.
    pub fn take(store: &Path, run: &RunKey) -> Result<Option<Self>, StoreError> {
        let folder = beside(store, "-held");
        let path = folder.join(name(run));
        let failed = |error| StoreError::File { path: path.display().to_string(), error };
        crate::make_folder(&path)?;
        loop {
            let file = File::create(&path).map_err(failed)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
            // Whoever held it before may have removed the file after it was opened here: then it is locked for nobody.
            if is_there(&file, &path) {
                return Ok(Some(Hold { path, _file: file }));
            }
        }
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        // A file that is left costs nothing: the next one takes it over.
        let _ = fs::remove_file(&self.path);
    }
}

/// A name for the file, whatever the names of the run are.
fn name(run: &RunKey) -> String {
    let RunKey { source, session, agent } = run;
    let safe = |text: &str| -> String {
        text.bytes()
            .take(60)
            .map(|byte| if byte.is_ascii_alphanumeric() { char::from(byte) } else { '_' })
            .collect()
    };
    format!("{}-{}-{}", safe(source), safe(session), safe(agent))
}

#[cfg(unix)]
fn is_there(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let same = |a: &fs::Metadata, b: &fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
    matches!((file.metadata(), fs::metadata(path)), (Ok(open), Ok(named)) if same(&open, &named))
}

#[cfg(not(unix))]
fn is_there(_: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_held_by_one_and_then_by_the_next() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("loopbreak.db");
        let key =
            |session: &str| RunKey { source: "run".into(), session: session.into(), agent: String::new() };
        let first = Hold::take(&store, &key("a/../b")).unwrap();
        assert!(first.is_some());
        assert!(Hold::take(&store, &key("a/../b")).unwrap().is_none());
        assert!(Hold::take(&store, &key("other")).unwrap().is_some());
        drop(first);
        assert!(Hold::take(&store, &key("a/../b")).unwrap().is_some());
        let left = fs::read_dir(folder.path().join("loopbreak.db-held")).unwrap().count();
        assert_eq!(left, 0, "nothing is left behind");
    }
}
