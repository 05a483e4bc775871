//! Budgets over all runs of a project. What the others have spent enters a run as data that is stored, so that a replay comes to
//! the same verdicts.

use std::collections::BTreeMap;
use std::sync::Arc;

use loopbreak::detectors::SharedSpending;
use loopbreak::settings::BudgetSettings;
use loopbreak::{Settings, Step};
use loopbreak_store::StoreError;
use loopbreak_store::service::ServiceStore;
use loopbreak_trace::prices::StepPricer;

use super::step_figures::cost_of;

/// Steps that are older, in milliseconds, are from a log that is sent later: sums of the present say nothing about them.
const PRESENT_MS: i64 = 60 * 60 * 1000;
/// Part of a limit's warning below which no verdict can depend on the sums. Less than 1 because sums are rounded.
const NEAR: f64 = 0.99;

/// Spending of the projects of a thread, for the steps of one batch.
pub(super) struct SharedBudget {
    store: Arc<dyn ServiceStore>,
    settings: BudgetSettings,
    /// Prices steps that name only their tokens, if there is a limit of money.
    pricer: Option<StepPricer>,
    /// The sums of projects, with the costs of the steps of the batch added.
    spent: BTreeMap<String, SharedSpending>,
}

impl SharedBudget {
    pub(super) fn new(store: Arc<dyn ServiceStore>, settings: &Settings) -> Self {
        let pricer = settings.budget.limits_cost().then(|| StepPricer::new(settings));
        SharedBudget { store, settings: settings.budget.clone(), pricer, spent: BTreeMap::new() }
    }

    /// Begins a batch: other threads and servers may have stored costs since the last one.
    pub(super) fn begin_batch(&mut self) {
        self.spent.clear();
    }

    /// Returns a step with the cost of its tokens, if it has none and they have a price.
    pub(super) fn price(&mut self, step: &Step<'static>) -> Option<Step<'static>> {
        self.pricer.as_mut()?.with_cost(step)
    }

    /// Returns what the project had spent before a step, if a verdict can depend on it, and adds the cost of the step.
    pub(super) fn before(
        &mut self,
        project: &str,
        step: &Step<'_>,
        now: i64,
    ) -> Result<Option<SharedSpending>, StoreError> {
        if !self.settings.has_shared_limit() {
            return Ok(None);
        }
        if !self.spent.contains_key(project) {
            let read = self.store.spending(Some(project), now)?.shared;
            self.spent.insert(project.to_owned(), read);
        }
        let Some(spent) = self.spent.get_mut(project) else { return Ok(None) };
        let (before, cost) = (*spent, cost_of(step));
        for sum in [&mut spent.hour, &mut spent.day, &mut spent.total, &mut spent.recent] {
            *sum += cost;
        }
        let is_present = step.at.is_none_or(|at| at.0 >= now.saturating_sub(PRESENT_MS));
        Ok(Some(before).filter(|_| is_present && is_near(&self.settings, spent)))
    }
}

/// Returns whether the sums are near a limit.
fn is_near(settings: &BudgetSettings, spent: &SharedSpending) -> bool {
    [
        (spent.hour, settings.max_cost_hour),
        (spent.day, settings.max_cost_day),
        (spent.total, settings.max_cost_total),
        (spent.recent / SharedSpending::RATE_MINUTES as f64, settings.max_cost_per_minute),
    ]
    .into_iter()
    .any(|(used, limit)| limit > 0.0 && used >= NEAR * limit * settings.warn_at)
}
