//! Ends a hook that takes too long, whatever it is waiting for: a slow disk, a network folder, an agent that never finishes its
//! event.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::Instant;

use crate::error_log;
use crate::event_queue::{EventQueue, QueuedEvent};
use crate::hook_budget::HookLimit;

/// Ends the process if the event is not handled in time. Without a limit it does nothing.
pub(crate) struct HookWatch(Option<Arc<SharedWatch>>);

struct SharedWatch {
    limit: HookLimit,
    state: Mutex<WatchProgress>,
}

struct WatchProgress {
    deadline: Instant,
    /// The step to queue at the end.
    step: Option<UnfinishedStep>,
    is_done: bool,
    has_expired: bool,
}

/// A step that is queued if its hook does not finish.
pub(crate) struct UnfinishedStep {
    pub(crate) store: PathBuf,
    pub(crate) agent: &'static str,
    pub(crate) queue: EventQueue,
    /// The event; `None` for a question about a call, which nobody waits for later.
    pub(crate) event: Option<QueuedEvent>,
    pub(crate) at: i64,
}

impl HookWatch {
    /// Starts to watch this process. If no thread can be started, the hook has no limit.
    pub(crate) fn start(limit: Option<&HookLimit>) -> Self {
        let Some(limit) = limit.copied() else { return HookWatch(None) };
        let state = WatchProgress {
            deadline: Instant::now() + limit.input_time(),
            step: None,
            is_done: false,
            has_expired: false,
        };
        let shared = Arc::new(SharedWatch { limit, state: Mutex::new(state) });
        let watched = Arc::clone(&shared);
        let started = thread::Builder::new().name("hook-watch".to_owned()).spawn(move || watched.wait());
        HookWatch(started.is_ok().then_some(shared))
    }

    /// Starts the time of the event, because its first byte has arrived. The watching thread is not woken for it: it looks
    /// again early enough.
    pub(crate) fn begin(&self) {
        let Some(shared) = &self.0 else { return };
        shared.lock().deadline = Instant::now() + shared.limit.handling_time();
    }

    /// Sets the step that is queued if the time is up.
    pub(crate) fn hold(&self, step: UnfinishedStep) {
        if let Some(shared) = &self.0 {
            shared.lock().step = Some(step);
        }
    }

    /// Takes the step back: it was recorded. The process still ends if the time is up.
    pub(crate) fn release(&self) {
        if let Some(shared) = &self.0 {
            shared.lock().step = None;
        }
    }

    /// Stops to watch: the event is answered. Does not return if the time is up, because the process is about to end. The
    /// watching thread ends with the process, or when it looks again: waking it would take as long as some of the hook's
    /// own work.
    pub(crate) fn finish(self) {
        let Some(shared) = &self.0 else { return };
        let mut state = shared.lock();
        while state.has_expired {
            drop(state);
            thread::park_timeout(shared.limit.time);
            state = shared.lock();
        }
        state.is_done = true;
    }
}

impl SharedWatch {
    fn lock(&self) -> MutexGuard<'_, WatchProgress> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self) {
        let mut state = self.lock();
        loop {
            if state.is_done {
                return;
            }
            let left = state.deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            // If the event begins meanwhile, its time is not up before this pause is over.
            let pause = left.min(self.limit.handling_time());
            drop(state);
            thread::park_timeout(pause);
            state = self.lock();
        }
        state.has_expired = true;
        let mut message = None;
        if let Some(step) = state.step.take() {
            // The folder of the store may be what the hook waits for.
            let (done, saved) = mpsc::channel();
            let saving = thread::Builder::new().spawn(move || done.send(step.save()));
            if saving.is_ok() {
                message = saved.recv_timeout(self.limit.queue_time()).ok();
            }
        }
        (self.limit.end_process)(
            message.as_deref().unwrap_or("the hook did not finish in time; the agent continues"),
        );
    }
}

impl UnfinishedStep {
    /// Queues the step. Returns a message for people.
    fn save(self) -> String {
        let queued = self.event.map(|event| self.queue.push(&event));
        let fate = match queued {
            Some(Ok(())) => "the step is queued",
            Some(Err(_)) => "the step is lost",
            None => "the call was not checked",
        };
        let text = format!("the hook did not finish in time; {fate}, and the agent continues");
        error_log::append(&self.store, self.at, self.agent, &text);
        text
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use loopbreak_store::RunKey;

    use super::*;

    static ENDED: AtomicBool = AtomicBool::new(false);

    /// A network folder may not answer for minutes. The thread that handles the event cannot even be interrupted then.
    #[test]
    fn a_hook_that_does_not_finish_queues_its_step_and_ends() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("loopbreak.db");
        let key = RunKey { source: "codex".into(), session: "a".into(), agent: String::new() };
        let queue = EventQueue::new(&store, &key);
        let limit = HookLimit {
            time: Duration::from_millis(400),
            end_process: |_| ENDED.store(true, Ordering::SeqCst),
        };
        let watch = HookWatch::start(Some(&limit));
        watch.begin();
        let event = QueuedEvent { id: 7, agent: "codex".into(), at: 3, event: "{}".into() };
        watch.hold(UnfinishedStep {
            store: store.clone(),
            agent: "codex",
            queue: queue.clone(),
            event: Some(event),
            at: 3,
        });
        let started = Instant::now();
        while !ENDED.load(Ordering::SeqCst) {
            assert!(started.elapsed() < Duration::from_mins(1), "it never ended");
            thread::sleep(Duration::from_millis(5));
        }
        let waiting = queue.waiting();
        assert_eq!(waiting.iter().map(|file| EventQueue::read(file).unwrap().id).collect::<Vec<_>>(), [7]);
        assert!(error_log::last_lines(&store, 1)[0].contains("the step is queued"));
    }

    #[test]
    fn a_hook_that_finishes_in_time_is_not_ended() {
        let limit =
            HookLimit { time: Duration::from_secs(1), end_process: |_| panic!("it finished in time") };
        let watch = HookWatch::start(Some(&limit));
        watch.begin();
        watch.finish();
        thread::sleep(Duration::from_millis(1_200));
        HookWatch::start(None).finish();
    }
}
