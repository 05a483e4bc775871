//! The threads of the alerts. They share nothing with the guards but the store, so no verdict waits for them.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use loopbreak::settings::AlertRule;
use loopbreak_store::now;
use loopbreak_store::service::ServiceStore;

use super::alert_watcher::AlertWatcher;
use super::message_courier::MessageCourier;
use crate::mcp::ServeError;

/// Time between two comparisons.
const WATCH_TIME: Duration = Duration::from_secs(5);
/// Time between two looks for messages when none was due.
const COURIER_TIME: Duration = Duration::from_secs(1);
/// Number of messages that are sent at the same time, so that one slow receiver does not keep the others waiting.
const COURIERS: usize = 2;

/// The threads of the alerts. They end when this is dropped; an attempt to send a message that is under way then is repeated by
/// the next server.
#[derive(Debug)]
pub(crate) struct AlertTasks {
    stop: Vec<Sender<()>>,
    watcher: Option<JoinHandle<()>>,
}

impl AlertTasks {
    /// Starts the threads, if there are rules.
    pub(crate) fn start(store: &Arc<dyn ServiceStore>, rules: &[AlertRule]) -> Result<Self, ServeError> {
        let mut tasks = AlertTasks { stop: Vec::new(), watcher: None };
        if rules.is_empty() {
            return Ok(tasks);
        }
        let mut watcher = AlertWatcher::new(Arc::clone(store), rules.to_vec());
        let watch = move || {
            // If the store fails, the next comparison finds the same conditions.
            let _ = watcher.compare(now());
            false
        };
        tasks.watcher = Some(tasks.repeat("alerts", WATCH_TIME, watch)?);
        for _ in 0..COURIERS {
            let courier = MessageCourier::new(Arc::clone(store), rules);
            tasks.repeat("alert-messages", COURIER_TIME, move || courier.send_next())?;
        }
        Ok(tasks)
    }

    /// Starts a thread that repeats something: at once if there is more to do, otherwise after a pause.
    fn repeat(
        &mut self,
        name: &str,
        pause: Duration,
        mut work: impl FnMut() -> bool + Send + 'static,
    ) -> Result<JoinHandle<()>, ServeError> {
        let (stop, stopped) = channel::<()>();
        let run = move || {
            loop {
                let pause = if work() { Duration::ZERO } else { pause };
                if !matches!(stopped.recv_timeout(pause), Err(RecvTimeoutError::Timeout)) {
                    return;
                }
            }
        };
        let thread = thread::Builder::new().name(name.to_owned()).spawn(run).map_err(ServeError::Thread)?;
        self.stop.push(stop);
        Ok(thread)
    }
}

impl Drop for AlertTasks {
    fn drop(&mut self) {
        self.stop.clear();
        // The other thread may wait for a receiver; nobody waits for that.
        if let Some(watcher) = self.watcher.take() {
            let _ = watcher.join();
        }
    }
}
