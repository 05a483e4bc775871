//! Chooses the best trial, and estimates its quality on held-out runs.

use std::cmp::Ordering;

use serde::Serialize;

use super::outcome_totals::{OutcomeTotals, RunOutcome};
use super::trials::{SettingsTrial, TrialRng};

/// A finished trial, with its outcome in every run.
#[derive(Clone, Debug)]
pub struct FinishedTrial {
    /// The trial.
    pub trial: SettingsTrial,
    /// One outcome per run, in the order of the runs.
    pub outcomes: Vec<RunOutcome>,
}

/// The result of a search.
#[derive(Clone, Debug, Serialize)]
pub struct TuneChoice {
    /// The totals of the current settings.
    pub now: OutcomeTotals,
    /// The best trial on all runs.
    pub best: SettingsTrial,
    /// Its totals there, which are optimistic because it was chosen on these runs.
    pub in_sample: OutcomeTotals,
    /// The totals of the same choice on held-out runs.
    pub cross_validated: OutcomeTotals,
    /// Number of parts the runs were split into.
    pub folds: usize,
    /// The choice is better than the current settings on held-out runs.
    pub holds: bool,
    /// Trials that no other beats in both gain and harm, least harm first.
    pub frontier: Vec<FrontierPoint>,
}

/// A trial on the frontier.
#[derive(Clone, Debug, Serialize)]
pub struct FrontierPoint {
    /// The trial.
    #[serde(flatten)]
    pub trial: SettingsTrial,
    /// False alarms with labels, otherwise runs with progress lost.
    pub harm: u64,
    /// Positive runs with a warning if there are labels, otherwise steps saved.
    pub gain: u64,
    /// All figures.
    pub figures: OutcomeTotals,
}

/// Chooses among trials. The first trial must be the current settings, and `positive` holds the labels in the order of
/// the runs. Returns `None` without trials.
pub fn choose(
    tried: &[FinishedTrial],
    positive: &[Option<bool>],
    folds: usize,
    seed: u64,
) -> Option<TuneChoice> {
    let all = |_: usize| true;
    let base = tried.first()?;
    let best = best(tried, positive, all)?;
    let folds = folds.clamp(2, positive.len().max(2));
    let fold_of = parts(positive, folds, seed);
    let mut held_out = OutcomeTotals::default();
    for fold in 0..folds {
        let Some(chosen) = self::best(tried, positive, |run| fold_of[run] != fold) else { continue };
        held_out.merge(&figures(chosen, positive, |run| fold_of[run] == fold));
    }
    let now = figures(base, positive, all);
    Some(TuneChoice {
        now,
        best: best.trial.clone(),
        in_sample: figures(best, positive, all),
        cross_validated: held_out,
        folds,
        holds: compare(&held_out, &now, &now) == Ordering::Greater,
        frontier: frontier(tried, positive),
    })
}

/// Returns the part of each run, with positive runs spread evenly.
fn parts(positive: &[Option<bool>], folds: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..positive.len()).collect();
    TrialRng(seed ^ 0x5EED).shuffle(&mut order);
    order.sort_by_key(|run| positive[*run]);
    let mut parts = vec![0; positive.len()];
    for (place, run) in order.into_iter().enumerate() {
        parts[run] = place % folds;
    }
    parts
}

fn figures(
    tried: &FinishedTrial,
    positive: &[Option<bool>],
    takes_part: impl Fn(usize) -> bool,
) -> OutcomeTotals {
    let mut figures = OutcomeTotals::default();
    for (run, (outcome, positive)) in tried.outcomes.iter().zip(positive).enumerate() {
        if takes_part(run) {
            figures.add(outcome, *positive);
        }
    }
    figures
}

/// Returns the best trial on some of the runs. Among equals it is the one with the fewest changes, then the first.
fn best<'t>(
    tried: &'t [FinishedTrial],
    positive: &[Option<bool>],
    takes_part: impl Fn(usize) -> bool + Copy,
) -> Option<&'t FinishedTrial> {
    let now = figures(tried.first()?, positive, takes_part);
    let mut best: Option<(&FinishedTrial, OutcomeTotals)> = None;
    for one in tried {
        let its = figures(one, positive, takes_part);
        let better = best.as_ref().is_none_or(|(known, figures)| {
            let (changes, number) = (one.trial.changes.len(), one.trial.number);
            let simpler = (changes, number) < (known.trial.changes.len(), known.trial.number);
            match compare(&its, figures, &now) {
                Ordering::Greater => true,
                Ordering::Equal => simpler,
                Ordering::Less => false,
            }
        });
        if better {
            best = Some((one, its));
        }
    }
    best.map(|(one, _)| one)
}

