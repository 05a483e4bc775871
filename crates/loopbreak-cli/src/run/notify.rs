//! Whom to tell of the end: a command, webhooks. The same as for `watch`.

use std::time::Duration;

use super::args::RunArgs;
use crate::error::UserError;
use crate::watch::{Exec, Notice, Webhook};

/// How long they are waited for.
const PATIENCE: Duration = Duration::from_mins(1);

/// All who are told.
#[derive(Debug)]
pub(super) struct Told {
    exec: Option<Exec>,
    webhooks: Vec<Webhook>,
}

impl Told {
    pub(super) fn new(args: &RunArgs) -> Result<Self, UserError> {
        let exec = args.exec.as_deref().map(|command| Exec::new(command, false)).transpose()?;
        let webhooks = args.notify.iter().map(|option| Webhook::new(option)).collect::<Result<_, _>>()?;
        Ok(Told { exec, webhooks })
    }

    /// Tells them, and gives what went wrong.
    pub(super) fn tell(&mut self, notice: &Notice) -> Vec<String> {
        if let Some(exec) = &mut self.exec {
            exec.call(notice);
        }
        let mut wrong: Vec<String> =
            self.webhooks.iter().filter_map(|webhook| webhook.send(notice)).collect();
        wrong.extend(self.exec.as_mut().map(Exec::poll).unwrap_or_default());
        wrong
    }

    /// Waits until all is told.
    pub(super) fn finish(&mut self) -> Vec<String> {
        let mut wrong = self.exec.as_mut().map(|exec| exec.finish(PATIENCE)).unwrap_or_default();
        wrong.extend(self.webhooks.iter_mut().flat_map(|webhook| webhook.finish(PATIENCE)));
        wrong
    }
}
