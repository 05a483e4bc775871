//! A POST for each run that should be stopped or needs a human. Sent by a thread of its own: a slow receiver must not hold
//! up the watch.

use std::sync::mpsc::{Receiver, Sender, SyncSender, TrySendError, channel, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::notice::Notice;
use crate::error::UserError;

/// How many notices wait to be sent, at most.
const WAITING: usize = 1000;
/// How long one attempt may take, and how long is waited before the next ones.
const TIMEOUT: Duration = Duration::from_secs(10);
const PAUSES: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(2)];

/// Where notices are sent.
#[derive(Debug)]
pub(crate) struct Webhook {
    /// What of the address may be told: the path of many is a secret.
    name: String,
    queue: Option<SyncSender<String>>,
    failures: Receiver<String>,
    thread: Option<JoinHandle<()>>,
}

impl Webhook {
    /// Reads `webhook=URL`.
    pub(crate) fn new(option: &str) -> Result<Self, UserError> {
        let wrong = |what: &str| {
            UserError::usage(format!("--notify: {what}"))
                .hint("write it like webhook=https://example.com/hook")
        };
        let url =
            option.strip_prefix("webhook=").ok_or_else(|| wrong("the only kind is webhook=URL"))?.to_owned();
        let uri: ureq::http::Uri = url.parse().map_err(|_| wrong("this is no address"))?;
        let (Some(scheme @ ("http" | "https")), Some(host)) = (uri.scheme_str(), uri.host()) else {
            return Err(wrong("the address has to begin with http:// or https://"));
        };
        if scheme == "https" && cfg!(not(feature = "https")) {
            return Err(UserError::usage(
                "--notify: this build of loopbreak cannot send to https:// addresses",
            )
            .hint("build it with the feature https, or send to an address with http://"));
        }
        let name = format!("{scheme}://{host}");
        let (queue, notices) = sync_channel::<String>(WAITING);
        let (tell, failures) = channel();
        let thread = thread::spawn({
            let name = name.clone();
            move || send_all(&url, &name, &notices, &tell)
        });
        Ok(Webhook { name, queue: Some(queue), failures, thread: Some(thread) })
    }

    /// Sends a notice. Gives what there is to tell.
    pub(crate) fn send(&self, notice: &Notice) -> Option<String> {
        let body = serde_json::to_string(notice).ok()?;
        match self.queue.as_ref()?.try_send(body) {
            Ok(()) => None,
            Err(TrySendError::Full(_)) => {
                Some(format!("--notify {}: too many wait, one is left out", self.name))
            }
            Err(TrySendError::Disconnected(_)) => {
                Some(format!("--notify {}: the sender has ended", self.name))
            }
        }
    }

    /// What went wrong since it was asked last.
    pub(crate) fn poll(&self) -> Vec<String> {
        self.failures.try_iter().collect()
    }

    /// Waits until all is sent, but not longer than this. Gives what there is to tell.
    pub(crate) fn finish(&mut self, longest: Duration) -> Vec<String> {
        self.queue = None;
        let until = Instant::now() + longest;
        while self.thread.as_ref().is_some_and(|thread| !thread.is_finished()) {
            if Instant::now() >= until {
                let mut told = self.poll();
                told.push(format!("--notify {}: not all was sent in time", self.name));
                return told;
            }
            thread::sleep(Duration::from_millis(10));
        }
        self.poll()
    }
}

fn send_all(url: &str, name: &str, notices: &Receiver<String>, tell: &Sender<String>) {
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .timeout_global(Some(TIMEOUT))
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .user_agent(concat!("loopbreak/", env!("CARGO_PKG_VERSION")))
        .build()
        .into();
    for body in notices {
        let mut pauses = PAUSES.into_iter();
        while let Err((what, again)) = send(&agent, url, &body) {
            if let Some(pause) = pauses.next().filter(|_| again) {
                thread::sleep(pause);
                continue;
            }
            // Nobody listens any more where this fails.
            let _ = tell.send(format!("--notify {name}: {what}"));
            break;
        }
    }
}

/// Sends once. An error says what went wrong, and whether to try again.
fn send(agent: &ureq::Agent, url: &str, body: &str) -> Result<(), (String, bool)> {
    match agent.post(url).header("content-type", "application/json").send(body) {
        Ok(answer) if answer.status().is_success() => Ok(()),
        Ok(answer) => {
            let status = answer.status();
            let again = status.is_server_error() || matches!(status.as_u16(), 408 | 429);
            Err((format!("answered {status}"), again))
        }
        // What the library says may hold the whole address.
        Err(ureq::Error::Timeout(_)) => Err(("no answer in time".to_owned(), true)),
        Err(ureq::Error::HostNotFound) => Err(("no such host".to_owned(), true)),
        Err(ureq::Error::Io(error)) => Err((error.to_string(), true)),
        Err(_) => Err(("cannot be reached".to_owned(), true)),
    }
}
