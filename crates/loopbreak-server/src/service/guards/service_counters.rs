//! Counts for the metrics since the server started.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use loopbreak::Verdict;

/// Upper bounds of the buckets of latencies, in seconds.
pub(crate) const LATENCY_BUCKETS: [f64; 12] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5];

/// Counts for the metrics since the server started.
#[derive(Debug, Default)]
pub(crate) struct ServiceCounters {
    /// Findings by detector, severity, and whether they were acted on.
    findings: Mutex<BTreeMap<(String, String, bool), u64>>,
    wasted_tokens: AtomicU64,
    /// In millionths of a US dollar.
    wasted_micro_usd: AtomicU64,
    /// Number of steps by bucket, and beyond the last one.
    latency: [AtomicU64; LATENCY_BUCKETS.len() + 1],
    latency_micros: AtomicU64,
    steps: AtomicU64,
    shed: AtomicU64,
    /// Number of runs in memory.
    pub(crate) live_runs: AtomicU64,
}

impl ServiceCounters {
    /// Counts the findings of a verdict.
    pub(super) fn count_findings(&self, verdict: &Verdict) {
        if verdict.findings.is_empty() {
            return;
        }
        let mut findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        for finding in &verdict.findings {
            let key = (finding.detector.to_string(), finding.severity.to_string(), finding.enforced);
            *findings.entry(key).or_default() += 1;
        }
    }

    /// Counts what a step of a loop cost.
    pub(super) fn count_waste(&self, tokens: u64, cost: f64) {
        self.wasted_tokens.fetch_add(tokens, Ordering::Relaxed);
        self.wasted_micro_usd.fetch_add((cost * 1e6) as u64, Ordering::Relaxed);
    }

    /// Counts steps that were answered after this time.
    pub(super) fn count_steps(&self, steps: u64, time: Duration) {
        let seconds = time.as_secs_f64();
        let bucket = LATENCY_BUCKETS.iter().position(|bound| seconds <= *bound);
        self.latency[bucket.unwrap_or(LATENCY_BUCKETS.len())].fetch_add(steps, Ordering::Relaxed);
        self.latency_micros.fetch_add(steps.saturating_mul(time.as_micros() as u64), Ordering::Relaxed);
        self.steps.fetch_add(steps, Ordering::Relaxed);
    }

    /// Counts steps that were refused because there was too much to do.
    pub(super) fn count_shed(&self, steps: u64) {
        self.shed.fetch_add(steps, Ordering::Relaxed);
    }

    /// Returns the findings by detector, severity, and whether they were acted on.
    pub(crate) fn findings(&self) -> BTreeMap<(String, String, bool), u64> {
        self.findings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the tokens and the cost in US dollars of steps in loops.
    pub(crate) fn waste(&self) -> (u64, f64) {
        let micros = self.wasted_micro_usd.load(Ordering::Relaxed);
        (self.wasted_tokens.load(Ordering::Relaxed), micros as f64 / 1e6)
    }

    /// Returns the number of steps by bucket of latency, their sum in seconds, and their number.
    pub(crate) fn latency(&self) -> (Vec<u64>, f64, u64) {
        let buckets = self.latency.iter().map(|bucket| bucket.load(Ordering::Relaxed)).collect();
        let sum = self.latency_micros.load(Ordering::Relaxed) as f64 / 1e6;
        (buckets, sum, self.steps.load(Ordering::Relaxed))
    }

    /// Returns the number of steps that were refused because there was too much to do.
    pub(crate) fn shed(&self) -> u64 {
        self.shed.load(Ordering::Relaxed)
    }
}
