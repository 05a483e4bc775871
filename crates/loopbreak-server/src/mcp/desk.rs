//! The order of things. All that is asked and told goes through one queue to one thread, which has the store for itself:
//! what came first is done first, whatever runs it is about, and no call holds up the connections of others.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc as blocking};
use std::thread::JoinHandle;

use tokio::sync::{mpsc, oneshot};

use super::fault::Fault;
use super::place::Place;
use super::server::{Options, ServeError};

/// How many calls wait at most. Whoever comes then is told so at once: to let it wait outside would be to lose the order,
/// for those who wait for room in a queue are not let in as they came.
const WAITING: usize = 4096;

type Job = Box<dyn FnOnce(&mut Place) + Send>;

/// Where calls are handed in. Clones hand in to the same queue.
#[derive(Clone, Debug)]
pub(crate) struct Desk {
    queue: mpsc::UnboundedSender<Job>,
    waiting: Arc<AtomicUsize>,
}

impl Desk {
    /// Opens the store and begins to work. The thread ends when the last clone of the desk is gone, after all that was
    /// handed in is done.
    pub(crate) fn open(options: Options) -> Result<(Self, JoinHandle<()>), ServeError> {
        let (queue, mut jobs) = mpsc::unbounded_channel::<Job>();
        let waiting = Arc::new(AtomicUsize::new(0));
        let begun = Arc::clone(&waiting);
        let (opened, result) = blocking::channel();
        let worker = std::thread::Builder::new().name("desk".to_owned()).spawn(move || {
            let mut place = match Place::open(options) {
                Ok(place) => place,
                Err(error) => {
                    let _ = opened.send(Err(error));
                    return;
                }
            };
            let _ = opened.send(Ok(()));
            while let Some(job) = jobs.blocking_recv() {
                begun.fetch_sub(1, Ordering::Relaxed);
                // What goes wrong inside one call is told there and nowhere else: the change it was at is not written.
                let _ = catch_unwind(AssertUnwindSafe(|| job(&mut place)));
            }
        });
        let worker = worker.map_err(ServeError::Thread)?;
        match result.recv() {
            Ok(Ok(())) => Ok((Desk { queue, waiting }, worker)),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(ServeError::Gone),
        }
    }

    /// Hands in a call, and waits for what comes of it. A call that was handed in is done, whether or not somebody still
    /// waits.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        call: impl FnOnce(&mut Place) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |place| {
            let _ = answer.send(call(place));
        });
        let gone =
            || Fault::new("the server ended or failed inside", "Go on without the guard and tell the user");
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= WAITING {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            return Err(Fault::new(
                "too many calls wait to be done",
                "Wait for answers before you ask again",
            ));
        }
        self.queue.send(job).map_err(|_| gone())?;
        answered.await.map_err(|_| gone())?
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use loopbreak::Settings;

    use super::*;

    fn options(folder: &tempfile::TempDir) -> Options {
        Options {
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
    fn calls_are_done_in_the_order_in_which_they_are_handed_in() {
        let folder = tempfile::tempdir().unwrap();
        let (desk, worker) = Desk::open(options(&folder)).unwrap();
        let (sender, done) = blocking::channel();
        block_on(tokio::task::LocalSet::new().run_until(async {
            let calls = (0..2000).map(|number| {
                let (desk, sender) = (desk.clone(), sender.clone());
                let call = move |_: &mut Place| sender.send(number).map_err(|_| Fault::new("", ""));
                tokio::task::spawn_local(async move { desk.ask(call).await })
            });
            for call in calls.collect::<Vec<_>>() {
                call.await.unwrap().unwrap();
            }
        }));
        drop((desk, sender));
        worker.join().unwrap();
        assert_eq!(done.iter().collect::<Vec<i32>>(), (0..2000).collect::<Vec<i32>>());
    }

    #[test]
    fn more_calls_than_there_is_room_for_are_refused_and_the_others_are_done() {
        let folder = tempfile::tempdir().unwrap();
        let (desk, _worker) = Desk::open(options(&folder)).unwrap();
        let (open, door) = blocking::channel::<()>();
        let refused = block_on(tokio::task::LocalSet::new().run_until(async {
            let asked = Rc::new(Cell::new(0));
            let first = {
                let desk = desk.clone();
                tokio::task::spawn_local(async move { desk.ask(move |_| Ok(door.recv().is_ok())).await })
            };
            let calls: Vec<_> = (0..2 * WAITING)
                .map(|_| {
                    let (desk, asked) = (desk.clone(), Rc::clone(&asked));
                    tokio::task::spawn_local(async move {
                        asked.set(asked.get() + 1);
                        desk.ask(|_| Ok(true)).await
                    })
                })
                .collect();
            // The door is opened when all stand before it.
            while asked.get() < 2 * WAITING {
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
        assert!((WAITING - 1..=WAITING + 1).contains(&refused), "{refused}");
        assert_eq!(block_on(desk.ask(|_| Ok(7))), Ok(7));
    }

    #[test]
    fn a_call_that_fails_inside_is_told_and_the_next_one_is_done() {
        let folder = tempfile::tempdir().unwrap();
        let (desk, _worker) = Desk::open(options(&folder)).unwrap();
        let failed: Result<(), Fault> = block_on(desk.ask(|_| panic!("on purpose")));
        assert!(failed.unwrap_err().text().contains("failed inside"));
        assert_eq!(block_on(desk.ask(|_| Ok(7))), Ok(7));
    }

    #[test]
    fn a_store_that_cannot_be_opened_is_told_at_once() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("file"), "").unwrap();
        let store = folder.path().join("file/x.db").into();
        assert!(matches!(Desk::open(Options { store, ..options(&folder) }), Err(ServeError::Store(_))));
    }
}
