//! Money that several runs have spent together.

use serde::{Deserialize, Serialize};

use super::step_cost;
use crate::step::Step;

/// Money that a run and all others that share its budgets had spent before a step, in US dollars. An adapter that knows other
/// runs passes it to [`Guard::share_spending`](crate::Guard::share_spending).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SharedSpending {
    /// Spent in the session that the run belongs to.
    pub session: f64,
    /// Spent in the last hour.
    pub hour: f64,
    /// Spent on the day of the step, in UTC.
    pub day: f64,
    /// Spent since the records begin.
    pub total: f64,
    /// Spent in the last [`RATE_MINUTES`](SharedSpending::RATE_MINUTES) minutes.
    pub recent: f64,
    /// Number of those minutes in which money was spent.
    pub recent_minutes: u32,
    /// Time of the first cost of the session, in milliseconds since 1970.
    pub session_since: Option<i64>,
    /// Time of the first cost of all.
    pub total_since: Option<i64>,
}

impl SharedSpending {
    /// Number of minutes over which `budget.max_cost_per_minute` takes the mean.
    pub const RATE_MINUTES: i64 = 10;
    /// Number of different minutes in which money must have been spent before `budget.max_cost_per_minute` can be exceeded. One
    /// expensive call is spent in one minute.
    pub const RATE_SPENT_MINUTES: u32 = 3;

    /// Returns the sums before a step, for an adapter that has recorded its cost already.
    #[must_use]
    pub fn before(self, step: &Step<'_>) -> Self {
        let cost = step_cost(step);
        let less = |sum: f64| (sum - cost).max(0.0);
        SharedSpending {
            session: less(self.session),
            hour: less(self.hour),
            day: less(self.day),
            total: less(self.total),
            recent: less(self.recent),
            ..self
        }
    }

    /// Returns the sums after a step. The number of minutes is left to the adapter.
    pub(crate) fn after(self, step: &Step<'_>) -> Self {
        let cost = step_cost(step);
        SharedSpending {
            session: self.session + cost,
            hour: self.hour + cost,
            day: self.day + cost,
            total: self.total + cost,
            recent: self.recent + cost,
            ..self
        }
    }
}
