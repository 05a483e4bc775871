//! Reads the status of the runs and prints it.

use std::path::PathBuf;
use std::time::Duration;

use loopbreak_hooks::{error_log, waiting_events};
use loopbreak_report::eval::render_holdout;
use loopbreak_report::stored_runs::{compare_holdout, render_status};
use loopbreak_store::{HoldoutRecord, StatusSummary, default_path, now};

use super::args::StatusArgs;
use super::folder_guard::FolderGuard;
use crate::error::UserError;
use crate::store::{open_user_store, warn};
use crate::{exit, output};

/// Errors of hooks are reported for this long.
const RECENT_ERRORS: Duration = Duration::from_hours(24);

pub(crate) fn run(args: &StatusArgs) -> Result<u8, UserError> {
    let now = now();
    let (summary, records) = match open_user_store()? {
        Some(store) => {
            (StatusSummary::load(&*store, args.all, now, &warn)?, HoldoutRecord::load_all(&*store)?)
        }
        None => (StatusSummary::default(), Vec::new()),
    };
    // Compares all stored runs: those that Loopbreak ended are over, and the others may still be running.
    let holdout = compare_holdout(&records);
    let guard = FolderGuard::load();
    if args.json {
        let mut summary = serde_json::to_value(summary).unwrap_or_default();
        let troubles = HookTroubles::find(now);
        summary["hookFailures"] = troubles.failures.into();
        summary["lastFailure"] = troubles.last.into();
        summary["queuedEvents"] = troubles.queued.into();
        if let Some(holdout) = holdout {
            summary["holdout"] = serde_json::to_value(holdout).unwrap_or_default();
        }
        summary["guard"] = guard.to_json();
        output::print(&format!("{summary:#}\n"))?;
    } else {
        output::print(&guard.render())?;
        output::print(&render_status(&summary, args.all, now, &output::text_style()))?;
        if let Some(holdout) = holdout {
            output::print(&format!("\n{}", render_holdout(&holdout, &output::text_style())))?;
        }
        HookTroubles::find(now).report();
    }
    Ok(exit::DONE)
}

/// Problems of hooks. The agents continued, so the user may not have noticed.
struct HookTroubles {
    store: Option<PathBuf>,
    /// Number of failures in the last 24 hours, and the last one of them.
    failures: usize,
    last: Option<String>,
    /// Number of steps that wait to be recorded.
    queued: usize,
}

impl HookTroubles {
    fn find(now: i64) -> Self {
        let store = default_path(|name| std::env::var_os(name));
        let since = now.saturating_sub(i64::try_from(RECENT_ERRORS.as_millis()).unwrap_or(i64::MAX));
        let (failures, last) =
            store.as_deref().map(|store| error_log::failures_since(store, since)).unwrap_or_default();
        let queued = store.as_deref().map(waiting_events).unwrap_or_default();
        HookTroubles { store, failures, last, queued }
    }

    fn report(&self) {
        let Some(store) = &self.store else { return };
        if let Some(last) = &self.last {
            warn(&format!(
                "hooks failed {} times in the last 24 hours and the agents continued without the guard: see {}",
                self.failures,
                error_log::path(store).display()
            ));
            warn(&format!("last failure: {}", output::printable(last)));
        }
        if self.queued > 0 {
            warn(&format!("{} steps wait to be recorded with the next event of their session", self.queued));
        }
    }
}
