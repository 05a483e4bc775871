//! All notifiers of one program.

use std::time::{Duration, Instant};

use super::{CommandNotifier, DesktopNotifier, HttpNotifier, LoopNotification, NotifierError};

/// The command, the addresses and the desktop that are notified.
#[derive(Debug, Default)]
pub struct NotifierSet {
    command: Option<CommandNotifier>,
    receivers: Vec<HttpNotifier>,
    desktop: Option<DesktopNotifier>,
}

impl NotifierSet {
    /// Creates the notifiers from the values of `--exec` and `--notify`. `quiet` discards the output of the command.
    pub fn new(exec: Option<&str>, notify: &[String], quiet: bool) -> Result<Self, NotifierError> {
        let command = exec.map(|command| CommandNotifier::new(command, quiet)).transpose()?;
        let is_desktop = |option: &&String| option.as_str() == "desktop";
        let desktop = notify.iter().find(is_desktop).map(|_| DesktopNotifier::new()).transpose()?;
        let receivers = notify.iter().filter(|option| !is_desktop(option));
        let receivers = receivers.map(|option| HttpNotifier::new(option)).collect::<Result<_, _>>()?;
        Ok(NotifierSet { command, receivers, desktop })
    }

    /// Returns whether nobody is notified.
    pub fn is_empty(&self) -> bool {
        self.command.is_none() && self.receivers.is_empty() && self.desktop.is_none()
    }

    /// Queues a notification for all of them. Returns warnings for the user. [`NotifierSet::poll`] starts the command.
    pub fn send(&mut self, notification: &LoopNotification) -> Vec<String> {
        if let Some(command) = &mut self.command {
            command.queue(notification);
        }
        let receivers = self.receivers.iter().filter_map(|receiver| receiver.queue(notification));
        receivers.chain(self.desktop.as_mut().and_then(|desktop| desktop.show(notification))).collect()
    }

    /// Starts commands that are due and collects results. Returns warnings for the user.
    pub fn poll(&mut self) -> Vec<String> {
        let mut warnings = self.command.as_mut().map(CommandNotifier::poll).unwrap_or_default();
        warnings.extend(self.receivers.iter().flat_map(HttpNotifier::poll));
        warnings.extend(self.desktop.iter_mut().flat_map(DesktopNotifier::poll));
        warnings
    }

    /// Waits until every notification is delivered, at most `timeout` for all of them together. Commands that have not
    /// ended by then are stopped. Returns warnings for the user.
    pub fn finish(&mut self, timeout: Duration) -> Vec<String> {
        let until = Instant::now() + timeout;
        // Nothing more is queued, so all of them can end while one is waited for.
        self.receivers.iter_mut().for_each(HttpNotifier::close);
        let mut warnings = self.command.as_mut().map(|command| command.finish(timeout)).unwrap_or_default();
        let left = || until.saturating_duration_since(Instant::now());
        warnings.extend(self.receivers.iter_mut().flat_map(|receiver| receiver.finish(left())));
        warnings.extend(self.desktop.iter_mut().flat_map(|desktop| desktop.finish(left())));
        warnings
    }
}
