//! The queue of calls. One thread owns the store and handles the calls of all runs in the order of their
//! arrival, so that no call delays other connections.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc as blocking};
use std::thread::JoinHandle;

use loopbreak_client::ServerLink;
use tokio::sync::{mpsc, oneshot};

use super::{ServerState, VisibleRuns};
use crate::mcp::protocol::{McpOptions, ServeError, ToolError};

/// Largest number of waiting calls. A further call gets an error at once. If it waited for room in the queue instead,
/// the order would be lost.
const MAX_WAITING: usize = 4096;

/// A call in the queue.
type QueuedCall = Box<dyn FnOnce(&mut ServerState) + Send>;

/// The queue of calls. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct CallQueue {
    queue: mpsc::UnboundedSender<QueuedCall>,
    waiting: Arc<AtomicUsize>,
}

impl CallQueue {
    /// Opens the store and starts the thread. The thread ends after the last clone of the queue is dropped and all its
    /// calls are done.
    pub(crate) fn open(options: McpOptions) -> Result<(Self, JoinHandle<()>), ServeError> {
        CallQueue::open_asking(options, None)
    }

    /// Does the same for a server that asks a service.
    pub(crate) fn open_asking(
        options: McpOptions,
        link: Option<ServerLink>,
    ) -> Result<(Self, JoinHandle<()>), ServeError> {
        CallQueue::start(options, VisibleRuns::All, link)
    }

    /// Does the same as [`CallQueue::open`] for clients that see only some of the runs.
    pub(crate) fn open_with(
        options: McpOptions,
        visible: VisibleRuns,
    ) -> Result<(Self, JoinHandle<()>), ServeError> {
        CallQueue::start(options, visible, None)
    }

    fn start(
        options: McpOptions,
        visible: VisibleRuns,
        link: Option<ServerLink>,
    ) -> Result<(Self, JoinHandle<()>), ServeError> {
        let (queue, mut calls) = mpsc::unbounded_channel::<QueuedCall>();
        let waiting = Arc::new(AtomicUsize::new(0));
        let started = Arc::clone(&waiting);
        let (opened, result) = blocking::channel();
        let worker = std::thread::Builder::new().name("mcp-calls".to_owned()).spawn(move || {
            let mut state = match ServerState::open_with(options, visible) {
                Ok(state) => state,
                Err(error) => {
                    let _ = opened.send(Err(error));
                    return;
                }
            };
            state.ask_service(link);
            let _ = opened.send(Ok(()));
            while let Some(call) = calls.blocking_recv() {
                started.fetch_sub(1, Ordering::Relaxed);
                // A panic ends only its own call, whose change is not written.
                let _ = catch_unwind(AssertUnwindSafe(|| {
                    state.refresh();
                    call(&mut state);
                }));
            }
        });
        let worker = worker.map_err(ServeError::Thread)?;
        match result.recv() {
            Ok(Ok(())) => Ok((CallQueue { queue, waiting }, worker)),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(ServeError::Gone),
        }
    }

    /// Adds a call that nobody waits for. It is carried out even if many calls are waiting.
    pub(crate) fn post(&self, call: impl FnOnce(&mut ServerState) + Send + 'static) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let _ = self.queue.send(Box::new(call));
    }

