//! All notifiers of one program.

use std::time::{Duration, Instant};

use super::{CommandNotifier, LoopNotification, NotifierError, WebhookNotifier};

/// The command and the webhooks that are notified.
#[derive(Debug, Default)]
pub struct NotifierSet {
    command: Option<CommandNotifier>,
    webhooks: Vec<WebhookNotifier>,
}

impl NotifierSet {
    /// Creates the notifiers from the values of `--exec` and `--notify`. `quiet` discards the output of the command.
    pub fn new(exec: Option<&str>, notify: &[String], quiet: bool) -> Result<Self, NotifierError> {
        let command = exec.map(|command| CommandNotifier::new(command, quiet)).transpose()?;
        let webhooks = notify.iter().map(|option| WebhookNotifier::new(option)).collect::<Result<_, _>>()?;
        Ok(NotifierSet { command, webhooks })
    }

    /// Returns whether nobody is notified.
    pub fn is_empty(&self) -> bool {
        self.command.is_none() && self.webhooks.is_empty()
    }

    /// Queues a notification for all of them. Returns warnings for the user. [`NotifierSet::poll`] starts the command.
    pub fn send(&mut self, notification: &LoopNotification) -> Vec<String> {
        if let Some(command) = &mut self.command {
            command.queue(notification);
        }
        self.webhooks.iter().filter_map(|webhook| webhook.queue(notification)).collect()
    }

    /// Starts commands that are due and collects results. Returns warnings for the user.
    pub fn poll(&mut self) -> Vec<String> {
        let mut warnings = self.command.as_mut().map(CommandNotifier::poll).unwrap_or_default();
        warnings.extend(self.webhooks.iter().flat_map(WebhookNotifier::poll));
        warnings
    }

    /// Waits until every notification is delivered, at most `timeout` for all of them together. Commands that have not
    /// ended by then are stopped. Returns warnings for the user.
    pub fn finish(&mut self, timeout: Duration) -> Vec<String> {
        let until = Instant::now() + timeout;
        // Nothing more is queued, so all of them can end while one is waited for.
        self.webhooks.iter_mut().for_each(WebhookNotifier::close);
        let mut warnings = self.command.as_mut().map(|command| command.finish(timeout)).unwrap_or_default();
        let left = || until.saturating_duration_since(Instant::now());
        warnings.extend(self.webhooks.iter_mut().flat_map(|webhook| webhook.finish(left())));
        warnings
    }
}
