//! Reads the status of the runs and prints it.

use std::time::Duration;

use loopbreak_hooks::error_log;
use loopbreak_report::eval::render_holdout;
use loopbreak_report::stored_runs::{compare_holdout, render_status};
use loopbreak_store::{HoldoutRecord, StatusSummary, default_path, now};

use super::args::StatusArgs;
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
    if args.json {
        let mut summary = serde_json::to_value(summary).unwrap_or_default();
        if let Some(holdout) = holdout {
            summary["holdout"] = serde_json::to_value(holdout).unwrap_or_default();
        }
        output::print(&format!("{summary:#}\n"))?;
    } else {
        output::print(&render_status(&summary, args.all, now, &output::text_style()))?;
        if let Some(holdout) = holdout {
            output::print(&format!("\n{}", render_holdout(&holdout, &output::text_style())))?;
        }
        report_hook_errors();
    }
    Ok(exit::DONE)
}

/// Says where to look if hooks failed recently. The agents continued, so the user may not have noticed.
fn report_hook_errors() {
    let Some(store) = default_path(|name| std::env::var_os(name)) else { return };
    let file = error_log::path(&store);
    let modified = std::fs::metadata(&file).and_then(|metadata| metadata.modified()).ok();
    let age = modified.and_then(|modified| modified.elapsed().ok());
    if age.is_some_and(|age| age < RECENT_ERRORS) {
        warn(&format!(
            "hooks failed in the last 24 hours and the agents continued without the guard: see {}",
            file.display()
        ));
    }
}