    /// Adds a call and waits for its result. Once added, a call is carried out even if its caller is gone.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        call: impl FnOnce(&mut ServerState) -> Result<T, ToolError> + Send + 'static,
    ) -> Result<T, ToolError> {
        let (answer, answered) = oneshot::channel();
        let queued: QueuedCall = Box::new(move |state| {
            let _ = answer.send(call(state));
        });
        let gone = || {
            ToolError::new(
                "The server ended or had an internal error",
                "Continue without the guard and tell the user",
            )
        };
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= MAX_WAITING {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            return Err(ToolError::new(
                "Too many calls are waiting",
                "Wait for the answers before you call again",
            ));
        }
        self.queue.send(queued).map_err(|_| gone())?;
        answered.await.map_err(|_| gone())?
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use loopbreak::Settings;

    use super::*;

    fn options(folder: &tempfile::TempDir) -> McpOptions {
        McpOptions {
            settings: Settings::default(),
            store: folder.path().join("x.db").into(),
            folder: String::new(),
            run: None,
        }
    }

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
    }

    #[test]
    fn calls_are_handled_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let (queue, worker) = CallQueue::open(options(&folder)).unwrap();
        let (sender, done) = blocking::channel();
        block_on(tokio::task::LocalSet::new().run_until(async {
            let calls = (0..2000).map(|number| {
                let (queue, sender) = (queue.clone(), sender.clone());
                let call = move |_: &mut ServerState| sender.send(number).map_err(|_| ToolError::new("", ""));
                tokio::task::spawn_local(async move { queue.run(call).await })
            });
            for call in calls.collect::<Vec<_>>() {
                call.await.unwrap().unwrap();
            }
        }));
        drop((queue, sender));
        worker.join().unwrap();
        assert_eq!(done.iter().collect::<Vec<i32>>(), (0..2000).collect::<Vec<i32>>());
    }

    #[test]
    fn calls_beyond_the_limit_are_refused_and_the_others_are_handled() {
        let folder = tempfile::tempdir().unwrap();
        let (queue, _worker) = CallQueue::open(options(&folder)).unwrap();
        let (open, door) = blocking::channel::<()>();
        let refused = block_on(tokio::task::LocalSet::new().run_until(async {
            let asked = Rc::new(Cell::new(0));
            let first = {
                let queue = queue.clone();
                tokio::task::spawn_local(async move { queue.run(move |_| Ok(door.recv().is_ok())).await })
            };
            let calls: Vec<_> = (0..2 * MAX_WAITING)
                .map(|_| {
                    let (queue, asked) = (queue.clone(), Rc::clone(&asked));
                    tokio::task::spawn_local(async move {
                        asked.set(asked.get() + 1);
                        queue.run(|_| Ok(true)).await
                    })
                })
                .collect();
            // The first call is released when all the others are waiting.
            while asked.get() < 2 * MAX_WAITING {
                tokio::task::yield_now().await;
            }
            open.send(()).unwrap();
            assert_eq!(first.await.unwrap(), Ok(true));
            let mut refused = 0;
            for call in calls {
                refused += usize::from(call.await.unwrap().is_err());
            }
            refused
        }));
        assert!((MAX_WAITING - 1..=MAX_WAITING + 1).contains(&refused), "{refused}");
        assert_eq!(block_on(queue.run(|_| Ok(7))), Ok(7));
    }

    #[test]
    fn a_panic_is_reported_and_the_next_call_is_handled() {
        let folder = tempfile::tempdir().unwrap();
        let (queue, _worker) = CallQueue::open(options(&folder)).unwrap();
        let failed: Result<(), ToolError> = block_on(queue.run(|_| panic!("on purpose")));
        assert!(failed.unwrap_err().text().contains("internal error"));
        assert_eq!(block_on(queue.run(|_| Ok(7))), Ok(7));
    }

    /// Steps were acknowledged into a file that nobody could read any more.
    #[test]
    fn a_store_that_was_deleted_is_created_again_before_the_next_call() {
        let folder = tempfile::tempdir().unwrap();
        let (queue, worker) = CallQueue::open(options(&folder)).unwrap();
        let record = || {
            let step = serde_json::from_value(serde_json::json!({"action": "make"})).unwrap();
            block_on(queue.run(move |state| state.record_step("x", &step).map(|_| ()))).unwrap();
        };
        record();
        std::fs::remove_file(folder.path().join("x.db")).unwrap();
        record();
        drop(queue);
        worker.join().unwrap();
        let store = loopbreak_store::open(&folder.path().join("x.db").into()).unwrap();
        assert_eq!(store.run(&ServerState::key("x")).unwrap().unwrap().events, 1);
    }

    #[test]
    fn a_store_that_cannot_be_opened_is_reported_at_once() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("file"), "").unwrap();
        let store = folder.path().join("file/x.db").into();
        assert!(matches!(
            CallQueue::open(McpOptions { store, ..options(&folder) }),
            Err(ServeError::Store(_))
        ));
    }
}
