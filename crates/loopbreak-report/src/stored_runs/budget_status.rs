//! Spending against each budget of money.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use loopbreak::detectors::SharedSpending;
use loopbreak::settings::BudgetSettings;
use loopbreak::step::EpochMillis;
use loopbreak_store::{RunStatus, Store, StoreError};
use serde::Serialize;

use crate::number::dollars;
use crate::printable;
use crate::text::TextStyle;

/// Number of sessions that are shown.
const MAX_SESSIONS: usize = 3;

/// Spending against one budget.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BudgetStatus {
    /// The option, such as `max_cost_day`.
    pub budget: &'static str,
    /// The session, for the budget of a session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// US dollars that were spent.
    pub spent_usd: f64,
    /// The limit.
    pub limit_usd: f64,
    /// Time of the first cost in this period, in milliseconds since 1970, where it is not the period itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<i64>,
}

impl BudgetStatus {
    /// Reads what was spent of the budgets that are set. Of sessions, the costliest of `runs` are listed.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    pub fn load(
        settings: &BudgetSettings,
        store: &dyn Store,
        runs: &[RunStatus],
        now: i64,
    ) -> Result<Vec<Self>, StoreError> {
        if !settings.has_shared_limit() {
            return Ok(Vec::new());
        }
        let spent = store.spending("", now)?;
        let per_minute = spent.recent / SharedSpending::RATE_MINUTES as f64;
        let row = |budget, spent_usd, limit_usd, since| BudgetStatus {
            budget,
            session: None,
            spent_usd,
            limit_usd,
            since,
        };
        let mut rows = vec![
            row("max_cost_hour", spent.hour, settings.max_cost_hour, None),
            row("max_cost_day", spent.day, settings.max_cost_day, None),
            row("max_cost_total", spent.total, settings.max_cost_total, spent.total_since),
            row("max_cost_per_minute", per_minute, settings.max_cost_per_minute, None),
        ];
        if settings.max_cost_session > 0.0 {
            let names: BTreeSet<&str> = runs.iter().map(|status| status.run.session.as_str()).collect();
            let mut sessions = Vec::new();
            for name in names {
                let spent = store.spending(name, now)?;
                let limit = settings.max_cost_session;
                let row = row("max_cost_session", spent.session, limit, spent.session_since);
                sessions.push(BudgetStatus { session: Some(name.to_owned()), ..row });
            }
            sessions.sort_by(|one, other| other.spent_usd.total_cmp(&one.spent_usd));
            sessions.truncate(MAX_SESSIONS);
            rows.extend(sessions);
        }
        rows.retain(|row| row.limit_usd > 0.0);
        Ok(rows)
    }
}

/// Renders what was spent of each budget. Empty without budgets.
pub fn render_budgets(budgets: &[BudgetStatus], style: &TextStyle) -> String {
    let (bold, dim) = (style.bold(), style.dim());
    let mut text = String::new();
    for row in budgets {
        let share = (row.spent_usd / row.limit_usd * 100.0).floor().min(9_999.0);
        let (start, end) = if share >= 100.0 {
            (format!("{bold}"), format!("{bold:#}"))
        } else {
            (String::new(), String::new())
        };
        let amounts = format!("{} of {}", dollars(row.spent_usd), dollars(row.limit_usd));
        let _ = write!(text, "  {:20}{start}{amounts:>20}{share:>6} %{end}", row.budget);
        let since = row.since.and_then(|since| EpochMillis(since).rfc3339());
        let since = since.map(|since| format!("since {}", &since[..10]));
        let session =
            row.session.as_deref().map(|session| printable(session).chars().take(8).collect::<String>());
        let notes: Vec<String> = session.into_iter().chain(since).collect();
        if !notes.is_empty() {
            let _ = write!(text, "  {dim}{}{dim:#}", notes.join(", "));
        }
        text.push('\n');
    }
    if text.is_empty() { text } else { format!("budgets, in all sessions:\n{text}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_budget_has_a_line_with_its_share_and_unset_ones_have_none() {
        let row = |budget, spent_usd, limit_usd| BudgetStatus {
            budget,
            session: None,
            spent_usd,
            limit_usd,
            since: None,
        };
        let session = BudgetStatus {
            session: Some("3bd9cf18-3c9b-4242".to_owned()),
            since: Some(1_795_082_400_000),
            ..row("max_cost_session", 0.004, 2.0)
        };
        let text = render_budgets(
            &[row("max_cost_hour", 6.0, 5.0), row("max_cost_day", 1.199, 12.0), session],
            &TextStyle::default(),
        );
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "budgets, in all sessions:",
                "  max_cost_hour             $6.00 of $5.00   120 %",
                "  max_cost_day             $1.20 of $12.00     9 %",
                "  max_cost_session        $0.0040 of $2.00     0 %  3bd9cf18, since 2026-11-19",
            ]
        );
        assert_eq!(render_budgets(&[], &TextStyle::default()), "");
    }
}
