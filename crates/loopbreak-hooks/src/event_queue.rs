//! Events that could not be recorded in time. They wait in a folder beside the store, one file each, until the next hook of
//! their run takes them.
//!
//! A file appears under its name only when it is complete, and is removed after its event was recorded. If the process is
//! killed in between, the state of the run still has the id of the event, so it is not recorded a second time.

use std::fs;
use std::hash::{BuildHasher as _, DefaultHasher, Hash, Hasher as _, RandomState};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use loopbreak_store::{RunKey, create_parent_folder, open_regular_file};
use serde::{Deserialize, Serialize};

/// Largest event that is queued, in bytes.
pub(crate) const MAX_EVENT_BYTES: usize = 4 * 1024 * 1024;
/// Number of waiting events of all runs.
const MAX_WAITING: usize = 1_000;
/// Number of bytes of all waiting events.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// An event that waits to be recorded.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct QueuedEvent {
    /// Random id, which the state of the run keeps after the event was recorded.
    pub(crate) id: u64,
    /// Name of the agent.
    pub(crate) agent: String,
    /// Time of the event, in milliseconds since 1970.
    pub(crate) at: i64,
    /// The event, with the keys of Claude Code.
    pub(crate) event: String,
}

/// The queue of one run.
#[derive(Clone, Debug)]
pub(crate) struct EventQueue {
    folder: PathBuf,
    run: String,
}

impl EventQueue {
    /// Returns the queue of a run. Nothing is created.
    pub(crate) fn new(store: &Path, run: &RunKey) -> Self {
        EventQueue { folder: folder(store), run: run_name(run) }
    }

    /// Adds an event.
    pub(crate) fn push(&self, event: &QueuedEvent) -> io::Result<()> {
        let text = serde_json::to_vec(event)?;
        let (count, bytes) = size(&self.folder);
        let is_full = count >= MAX_WAITING || bytes + text.len() as u64 > MAX_BYTES;
        if text.len() > MAX_EVENT_BYTES || is_full {
            return Err(io::Error::new(ErrorKind::StorageFull, "too much is waiting"));
        }
        let name = format!("{}-{:016}-{:016x}", self.run, event.at.max(0), event.id);
        // Another process removes the folder when it is empty.
        for _ in 0..3 {
            create_parent_folder(&self.folder.join(&name)).map_err(io::Error::other)?;
            match self.write(&name, &text) {
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                written => return written,
            }
        }
        Err(ErrorKind::NotFound.into())
    }

    fn write(&self, name: &str, text: &[u8]) -> io::Result<()> {
        // The name of the draft is random, and only the user can read the file.
        let mut draft = tempfile::Builder::new().prefix(".draft-").tempfile_in(&self.folder)?;
        draft.write_all(text)?;
        draft.persist(self.folder.join(name))?;
        Ok(())
    }

    /// Returns the files of the waiting events, in order.
    pub(crate) fn waiting(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return Vec::new() };
        let is_own = |name: &str| name.strip_prefix(&self.run).is_some_and(|rest| rest.starts_with('-'));
        let mut files: Vec<PathBuf> = entries
            .filter_map(Result::ok)
            .filter(|entry| entry.file_name().to_str().is_some_and(is_own))
            .map(|entry| entry.path())
            .collect();
        files.sort();
        files
    }

    /// Reads a waiting event. Returns `None` if another process has taken it, or if it cannot be read.
    pub(crate) fn read(file: &Path) -> Option<QueuedEvent> {
        let mut bytes = Vec::new();
        open_regular_file(file).ok()?.take(MAX_EVENT_BYTES as u64 * 2).read_to_end(&mut bytes).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Removes an event that was recorded. Returns whether it is gone.
    pub(crate) fn remove(&self, file: &Path) -> bool {
        let gone = match fs::remove_file(file) {
            Ok(()) => true,
            Err(error) => error.kind() == ErrorKind::NotFound,
        };
        // Fails unless it was the last one. Hooks look no further if there is no folder.
        let _ = fs::remove_dir(&self.folder);
        gone
    }
}

/// Returns the number of events that wait beside a store.
pub fn waiting_events(store: &Path) -> usize {
    size(&folder(store)).0
}

fn folder(store: &Path) -> PathBuf {
    let mut name = store.as_os_str().to_owned();
    name.push("-queue");
    name.into()
}

/// Returns the number of files and their bytes.
fn size(folder: &Path) -> (usize, u64) {
    let Ok(entries) = fs::read_dir(folder) else { return (0, 0) };
    let sizes = entries.filter_map(|entry| entry.ok()?.metadata().ok()).map(|metadata| metadata.len());
    sizes.fold((0, 0), |(count, bytes), length| (count + 1, bytes + length))
}

/// Returns a file name for any names of a run.
pub(crate) fn run_name(run: &RunKey) -> String {
    let mut hash = DefaultHasher::new();
    run.hash(&mut hash);
    format!("{:016x}", hash.finish())
}

/// Returns an id that no other event has.
pub(crate) fn random_id() -> u64 {
    // The keys of the standard hasher are random numbers of the system.
    RandomState::new().hash_one(std::process::id())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(session: &str) -> RunKey {
        RunKey { source: "codex".into(), session: session.into(), agent: String::new() }
    }

    fn event(at: i64) -> QueuedEvent {
        let event = format!("{{\"at\":{at}}}");
        QueuedEvent { id: random_id(), agent: "codex".into(), at, event }
    }

    #[test]
    fn events_of_a_run_wait_in_order_and_apart_from_those_of_others() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("loopbreak.db");
        let (queue, other) = (EventQueue::new(&store, &key("a")), EventQueue::new(&store, &key("b")));
        assert!(queue.waiting().is_empty());
        for at in [30, 4, 200] {
            queue.push(&event(at)).unwrap();
        }
        other.push(&event(5)).unwrap();
        let times = |queue: &EventQueue| -> Vec<i64> {
            queue.waiting().iter().map(|file| EventQueue::read(file).unwrap().at).collect()
        };
        assert_eq!((times(&queue), times(&other), waiting_events(&store)), (vec![4, 30, 200], vec![5], 4));
        for file in queue.waiting().iter().chain(&other.waiting()) {
            assert!(queue.remove(file));
        }
        assert!(!super::folder(&store).exists());
    }

    #[test]
    fn the_queue_is_bounded_and_a_very_large_event_is_not_queued() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("loopbreak.db");
        let queue = EventQueue::new(&store, &key("a"));
        let large = "x".repeat(MAX_EVENT_BYTES);
        assert!(queue.push(&QueuedEvent { event: large, ..event(1) }).is_err());
        for at in 0..1_100 {
            let _ = queue.push(&event(at));
        }
        assert_eq!(waiting_events(&store), MAX_WAITING);
    }
}
