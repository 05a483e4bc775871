//! Notification at the end of a run: a command and webhooks, as for `watch`.

use std::time::Duration;

use loopbreak_watch::notification::{LoopNotification, NotifierSet};

use super::args::RunArgs;
use crate::error::UserError;

/// Time limit for notifications that are not delivered yet when the program ends.
const PATIENCE: Duration = Duration::from_mins(1);

/// All who are told.
#[derive(Debug)]
pub(super) struct Told(NotifierSet);

impl Told {
    pub(super) fn new(args: &RunArgs) -> Result<Self, UserError> {
        Ok(Told(NotifierSet::new(args.exec.as_deref(), &args.notify, false)?))
    }

    /// Tells them, and gives what went wrong.
    pub(super) fn tell(&mut self, notification: &LoopNotification) -> Vec<String> {
        let mut wrong = self.0.send(notification);
        wrong.extend(self.0.poll());
        wrong
    }

    /// Waits until all is told.
    pub(super) fn finish(&mut self) -> Vec<String> {
        self.0.finish(PATIENCE)
    }
}
