//! Loops that a detector has already reported, so that each is reported once, and again only when it gets
//! worse.

use crate::memory::{HashKey, RingBuffer, snapshot_row, snapshot_type};
use crate::verdict::Severity;

/// Number of steps without a detection after which a loop counts as over. After that it is reported again.
pub(crate) const CLOSING_STEPS: u64 = 3;

/// Number of loops that a detector keeps apart at a time.
const LOOPS: usize = 8;

snapshot_type! {
    /// The loops a detector has reported.
    #[derive(Clone, Debug, Default)]
    pub(crate) struct ReportLatch(RingBuffer<ReportedLoop, LOOPS>);
}

snapshot_row! {
    #[derive(Clone, Debug)]
    struct ReportedLoop {
        identity: HashKey,
        severity: Severity,
        stage: u8,
        count: u32,
        step: u64,
    }
}

impl ReportLatch {
    /// Returns whether this detection is news: a loop that was not reported recently, or one that got worse.
    /// Worse means a higher severity or stage, or twice the count of the last report.
    pub(crate) fn is_news(
        &mut self,
        identity: HashKey,
        severity: Severity,
        stage: u8,
        count: u32,
        step: u64,
    ) -> bool {
        if let Some(known) = self.0.iter_mut().find(|known| known.identity == identity) {
            let over = step > known.step + CLOSING_STEPS;
            known.step = step;
            let worse = (severity, stage) > (known.severity, known.stage)
                || (severity == known.severity && count >= known.count.saturating_mul(2));
            if over || worse {
                (known.severity, known.stage, known.count) = (severity, stage, count);
            }
            return over || worse;
        }
        self.0.push(ReportedLoop { identity, severity, stage, count, step });
        true
    }

    /// Forgets all loops, because a message from the user makes every later detection news.
    pub(crate) fn reset(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Severity::{Hard, Warn};

    #[test]
    fn a_loop_is_reported_once_and_again_when_it_worsens() {
        let mut latch = ReportLatch::default();
        assert!(latch.is_news(HashKey(1), Warn, 0, 4, 10));
        assert!(!latch.is_news(HashKey(1), Warn, 0, 5, 11));
        assert!(!latch.is_news(HashKey(1), Warn, 0, 7, 12));
        assert!(latch.is_news(HashKey(1), Warn, 0, 8, 13), "twice the count");
        assert!(latch.is_news(HashKey(1), Warn, 1, 9, 14), "a higher stage");
        assert!(latch.is_news(HashKey(1), Hard, 0, 9, 15), "a higher severity");
        assert!(!latch.is_news(HashKey(1), Warn, 1, 10, 16), "milder than before");
    }

    #[test]
    fn a_loop_that_paused_is_reported_again() {
        let mut latch = ReportLatch::default();
        assert!(latch.is_news(HashKey(1), Warn, 0, 4, 10));
        assert!(!latch.is_news(HashKey(1), Warn, 0, 4, 13));
        assert!(latch.is_news(HashKey(1), Warn, 0, 4, 17));
    }
}
