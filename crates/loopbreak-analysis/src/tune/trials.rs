//! Generates the settings to try. The list does not depend on any result, so held-out runs are really held out, and a
//! resumed search continues with the same trials.

use std::collections::HashSet;

use foldhash::fast::RandomState;
use loopbreak::Config;
use loopbreak_config::settings_json;
use serde::Serialize;
use serde_json::Value;

use super::space::{OptionChange, TuneDimension, changed, space, value_of};

/// Maximum number of options that a trial changes.
const CHANGES: usize = 4;
/// After this many draws in a row that are known or not valid, the space counts as exhausted.
const DRAWS: usize = 10_000;

/// Settings to try, as changes to the current ones.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SettingsTrial {
    /// The number; 0 is the current settings.
    pub number: usize,
    /// The changes, in the order of the space.
    pub changes: Vec<OptionChange>,
}

/// Generates trials: the current settings, then alternately one changed option and two to four.
#[derive(Debug)]
pub struct TrialGenerator {
    settings: Value,
    /// The options that are varied. A limit that is off stays off: the user or the profile chose that.
    varied: Vec<&'static TuneDimension>,
    random: TrialRng,
    /// Changes of one option, shuffled.
    single: Vec<OptionChange>,
    known: HashSet<Vec<(&'static str, u64)>, RandomState>,
    next: usize,
}

impl TrialGenerator {
    /// Creates a generator around these settings.
    pub fn new(config: &Config, seed: u64) -> Self {
        let settings = settings_json::to_value(config);
        let mut random = TrialRng(seed);
        let is_on = |dimension: &&TuneDimension| value_of(&settings, dimension.option) != Some(0.0);
        let varied: Vec<&TuneDimension> = space().iter().filter(is_on).collect();
        let mut single = Vec::new();
        for dimension in &varied {
            let now = value_of(&settings, dimension.option);
            let others = dimension.values.iter().filter(|value| Some(**value) != now);
            single.extend(others.map(|value| (dimension.option, *value)));
        }
        random.shuffle(&mut single);
        TrialGenerator { settings, varied, random, single, known: HashSet::default(), next: 0 }
    }

    /// Returns the settings of a trial.
    pub fn config(&self, trial: &SettingsTrial) -> Option<Config> {
        changed(&self.settings, &trial.changes)
    }

    /// Returns whether the changes are new and valid.
    fn accept(&mut self, changes: &[OptionChange]) -> bool {
        let key = changes.iter().map(|(option, value)| (*option, value.to_bits())).collect();
        changed(&self.settings, changes).is_some() && self.known.insert(key)
    }

    fn one(&mut self) -> Option<Vec<OptionChange>> {
        while let Some(change) = self.single.pop() {
            if self.accept(&[change]) {
                return Some(vec![change]);
            }
        }
        None
    }

    fn several(&mut self) -> Option<Vec<OptionChange>> {
        for _ in 0..DRAWS {
            let count = 2 + self.random.below(CHANGES - 1);
            let mut chosen: Vec<usize> = (0..self.varied.len()).collect();
            self.random.shuffle(&mut chosen);
            chosen.truncate(count);
            chosen.sort_unstable();
            let mut changes = Vec::new();
            for index in chosen {
                let dimension = self.varied[index];
                let value = dimension.values[self.random.below(dimension.values.len())];
                if value_of(&self.settings, dimension.option) != Some(value) {
                    changes.push((dimension.option, value));
                }
            }
            if changes.len() > 1 && self.accept(&changes) {
                return Some(changes);
            }
        }
        None
    }
}

impl Iterator for TrialGenerator {
    type Item = SettingsTrial;

    fn next(&mut self) -> Option<SettingsTrial> {
        let number = self.next;
        let changes = match number {
            0 => Vec::new(),
            odd if odd % 2 == 1 => self.one().or_else(|| self.several())?,
            _ => self.several().or_else(|| self.one())?,
        };
        self.next += 1;
        Some(SettingsTrial { number, changes })
    }
}

/// `SplitMix64`: small, and identical on every platform.
#[derive(Clone, Debug)]
pub(super) struct TrialRng(pub(super) u64);

impl TrialRng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 to below `end`.
    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tune_tries_the_same_settings_for_a_seed_and_none_twice() {
        let list = |seed| TrialGenerator::new(&Config::default(), seed).take(300).collect::<Vec<_>>();
        let trials = list(1);
        assert_eq!((trials.len(), &trials), (300, &list(1)));
        assert_ne!(trials[1..], list(2)[1..]);
        assert!(trials[0].changes.is_empty() && trials[1..].iter().all(|trial| !trial.changes.is_empty()));
        let mut seen: Vec<String> = trials.iter().map(|trial| format!("{:?}", trial.changes)).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 300);
        let off = |trial: &SettingsTrial| trial.changes.iter().any(|(option, _)| *option == "errors.hard_at");
        assert!(!trials.iter().any(off), "a limit that is off stays off");
        let maker = TrialGenerator::new(&Config::default(), 1);
        assert!(trials.iter().all(|trial| maker.config(trial).is_some()));
    }
}
