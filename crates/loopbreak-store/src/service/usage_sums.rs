//! Sums of usage and waste, while entries are stored.

use std::collections::BTreeMap;

use super::{DailyUsage, EntryKind, NewEntry};

/// Milliseconds of a day.
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Usage and waste of some entries, by project, day, model and detector.
#[derive(Debug, Default)]
pub(super) struct UsageSums(BTreeMap<(i64, i64, String, String), DailyUsage>);

impl UsageSums {
    /// Adds the entries of a run of the project with this number.
    pub(super) fn add(&mut self, project: i64, entries: &[NewEntry]) {
        for entry in entries.iter().filter(|entry| entry.kind == EntryKind::Step) {
            let day = entry.at.div_euclid(DAY_MS);
            let detectors = [Some(String::new()), entry.wasted_by.clone()];
            for detector in detectors.into_iter().flatten() {
                let key = (project, day, entry.model.clone(), detector);
                let sum = self.0.entry(key).or_default();
                sum.steps += 1;
                sum.tokens = sum.tokens.saturating_add(entry.tokens);
                sum.cost += entry.cost;
            }
        }
    }

    /// Returns the sums with the numbers of their projects, in an order that is the same for all servers.
    pub(super) fn rows(self) -> impl Iterator<Item = (i64, DailyUsage)> {
        self.0.into_iter().map(|((project, day, model, detector), sum)| {
            (project, DailyUsage { day, model, detector, ..sum })
        })
    }
}
