//! Runs ended, steps saved and progress lost, as text.

use super::share::counted;

/// The effect of ending runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SavingCounts {
    /// All runs.
    pub(super) runs: u64,
    /// The steps of all runs.
    pub(super) steps: u64,
    /// Runs that were ended.
    pub(super) ended: u64,
    /// Steps after that.
    pub(super) saved: u64,
    /// Runs that made progress after that.
    pub(super) lost: u64,
}

impl SavingCounts {
    /// Renders the counts. Steps have no interval: those of one run are not independent.
    pub(super) fn cell(self) -> String {
        let SavingCounts { runs, steps, ended, saved, lost } = self;
        if runs == 0 || ended == 0 {
            return format!("ends 0 of {runs}");
        }
        let share = saved as f64 * 100.0 / steps.max(1) as f64;
        format!(
            "ends {ended} of {runs}, saves {share:.0} % of the steps ({saved} of {steps}), cuts off progress in {}",
            counted(lost, ended)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_lost_is_a_share_of_the_ended_runs() {
        let counts = SavingCounts { runs: 4, steps: 90, ended: 2, saved: 9, lost: 1 };
        let expected =
            "ends 2 of 4, saves 10 % of the steps (9 of 90), cuts off progress in 1 of 2, 50 % (9–91)";
        assert_eq!(counts.cell(), expected);
        assert_eq!(SavingCounts { ended: 0, saved: 0, lost: 0, ..counts }.cell(), "ends 0 of 4");
    }
}
