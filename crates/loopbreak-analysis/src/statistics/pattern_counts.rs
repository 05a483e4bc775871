//! The findings of runs, counted by detector and pattern.

use loopbreak::{DetectorName, Finding, Pattern, Severity};
use serde::{Deserialize, Serialize};

/// Maximum number of patterns, which bounds a run with many patterns of its user. Loopbreak itself has fewer.
const MOST: usize = 256;

/// The findings of one pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatternCount {
    /// The detector.
    pub detector: DetectorName,
    /// The pattern.
    pub pattern: Pattern,
    /// Number of runs with such a finding.
    pub runs: u64,
    /// Number of hints.
    pub hints: u64,
    /// Number of warnings.
    pub warnings: u64,
    /// Number of hard findings.
    pub stops: u64,
    /// Number of findings, of any severity, that are only observed. They are not counted above.
    pub observed: u64,
}

impl PatternCount {
    /// Returns the number of findings.
    pub fn findings(&self) -> u64 {
        self.hints + self.warnings + self.stops + self.observed
    }
}

/// Counts findings by detector and pattern.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PatternCounts(Vec<PatternCount>);

impl PatternCounts {
    /// Adds a finding of a run.
    pub(crate) fn add(&mut self, finding: &Finding) {
        let Some(count) = self.entry(finding.detector, finding.pattern) else { return };
        count.runs = 1;
        *match finding.severity {
            _ if !finding.enforced => &mut count.observed,
            Severity::Hard => &mut count.stops,
            Severity::Warn => &mut count.warnings,
            _ => &mut count.hints,
        } += 1;
    }

    /// Adds the findings of another run.
    pub fn merge(&mut self, other: &PatternCounts) {
        for more in &other.0 {
            let Some(count) = self.entry(more.detector, more.pattern) else { continue };
            count.runs += more.runs;
            count.hints += more.hints;
            count.warnings += more.warnings;
            count.stops += more.stops;
            count.observed += more.observed;
        }
    }

    fn entry(&mut self, detector: DetectorName, pattern: Pattern) -> Option<&mut PatternCount> {
        let same = |count: &PatternCount| (count.detector, count.pattern) == (detector, pattern);
        match self.0.iter().position(same) {
            Some(index) => self.0.get_mut(index),
            None if self.0.len() >= MOST => None,
            None => {
                self.0.push(PatternCount {
                    detector,
                    pattern,
                    runs: 0,
                    hints: 0,
                    warnings: 0,
                    stops: 0,
                    observed: 0,
                });
                self.0.last_mut()
            }
        }
    }

    /// Returns the counts, those of the most runs first, then those with the most findings.
    pub fn into_sorted(mut self) -> Vec<PatternCount> {
        self.0.sort_by(|a, b| {
            let order = (b.runs, b.findings()).cmp(&(a.runs, a.findings()));
            order
                .then_with(|| a.detector.as_str().cmp(b.detector.as_str()))
                .then_with(|| a.pattern.as_str().cmp(b.pattern.as_str()))
        });
        self.0
    }
}
