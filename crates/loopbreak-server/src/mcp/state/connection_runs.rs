//! The runs that a connection records. When the connection ends, so do they, unless another connection records them too.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use loopbreak_store::ConnectionEnd;

use super::{CallQueue, ServerState};

/// Largest number of runs of one connection whose end is recorded.
const MAX_RUNS: usize = 1000;

/// Kind of a connection, which tells why it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConnectionKind {
    /// A pair of streams.
    Streams,
    /// An HTTP session, which expires if it is idle for this long.
    HttpSession(Duration),
}

/// The runs that a connection records. Dropping it records their end.
#[derive(Debug)]
pub(crate) struct ConnectionRuns {
    queue: CallQueue,
    kind: ConnectionKind,
    /// The server was asked to end.
    stopping: Arc<AtomicBool>,
    used: Mutex<UsedRuns>,
}

#[derive(Debug)]
struct UsedRuns {
    runs: BTreeSet<String>,
    last_call: Instant,
}

impl ConnectionRuns {
    pub(crate) fn new(queue: CallQueue, kind: ConnectionKind, stopping: Arc<AtomicBool>) -> Self {
        let used = UsedRuns { runs: BTreeSet::new(), last_call: Instant::now() };
        ConnectionRuns { queue, kind, stopping, used: Mutex::new(used) }
    }

    /// Returns a new connection to the same server.
    pub(crate) fn connect(&self) -> Self {
        ConnectionRuns::new(self.queue.clone(), self.kind, Arc::clone(&self.stopping))
    }

    /// Returns the mark that is set when the server is asked to end.
    pub(crate) fn stopping(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stopping)
    }

    /// Records that the client made a call.
    pub(crate) fn touch(&self) {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).last_call = Instant::now();
    }

    /// Remembers a run that the connection recorded something in.
    pub(crate) fn add(&self, state: &mut ServerState, run: &str) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if used.runs.len() < MAX_RUNS && used.runs.insert(run.to_owned()) {
            state.open_run(run);
        }
    }
}

impl Drop for ConnectionRuns {
    fn drop(&mut self) {
        let used = self.used.get_mut().unwrap_or_else(PoisonError::into_inner);
        let runs = std::mem::take(&mut used.runs);
        if runs.is_empty() {
            return;
        }
        let reason = match self.kind {
            _ if self.stopping.load(Ordering::Relaxed) => ConnectionEnd::ServerStopped,
            ConnectionKind::Streams => ConnectionEnd::ClientLeft,
            ConnectionKind::HttpSession(idle) if used.last_call.elapsed() >= idle => {
                ConnectionEnd::SessionExpired
            }
            ConnectionKind::HttpSession(_) => ConnectionEnd::SessionClosed,
        };
        self.queue.post(move |state| runs.iter().for_each(|run| state.close_run(run, reason)));
    }
}

#[cfg(test)]
mod tests {
    use loopbreak::Settings;
    use loopbreak_store::{RunEvent, Store, open};
    use serde_json::json;

    use super::*;
    use crate::mcp::protocol::McpOptions;

    /// Records a step of a run over a connection.
    fn record(queue: &CallQueue, connection: &Arc<ConnectionRuns>, run: &'static str) {
        let connection = Arc::clone(connection);
        queue.post(move |state| {
            let step = serde_json::from_value(json!({"action": "make", "outcome": "ok"})).unwrap();
            state.record_step(run, &step).unwrap();
            connection.add(state, run);
        });
    }

    /// Lets connections record runs and end, and returns the store after it.
    fn play(act: impl FnOnce(&CallQueue)) -> (tempfile::TempDir, Box<dyn Store>) {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("x.db");
        let options = McpOptions {
            settings: Settings::default(),
            store: store.clone().into(),
            folder: String::new(),
            run: None,
        };
        let (queue, worker) = CallQueue::open(options).unwrap();
        act(&queue);
        drop(queue);
        worker.join().unwrap();
        let store = open(&store.into()).unwrap();
        (folder, store)
    }

    fn connect(queue: &CallQueue, kind: ConnectionKind) -> Arc<ConnectionRuns> {
        Arc::new(ConnectionRuns::new(queue.clone(), kind, Arc::default()))
    }

    fn end_of(store: &dyn Store, run: &str) -> Option<ConnectionEnd> {
        let run = store.run(&ServerState::key(run)).unwrap().unwrap();
        let end = store.last_event(&run, "end").unwrap().map(|stored| stored.event);
        assert_eq!(run.ended.is_some(), end.is_some());
        match end? {
            RunEvent::End(end) => end.reason,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_runs_of_a_connection_end_with_it_and_say_why() {
        let (_folder, store) = play(|queue| {
            let stopping = connect(queue, ConnectionKind::Streams);
            record(queue, &connect(queue, ConnectionKind::Streams), "left");
            record(queue, &connect(queue, ConnectionKind::HttpSession(Duration::from_mins(1))), "closed");
            record(queue, &connect(queue, ConnectionKind::HttpSession(Duration::ZERO)), "expired");
            record(queue, &stopping, "stopped");
            stopping.stopping().store(true, Ordering::Relaxed);
        });
        for (run, reason) in [
            ("left", ConnectionEnd::ClientLeft),
            ("closed", ConnectionEnd::SessionClosed),
            ("expired", ConnectionEnd::SessionExpired),
            ("stopped", ConnectionEnd::ServerStopped),
        ] {
            assert_eq!(end_of(&*store, run), Some(reason), "{run}");
        }
    }

    #[test]
    fn a_run_ends_with_the_last_connection_that_records_it_and_can_be_resumed() {
        let (sender, seen) = std::sync::mpsc::channel();
        let (_folder, store) = play(|queue| {
            let look = || {
                let sender = sender.clone();
                queue.post(move |state| {
                    let has_ended = |run: &str| state.find(run).unwrap().ended.is_some();
                    sender.send((has_ended("shared"), has_ended("own"))).unwrap();
                });
            };
            let connect = || connect(queue, ConnectionKind::Streams);
            let (one, other) = (connect(), connect());
            record(queue, &one, "shared");
            record(queue, &one, "own");
            record(queue, &other, "shared");
            // All calls of the first connection are done before it ends.
            let (done, wait) = std::sync::mpsc::channel();
            queue.post(move |_| done.send(()).unwrap());
            wait.recv().unwrap();
            look();
            drop(one);
            look();
            // The same name again is the same run, which is running again.
            record(queue, &other, "own");
            look();
        });
        drop(sender);
        assert_eq!(seen.iter().collect::<Vec<_>>(), [(false, false), (false, true), (false, false)]);
        assert_eq!(end_of(&*store, "shared"), Some(ConnectionEnd::ClientLeft));
        assert_eq!(end_of(&*store, "own"), Some(ConnectionEnd::ClientLeft));
    }
}
