//! The costs of the last hour and of the day, by the times of the steps of one run.

use super::SharedSpending;
use crate::memory::{RingBuffer, snapshot_row, snapshot_type};

/// Milliseconds in a minute, and minutes in an hour and in a day.
pub(super) const MINUTE: i64 = 60_000;
const HOUR: i64 = 60;
const DAY: i64 = 24 * HOUR;

snapshot_type! {
    /// The costs of the last hour, minute by minute, and of the day.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(super) struct RecentCosts {
        minutes: RingBuffer<MinuteCost, { HOUR as usize }>,
        day: i64,
        day_usd: f64,
    }
}

snapshot_row! {
    #[derive(Clone, Debug)]
    struct MinuteCost {
        minute: i64,
        usd: f64,
    }
}

impl RecentCosts {
    /// Adds a cost. The time never goes back.
    pub(super) fn add(&mut self, now: i64, usd: f64) {
        let minute = now.div_euclid(MINUTE);
        let day = minute.div_euclid(DAY);
        if day != self.day {
            (self.day, self.day_usd) = (day, 0.0);
        }
        if usd <= 0.0 {
            return;
        }
        self.day_usd += usd;
        if let Some(last) = self.minutes.iter_mut().next_back()
            && last.minute >= minute
        {
            last.usd += usd;
            return;
        }
        self.minutes.push(MinuteCost { minute, usd });
    }

    /// Returns the sums of this run at a time. Those of the session and of the total are not known here.
    pub(super) fn sums(&self, now: i64) -> SharedSpending {
        let minute = now.div_euclid(MINUTE);
        let within = |minutes: i64| {
            self.minutes.iter().filter(move |cost| cost.minute > minute.saturating_sub(minutes))
        };
        let recent = || within(SharedSpending::RATE_MINUTES);
        SharedSpending {
            hour: within(HOUR).map(|cost| cost.usd).sum(),
            day: if minute.div_euclid(DAY) == self.day { self.day_usd } else { 0.0 },
            recent: recent().map(|cost| cost.usd).sum(),
            recent_minutes: recent().count() as u32,
            ..SharedSpending::default()
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.minutes.len() == 0
    }
}
