//! Notification by webhook: one POST with a JSON object. A separate thread sends it, so a slow receiver does not delay
//! the program.

use std::sync::mpsc::{Receiver, Sender, SyncSender, TrySendError, channel, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::{LoopNotification, NotifierError};

/// Upper bound of notifications that wait to be sent.
const MAX_WAITING: usize = 1000;
/// Time limit of one attempt, and the pauses before the second and third.
const TIMEOUT: Duration = Duration::from_secs(10);
const PAUSES: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(2)];

/// Sends notifications to one address.
#[derive(Debug)]
pub struct WebhookNotifier {
    /// The part of the address that may be shown: the path of many webhooks is a secret.
    name: String,
    queue: Option<SyncSender<String>>,
    failures: Receiver<String>,
    thread: Option<JoinHandle<()>>,
}

impl WebhookNotifier {
    /// Parses an option of the form `webhook=URL`, or the URL alone, and starts the sending thread.
    pub fn new(option: &str) -> Result<Self, NotifierError> {
        let is_url = option.starts_with("http://") || option.starts_with("https://");
        let url = option.strip_prefix("webhook=").or(is_url.then_some(option));
        let url = url.ok_or(NotifierError::UnknownKind)?.to_owned();
        let uri: ureq::http::Uri = url.parse().map_err(|_| NotifierError::InvalidUrl)?;
        let (Some(scheme @ ("http" | "https")), Some(host)) = (uri.scheme_str(), uri.host()) else {
            return Err(NotifierError::UnsupportedScheme);
        };
        if scheme == "https" && cfg!(not(feature = "https")) {
            return Err(NotifierError::HttpsDisabled);
        }
        let name = format!("{scheme}://{host}");
        let (queue, notifications) = sync_channel::<String>(MAX_WAITING);
        let (report, failures) = channel();
        let thread = thread::spawn({
            let name = name.clone();
            move || send_all(&url, &name, &notifications, &report)
        });
        Ok(WebhookNotifier { name, queue: Some(queue), failures, thread: Some(thread) })
    }

    /// Queues a notification. Returns a warning for the user if it cannot be sent.
    pub fn queue(&self, notification: &LoopNotification) -> Option<String> {
        let body = serde_json::to_string(notification).ok()?;
        match self.queue.as_ref()?.try_send(body) {
            Ok(()) => None,
            Err(TrySendError::Full(_)) => {
                Some(format!("--notify {}: too many notifications are waiting; one was dropped", self.name))
            }
            Err(TrySendError::Disconnected(_)) => {
                Some(format!("--notify {}: the sending thread has ended", self.name))
            }
        }
    }

    /// Returns the failures since the last call.
    pub fn poll(&self) -> Vec<String> {
        self.failures.try_iter().collect()
    }

    /// Accepts no more notifications: the sending thread ends after the last one.
    pub(super) fn close(&mut self) {
        self.queue = None;
    }

    /// Waits until every notification is sent, at most `timeout`. Returns warnings for the user.
    pub fn finish(&mut self, timeout: Duration) -> Vec<String> {
        self.close();
        let until = Instant::now() + timeout;
        while self.thread.as_ref().is_some_and(|thread| !thread.is_finished()) {
            if Instant::now() >= until {
                let mut warnings = self.poll();
                warnings.push(format!("--notify {}: not every notification was sent in time", self.name));
                return warnings;
            }
            thread::sleep(Duration::from_millis(10));
        }
        self.poll()
    }
}

fn send_all(url: &str, name: &str, notifications: &Receiver<String>, failures: &Sender<String>) {
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .timeout_global(Some(TIMEOUT))
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .user_agent(concat!("loopbreak/", env!("CARGO_PKG_VERSION")))
        .build()
        .into();
    for body in notifications {
        let mut pauses = PAUSES.into_iter();
        while let Err((what, again)) = send(&agent, url, &body) {
            if let Some(pause) = pauses.next().filter(|_| again) {
                thread::sleep(pause);
                continue;
            }
            // This fails only when the notifier is gone.
            let _ = failures.send(format!("--notify {name}: {what}"));
            break;
        }
    }
}

/// Makes one attempt. An error has the reason, and whether to try again.
fn send(agent: &ureq::Agent, url: &str, body: &str) -> Result<(), (String, bool)> {
    match agent.post(url).header("content-type", "application/json").send(body) {
        Ok(answer) if answer.status().is_success() => Ok(()),
        Ok(answer) => {
            let status = answer.status();
            let again = status.is_server_error() || matches!(status.as_u16(), 408 | 429);
            Err((format!("answered {status}"), again))
        }
        // The messages of the library may contain the whole address.
        Err(ureq::Error::Timeout(_)) => Err(("timed out".to_owned(), true)),
        Err(ureq::Error::HostNotFound) => Err(("host not found".to_owned(), true)),
        Err(ureq::Error::Io(error)) => Err((error.to_string(), true)),
        Err(_) => Err(("unreachable".to_owned(), true)),
    }
}
