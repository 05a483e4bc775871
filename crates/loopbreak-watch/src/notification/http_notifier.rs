//! Notification by HTTP: one POST per notification. A separate thread sends it, so a slow receiver does not delay the program.

use std::sync::mpsc::{Receiver, Sender, SyncSender, TrySendError, channel, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use loopbreak_notify::{HttpMessage, HttpSender, MessageForm, SendError};

use super::{LoopNotification, NotifierError};

/// Upper bound of notifications that wait to be sent.
const MAX_WAITING: usize = 1000;
/// Pauses before the second and the third attempt.
const PAUSES: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(2)];

/// Splits an option such as `slack=URL` or `URL` into the form and the URL.
fn split(option: &str) -> Option<(MessageForm, &str)> {
    let is_url = option.starts_with("http://") || option.starts_with("https://");
    let named = MessageForm::ALL.into_iter().find_map(|form| {
        let rest = option.strip_prefix(form.as_str())?;
        Some((form, rest.strip_prefix('=')?))
    });
    named.or(is_url.then_some((MessageForm::Webhook, option)))
}

/// Returns the name of a form in messages, with `=` if it has to be written.
fn prefix(form: MessageForm) -> &'static str {
    match form {
        MessageForm::Slack => "slack=",
        MessageForm::Ntfy => "ntfy=",
        _ => "",
    }
}

/// Sends notifications to one address.
#[derive(Debug)]
pub struct HttpNotifier {
    form: MessageForm,
    /// The part of the address that may be shown: the path of many webhooks is a secret.
    name: String,
    queue: Option<SyncSender<HttpMessage>>,
    failures: Receiver<String>,
    thread: Option<JoinHandle<()>>,
}

impl HttpNotifier {
    /// Parses an option of the form `webhook=URL`, `slack=URL` or `ntfy=URL`, or the URL of a webhook alone, and starts the sending
    /// thread.
    pub fn new(option: &str) -> Result<Self, NotifierError> {
        let (form, url) = split(option).ok_or(NotifierError::UnknownKind)?;
        let sender = HttpSender::new(url)?;
        let name = format!("{}{}", prefix(form), sender.place());
        let (queue, messages) = sync_channel::<HttpMessage>(MAX_WAITING);
        let (report, failures) = channel();
        let thread = thread::spawn({
            let name = name.clone();
            move || send_all(&sender, &name, &messages, &report)
        });
        Ok(HttpNotifier { form, name, queue: Some(queue), failures, thread: Some(thread) })
    }

    /// Queues a notification. Returns a warning for the user if it cannot be sent.
    pub fn queue(&self, notification: &LoopNotification) -> Option<String> {
        let message = self.form.render(&notification.text(), &serde_json::to_string(notification).ok()?);
        match self.queue.as_ref()?.try_send(message) {
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

fn send_all(sender: &HttpSender, name: &str, messages: &Receiver<HttpMessage>, failures: &Sender<String>) {
    for message in messages {
        let mut pauses = PAUSES.into_iter();
        while let Err(SendError { reason, again, .. }) = sender.send(&message) {
            if let Some(pause) = pauses.next().filter(|_| again) {
                thread::sleep(pause);
                continue;
            }
            // This fails only when the notifier is gone.
            let _ = failures.send(format!("--notify {name}: {reason}"));
            break;
        }
    }
}