/// Compares two results. With labels: F0.5 of the warnings, then less progress lost, then more steps saved. Without:
/// more steps saved, as long as no more progress is lost than now.
fn compare(one: &OutcomeTotals, other: &OutcomeTotals, now: &OutcomeTotals) -> Ordering {
    let harmless = |figures: &OutcomeTotals| figures.destroyed <= now.destroyed;
    let less_harm = || other.destroyed.cmp(&one.destroyed);
    match (one.f_half(), other.f_half()) {
        (Some(mine), Some(others)) => {
            mine.total_cmp(&others).then_with(less_harm).then(one.saved.cmp(&other.saved))
        }
        _ => harmless(one).cmp(&harmless(other)).then(one.saved.cmp(&other.saved)).then_with(less_harm),
    }
}

fn frontier(tried: &[FinishedTrial], positive: &[Option<bool>]) -> Vec<FrontierPoint> {
    let mut points: Vec<FrontierPoint> = tried
        .iter()
        .map(|one| {
            let figures = figures(one, positive, |_| true);
            let (harm, gain) = match figures.warned {
                Some(counts) => (counts.fp, counts.tp),
                None => (figures.destroyed, figures.saved),
            };
            FrontierPoint { trial: one.trial.clone(), harm, gain, figures }
        })
        .collect();
    points.sort_by_key(|point| {
        (point.harm, std::cmp::Reverse(point.gain), point.trial.changes.len(), point.trial.number)
    });
    let mut most = None;
    points.retain(|point| {
        let beats = most.is_none_or(|most| point.gain > most);
        most = most.max(Some(point.gain));
        beats
    });
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(number: usize, changes: usize, outcomes: &[(bool, u64, Option<bool>)]) -> FinishedTrial {
        let outcome = |(warned, saved, destroyed): &(bool, u64, Option<bool>)| RunOutcome {
            warned: *warned,
            stopped: *saved > 0,
            ended: *saved > 0,
            saved: *saved,
            destroyed: *destroyed,
        };
        let changes = vec![("cycle.warn_at", 5.0); changes];
        FinishedTrial {
            trial: SettingsTrial { number, changes },
            outcomes: outcomes.iter().map(outcome).collect(),
        }
    }

    #[test]
    fn tune_without_labels_saves_steps_and_destroys_no_more_than_now() {
        let trials = [
            tried(0, 0, &[(true, 10, Some(false)), (true, 5, Some(false))]),
            tried(1, 1, &[(true, 90, Some(true)), (true, 90, Some(false))]),
            tried(2, 2, &[(true, 20, Some(false)), (true, 5, Some(false))]),
            tried(3, 1, &[(true, 20, Some(false)), (true, 5, Some(false))]),
        ];
        let choice = choose(&trials, &[None, None], 2, 1).unwrap();
        assert_eq!(choice.best.number, 3, "more harm is never better, and of equal trials the simpler wins");
        let points: Vec<_> = choice.frontier.iter().map(|point| (point.harm, point.gain)).collect();
        assert_eq!(points, [(0, 25), (1, 180)]);
    }

    #[test]
    fn tune_with_labels_prefers_few_false_alarms() {
        let quiet = [(true, 0, None), (true, 0, None), (false, 0, None), (false, 0, None), (false, 0, None)];
        let loud = [(true, 0, None); 5];
        let labels = [Some(true), Some(true), Some(true), Some(false), Some(false)];
        let choice = choose(&[tried(0, 0, &loud), tried(1, 1, &quiet)], &labels, 5, 1).unwrap();
        assert_eq!(choice.best.number, 1);
        assert_eq!(choice.in_sample.warned.unwrap().fp, 0);
        assert_eq!((choice.folds, choice.cross_validated.runs), (5, 5));
    }

    #[test]
    fn tune_judges_on_held_out_runs() {
        // Each trial is perfect on one run and useless on the others: chosen on the rest, it fails on the held-out
        // run.
        let runs = 6;
        let mut trials = vec![tried(0, 0, &vec![(false, 0, None); runs])];
        for special in 0..runs {
            let outcomes: Vec<_> = (0..runs).map(|run| (run == special, 0, None)).collect();
            trials.push(tried(special + 1, 1, &outcomes));
        }
        let labels = vec![Some(true); runs];
        let choice = choose(&trials, &labels, runs, 1).unwrap();
        assert_eq!(choice.in_sample.warned.unwrap().tp, 1);
        assert_eq!(choice.cross_validated.warned.unwrap().tp, 0);
        assert!(!choice.holds);
    }

    #[test]
    fn tune_parts_are_even_and_each_run_is_in_one() {
        let labels: Vec<_> = (0..20).map(|run| Some(run < 5)).collect();
        let parts = parts(&labels, 5, 7);
        for part in 0..5 {
            assert_eq!(parts.iter().filter(|own| **own == part).count(), 4);
            assert_eq!(parts[..5].iter().filter(|own| **own == part).count(), 1, "one positive run each");
        }
    }
}
