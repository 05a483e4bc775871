//! Reads the status of the runs and prints it.

use loopbreak_hooks::HookTroubles;
use loopbreak_process::refresh_pauses;
use loopbreak_report::eval::render_holdout;
use loopbreak_report::stored_runs::{BudgetStatus, compare_holdout, render_budgets, render_status};
use loopbreak_store::{HoldoutRecord, OutboxState, StatusSummary, default_path, now};

use super::args::StatusArgs;
use super::folder_guard::FolderGuard;
use crate::error::UserError;
use crate::server_connection::outbox_states;
use crate::store::{open_user_store, warn};
use crate::{exit, output};

pub(crate) fn run(args: &StatusArgs) -> Result<u8, UserError> {
    let now = now();
    let guard = FolderGuard::load();
    let mut budgets = Vec::new();
    let mut servers = Vec::new();
    let (summary, records, has_runs) = match open_user_store()? {
        Some(mut store) => {
            servers = outbox_states(&mut *store)?;
            let mut summary = StatusSummary::load(&*store, args.all, now, &warn)?;
            refresh_pauses(&mut summary.runs);
            if let Some(settings) = guard.settings() {
                budgets = BudgetStatus::load(&settings.budget, &*store, &summary.runs, now)?;
            }
            (summary, HoldoutRecord::load_all(&*store)?, !store.runs(i64::MIN, 1)?.is_empty())
        }
        None => (StatusSummary::default(), Vec::new(), false),
    };
    // Compares all stored runs: those that Loopbreak ended are over, and the others may still be running.
    let holdout = compare_holdout(&records);
    let store = default_path(|name| std::env::var_os(name));
    if args.json {
        let mut summary = serde_json::to_value(summary).unwrap_or_default();
        let troubles = store.map(|store| HookTroubles::find(&store, now)).unwrap_or_default();
        summary["hookFailures"] = troubles.failures.into();
        summary["lastFailure"] = troubles.last.into();
        summary["queuedEvents"] = troubles.queued.into();
        if !servers.is_empty() {
            summary["servers"] = serde_json::to_value(&servers).unwrap_or_default();
        }
        if let Some(holdout) = holdout {
            summary["holdout"] = serde_json::to_value(holdout).unwrap_or_default();
        }
        summary["guard"] = guard.to_json();
        if !budgets.is_empty() {
            summary["budgets"] = serde_json::to_value(budgets).unwrap_or_default();
        }
        output::print(&format!("{summary:#}\n"))?;
    } else {
        output::print(&guard.render())?;
        output::print(&render_status(&summary, args.all || !has_runs, now, &output::text_style()))?;
        let budgets = render_budgets(&budgets, &output::text_style());
        if !budgets.is_empty() {
            output::print(&format!("\n{budgets}"))?;
        }
        if let Some(holdout) = holdout {
            output::print(&format!("\n{}", render_holdout(&holdout, &output::text_style())))?;
        }
        let troubles = store.map(|store| HookTroubles::find(&store, now).describe(&store));
        troubles.iter().flatten().for_each(|text| warn(text));
        servers.iter().flat_map(OutboxState::describe).for_each(|text| warn(&text));
    }
    Ok(exit::DONE)
}
