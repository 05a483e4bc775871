//! Whom to tell of the end: a command, webhooks. The same as for `watch`.

use std::time::Duration;

use loopbreak_runner::{RunNotice, RunNotifier};

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
}

impl RunNotifier for Told {
    fn notify(&mut self, notice: &RunNotice<'_>) -> Vec<String> {
        let RunNotice { run, command, step, verdict, act } = notice;
        let notice = &Notice::new(run, command, verdict.turn, step, verdict, act);
        if let Some(exec) = &mut self.exec {
            exec.call(notice);
        }
        let mut wrong: Vec<String> =
            self.webhooks.iter().filter_map(|webhook| webhook.send(notice)).collect();
        wrong.extend(self.exec.as_mut().map(Exec::poll).unwrap_or_default());
        wrong
    }

    fn finish(&mut self) -> Vec<String> {
        let mut wrong = self.exec.as_mut().map(|exec| exec.finish(PATIENCE)).unwrap_or_default();
        wrong.extend(self.webhooks.iter_mut().flat_map(|webhook| webhook.finish(PATIENCE)));
        wrong
    }
}
