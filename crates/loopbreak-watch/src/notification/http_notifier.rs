//! Notification by HTTP: one POST per notification. A separate thread sends it, so a slow receiver does not delay the program.

use std::sync::mpsc::{Receiver, Sender, SyncSender, TrySendError, channel, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::ntfy_message::ntfy_message;
use super::slack_message::slack_message;
use super::webhook_message::webhook_message;
use super::{LoopNotification, NotifierError};

/// Upper bound of notifications that wait to be sent.
const MAX_WAITING: usize = 1000;
/// Time limit of one attempt, and the pauses before the second and third.
const TIMEOUT: Duration = Duration::from_secs(10);
const PAUSES: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(2)];

/// The form of the messages that a receiver expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MessageForm {
    /// The whole notification as a JSON object.
    Webhook,
    /// An incoming webhook of Slack.
    Slack,
    /// A topic of ntfy.
    Ntfy,
}

impl MessageForm {
    /// Renders a notification.
    pub fn render(self, notification: &LoopNotification) -> Option<HttpMessage> {
        match self {
            MessageForm::Webhook => webhook_message(notification),
            MessageForm::Slack => Some(slack_message(notification)),
            MessageForm::Ntfy => Some(ntfy_message(notification)),
        }
    }

    /// Splits an option such as `slack=URL` or `URL` into the form and the URL.
    fn split(option: &str) -> Option<(Self, &str)> {
        let is_url = option.starts_with("http://") || option.starts_with("https://");
        let forms = [
            ("webhook=", MessageForm::Webhook),
            ("slack=", MessageForm::Slack),
            ("ntfy=", MessageForm::Ntfy),
        ];
        let named = forms.iter().find_map(|(name, form)| Some((*form, option.strip_prefix(name)?)));
        named.or(is_url.then_some((MessageForm::Webhook, option)))
    }

    /// Returns the name of the form in messages, with `=` if it has to be written.
    fn prefix(self) -> &'static str {
        match self {
            MessageForm::Webhook => "",
            MessageForm::Slack => "slack=",
            MessageForm::Ntfy => "ntfy=",
        }
    }
}

/// One request: its headers and its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpMessage {
    /// Headers in addition to the usual ones.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: String,
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
        let (form, url) = MessageForm::split(option).ok_or(NotifierError::UnknownKind)?;
        let uri: ureq::http::Uri = url.parse().map_err(|_| NotifierError::InvalidUrl)?;
        let (Some(scheme @ ("http" | "https")), Some(host)) = (uri.scheme_str(), uri.host()) else {
            return Err(NotifierError::UnsupportedScheme);
        };
        if scheme == "https" && cfg!(not(feature = "https")) {
            return Err(NotifierError::HttpsDisabled);
        }
        let name = format!("{}{scheme}://{host}", form.prefix());
        let (queue, messages) = sync_channel::<HttpMessage>(MAX_WAITING);
        let (report, failures) = channel();
        let thread = thread::spawn({
            let (name, url) = (name.clone(), url.to_owned());
            move || send_all(&url, &name, &messages, &report)
        });
        Ok(HttpNotifier { form, name, queue: Some(queue), failures, thread: Some(thread) })
    }

    /// Queues a notification. Returns a warning for the user if it cannot be sent.
    pub fn queue(&self, notification: &LoopNotification) -> Option<String> {
        let message = self.form.render(notification)?;
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

fn send_all(url: &str, name: &str, messages: &Receiver<HttpMessage>, failures: &Sender<String>) {
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .timeout_global(Some(TIMEOUT))
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .user_agent(concat!("loopbreak/", env!("CARGO_PKG_VERSION")))
        .build()
        .into();
    for message in messages {
        let mut pauses = PAUSES.into_iter();
        while let Err((what, again)) = send(&agent, url, &message) {
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
fn send(agent: &ureq::Agent, url: &str, message: &HttpMessage) -> Result<(), (String, bool)> {
    let mut request = agent.post(url);
    for (name, value) in &message.headers {
        request = request.header(*name, value);
    }
    match request.send(&message.body) {
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
