//! The order of things. All that is asked and told goes through one queue to one thread, which has the store for itself:
//! what came first is done first, whatever runs it is about, and no call holds up the connections of others.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc as blocking;
use std::thread::JoinHandle;

use tokio::sync::{mpsc, oneshot};

use super::fault::Fault;
use super::place::Place;
use super::server::{Options, ServeError};

/// How many calls wait at most; whoever comes then waits to be let in, in the order of coming.
const WAITING: usize = 256;

type Job = Box<dyn FnOnce(&mut Place) + Send>;

/// Where calls are handed in. Clones hand in to the same queue.
#[derive(Clone, Debug)]
pub(crate) struct Desk {
    queue: mpsc::Sender<Job>,
}

impl Desk {
    /// Opens the store and begins to work. The thread ends when the last clone of the desk is gone, after all that was
    /// handed in is done.
    pub(crate) fn open(options: Options) -> Result<(Self, JoinHandle<()>), ServeError> {
        let (queue, mut waiting) = mpsc::channel::<Job>(WAITING);
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
            while let Some(job) = waiting.blocking_recv() {
                // What goes wrong inside one call is told there and nowhere else: the change it was at is not written.
                let _ = catch_unwind(AssertUnwindSafe(|| job(&mut place)));
            }
        });
        let worker = worker.map_err(ServeError::Thread)?;
        match result.recv() {
            Ok(Ok(())) => Ok((Desk { queue }, worker)),
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
        self.queue.send(job).await.map_err(|_| gone())?;
        answered.await.map_err(|_| gone())?
    }
}

#[cfg(test)]
mod tests {
    use loopbreak::Settings;

    use super::*;

    fn options(folder: &tempfile::TempDir) -> Options {
        Options {
            settings: Settings::default(),
            store: folder.path().join("x.db"),
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
        let store = folder.path().join("file/x.db");
        assert!(matches!(Desk::open(Options { store, ..options(&folder) }), Err(ServeError::Store(_))));
    }
}
