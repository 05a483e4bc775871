//! Messages about the progress of a run: the result of each iteration, and that advice goes into the next prompt.

use std::fmt::Write as _;

use loopbreak::{DetectorName, Mode, Verdict};
use loopbreak_report::{plural, render_cost, render_duration};

use crate::iterations::iteration_result::IterationResult;
use crate::iterations::run_loop::RunLoop;

impl RunLoop<'_> {
    /// Adds the cost of an iteration, and shows its number, status, time, tokens and cost.
    pub(crate) fn report_iteration(&mut self, iteration: &IterationResult) {
        let cost = iteration.usage.and_then(|usage| usage.cost_usd);
        if let Some(cost) = cost {
            self.runner_state.cost_usd = Some(self.runner_state.cost_usd.unwrap_or(0.0) + cost);
        }
        let enforced = self.config.mode_of(DetectorName::Budget) == Mode::Enforce;
        let limit = Some(self.config.budget.max_iterations).filter(|limit| enforced && *limit > 0);
        let so_far = self.time().saturating_sub(self.runner_state.started);
        let text = render_progress(iteration, limit, cost, so_far, self.runner_state.cost_usd);
        self.observer.message(&text);
    }

    /// Shows that advice goes into the next prompt, and why.
    pub(crate) fn report_advice(&self, verdict: &Verdict) {
        if self.runner_state.advice.is_none() {
            return;
        }
        let reason = verdict.decisions.iter().find(|decision| decision.enforced).map(|it| it.reason.as_str());
        let reason = reason.filter(|reason| !reason.is_empty());
        let why = reason.map_or_else(String::new, |reason| format!(": {reason}"));
        self.observer.message(&format!("advice goes into the next prompt{why}"));
    }
}

/// Renders the result of an iteration: `iteration 3 of 10: ok, 12 s, 45,210 tokens, $0.10 (4 min, $0.40 so far)`.
fn render_progress(
    iteration: &IterationResult,
    limit: Option<u64>,
    cost: Option<f64>,
    so_far: i64,
    cost_so_far: Option<f64>,
) -> String {
    let parts = |millis: i64, cost: Option<f64>| {
        let cost = cost.map_or_else(String::new, |cost| format!(", {}", render_cost(cost)));
        format!("{}{cost}", render_duration(millis))
    };
    let of = limit.map_or_else(String::new, |limit| format!(" of {limit}"));
    let usage = iteration.usage.unwrap_or_default();
    let tokens = usage.input_tokens.unwrap_or(0).saturating_add(usage.output_tokens.unwrap_or(0));
    let tokens = if tokens > 0 { format!(", {}", plural(tokens, "token")) } else { String::new() };
    let time = render_duration(i64::try_from(iteration.time.as_millis()).unwrap_or(i64::MAX));
    let own_cost = cost.map_or_else(String::new, |cost| format!(", {}", render_cost(cost)));
    let (number, status) = (iteration.number, &iteration.status);
    let mut text = format!("iteration {number}{of}: {status}, {time}{tokens}{own_cost}");
    if iteration.number > 1 {
        let _ = write!(text, " ({} so far)", parts(so_far, cost_so_far));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use loopbreak::Usage;

    use super::*;

    fn iteration(number: u64, status: &str, seconds: u64) -> IterationResult {
        IterationResult {
            number,
            status: status.to_owned(),
            time: Duration::from_secs(seconds),
            ..IterationResult::default()
        }
    }

    #[test]
    fn progress_has_the_number_the_limit_the_time_and_the_cost_if_they_are_known() {
        let first = render_progress(&iteration(1, "ok", 3), Some(10), None, 3_000, None);
        assert_eq!(first, "iteration 1 of 10: ok, 3 s");
        let third = render_progress(&iteration(3, "ok", 12), Some(10), Some(0.1), 240_000, Some(0.4));
        assert_eq!(third, "iteration 3 of 10: ok, 12 s, $0.10 (4 min, $0.40 so far)");
        let usage = Some(Usage { input_tokens: Some(45_000), output_tokens: Some(210), ..Usage::default() });
        let counted = IterationResult { usage, ..iteration(1, "ok", 3) };
        let counted = render_progress(&counted, Some(10), Some(0.1), 3_000, Some(0.1));
        assert_eq!(counted, "iteration 1 of 10: ok, 3 s, 45,210 tokens, $0.10");
        let failed = render_progress(&iteration(2, "failed (exit code 1)", 1), None, None, 2_000, Some(0.1));
        assert_eq!(failed, "iteration 2: failed (exit code 1), 1 s (2 s, $0.10 so far)");
    }
}
