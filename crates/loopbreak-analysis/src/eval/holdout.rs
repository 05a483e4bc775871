//! The effect of Loopbreak: runs that were held out, compared with the other ones.

use loopbreak::{Config, Guard, Mode};
use serde::Serialize;

use super::loop_follower::LoopRemainder;
use super::mean_difference::{DifferenceInterval, GroupMeans, MeanDifference};
use crate::run::replay_config;

/// The division of runs into those that are only observed and the others, as `policy.holdout` makes it.
#[derive(Clone, Debug)]
pub struct HoldoutSplit(Config);

impl HoldoutSplit {
    /// Creates the division of these settings, or `None` if they hold out no runs.
    pub fn new(config: &Config) -> Option<Self> {
        (config.policy.holdout > 0.0 && config.mode == Mode::Enforce).then(|| HoldoutSplit(config.clone()))
    }

    /// Returns whether a run is held out.
    pub fn holds_out(&self, run: &str) -> bool {
        Guard::new(self.0.clone()).for_run(run).is_held_out()
    }

    /// Returns the same settings for a replay of all runs: a held-out run gets the verdicts that it would have got.
    #[must_use]
    pub fn replay_config(&self) -> Config {
        replay_config(&self.0)
    }
}

/// A run of one of the two groups.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HoldoutRun {
    /// The run was only observed.
    pub held_out: bool,
    /// Its loop after the first warning, or the first one that would have been given; absent without one.
    pub remainder: Option<LoopRemainder>,
}

/// Loops of held-out runs and of the others, after the first warning. Runs are held out by chance, so the difference is the
/// effect of Loopbreak.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HoldoutReport {
    /// Number of runs.
    pub runs: u64,
    /// Number of runs that were held out.
    pub held_out: u64,
    /// Number of runs with a loop that was warned about. Only these are compared.
    pub looping_runs: u64,
    /// Number of these that were held out.
    pub looping_held_out: u64,
    /// Mean number of steps from the first warning to the last step of its loop.
    pub mean_steps_after_warning: GroupMeans,
    /// The mean of the held-out runs minus that of the others: the steps that Loopbreak saves per loop. Absent if a
    /// group has fewer than two runs with a loop.
    pub difference: Option<f64>,
    /// The 95 % interval of the difference; absent like the difference, or if no run differs from its group.
    pub interval: Option<DifferenceInterval>,
    /// The same for tokens, if they are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_after_warning: Option<MeanDifference>,
    /// The same for US dollars, if they are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_after_warning_usd: Option<MeanDifference>,
}

impl HoldoutReport {
    /// Compares the two groups.
    pub fn new(runs: &[HoldoutRun]) -> Self {
        let steps = compare(runs, |rest| Some(rest.steps as f64));
        let tokens = compare(runs, |rest| rest.cost.tokens.map(|tokens| tokens as f64));
        let cost = compare(runs, |rest| rest.cost.cost_usd);
        HoldoutReport {
            runs: runs.len() as u64,
            held_out: runs.iter().filter(|run| run.held_out).count() as u64,
            looping_runs: steps.runs,
            looping_held_out: steps.held_out,
            mean_steps_after_warning: steps.mean,
            difference: steps.difference,
            interval: steps.interval,
            tokens_after_warning: (tokens.runs > 0).then_some(tokens),
            cost_after_warning_usd: (cost.runs > 0).then_some(cost),
        }
    }

    /// Returns the comparison of the steps.
    pub fn steps(&self) -> MeanDifference {
        MeanDifference {
            runs: self.looping_runs,
            held_out: self.looping_held_out,
            mean: self.mean_steps_after_warning,
            difference: self.difference,
            interval: self.interval,
        }
    }
}

/// Compares a figure of the loops, in the runs in which it is known.
fn compare(runs: &[HoldoutRun], figure: impl Fn(&LoopRemainder) -> Option<f64>) -> MeanDifference {
    let group = |held_out: bool| -> Vec<f64> {
        let looping = runs.iter().filter(|run| run.held_out == held_out).filter_map(|run| run.remainder);
        looping.filter_map(|rest| figure(&rest)).collect()
    };
    MeanDifference::new(&group(true), &group(false))
}

#[cfg(test)]
mod tests {
    use loopbreak::Settings;

    use super::*;
    use crate::statistics::RunCost;

    fn config(share: f64, mode: Mode) -> Config {
        let mut settings = Settings { mode, ..Settings::default() };
        settings.policy.holdout = share;
        Config::new(settings).unwrap()
    }

    #[test]
    fn only_enforced_settings_hold_runs_out() {
        assert!(HoldoutSplit::new(&config(0.0, Mode::Enforce)).is_none());
        assert!(HoldoutSplit::new(&config(0.5, Mode::Observe)).is_none());
        let split = HoldoutSplit::new(&config(0.5, Mode::Enforce)).unwrap();
        let held_out = (0..1000).filter(|number| split.holds_out(&format!("run-{number}"))).count();
        assert!((400..600).contains(&held_out), "{held_out}");
        assert!(HoldoutSplit::new(&split.replay_config()).is_none());
    }

    #[test]
    fn only_runs_with_a_loop_are_compared() {
        let run = |held_out, steps: Option<u64>, tokens| HoldoutRun {
            held_out,
            remainder: steps.map(|steps| LoopRemainder { steps, cost: RunCost { tokens, cost_usd: None } }),
        };
        let found = HoldoutReport::new(&[
            run(true, Some(10), Some(1000)),
            run(true, Some(14), None),
            run(true, None, None),
            run(false, Some(2), Some(100)),
            run(false, Some(4), Some(300)),
            run(false, None, None),
            run(false, None, None),
        ]);
        assert_eq!((found.runs, found.held_out, found.looping_runs, found.looping_held_out), (7, 3, 4, 2));
        assert_eq!(found.mean_steps_after_warning, GroupMeans { held_out: Some(12.0), others: Some(3.0) });
        assert_eq!(found.difference, Some(9.0));
        assert_eq!(found.steps(), MeanDifference::new(&[10.0, 14.0], &[2.0, 4.0]));
        let tokens = found.tokens_after_warning.unwrap();
        assert_eq!((tokens.runs, tokens.held_out, tokens.difference), (3, 1, None), "too few runs");
        assert_eq!(found.cost_after_warning_usd, None);
    }
}
