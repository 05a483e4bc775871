//! Detects tasks that keep sending each other back. Each attempt on its own looks healthy; only the sequence
//! of send-backs shows the circle. The engine's `cycle` detector judges it, on steps that contain only the
//! send-backs: a task that was sent back is the next one, so nothing comes between them.

use loopbreak::evidence::EvidenceKey;
use loopbreak::settings::Mode;
use loopbreak::{Action, Config, Guard, Outcome, Profile, Settings, Severity, Snapshot, Step, Verdict};
use serde_json::json;

/// The number of send-backs that are kept. It is larger than the longest period.
const MAX_SENT: usize = 12;

/// The guard that watches the send-backs between tasks.
#[derive(Debug)]
pub(crate) struct SendBackTracker {
    guard: Guard,
    /// The last send-backs as pairs of the sending task and the task that was sent back, the newest last.
    pub(crate) sent: Vec<(String, String)>,
}

/// A circle of tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SendBackCircle {
    pub(crate) tasks: Vec<String>,
    /// True if the circle must be broken. Otherwise it is only reported.
    pub(crate) hard: bool,
}

impl SendBackTracker {
    pub(crate) fn new(
        config: &Config,
        run: &str,
        snapshot: Option<Snapshot>,
        sent: Vec<(String, String)>,
    ) -> Self {
        let config = cycle_config(config);
        let restored = snapshot.and_then(|snapshot| Guard::restore(config.clone(), snapshot).ok());
        let guard = restored.unwrap_or_else(|| Guard::new(config).for_run(run));
        SendBackTracker { guard, sent }
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        self.guard.snapshot()
    }

    /// Records that one task sent another one back. Returns the verdict, and the circle if there is one.
    pub(crate) fn record(&mut self, from: &str, to: &str) -> (Verdict, Option<SendBackCircle>) {
        if self.sent.len() >= MAX_SENT {
            self.sent.remove(0);
        }
        self.sent.push((from.to_owned(), to.to_owned()));
        // The step has no time: steps far apart would count as waiting, but here there is work between them.
        let step = Step {
            action: Some(Action::new("send back").with_args(&json!({"from": from, "to": to}))),
            // The reasons for sending it back are worded differently each time, so they are left out.
            outcome: Some(Outcome::new("sent back")),
            ..Step::default()
        };
        let verdict = self.guard.observe(&step);
        let circle = self.find_circle(&verdict);
        (verdict, circle)
    }

    fn find_circle(&self, verdict: &Verdict) -> Option<SendBackCircle> {
        let enforced =
            verdict.findings.iter().filter(|finding| finding.enforced && finding.severity >= Severity::Warn);
        let worst = enforced.max_by_key(|finding| finding.severity)?;
        let period = worst.evidence.number(EvidenceKey::PERIOD).unwrap_or(1);
        let mut tasks: Vec<String> = Vec::new();
        for (from, to) in self.sent.iter().rev().take(period as usize) {
            for task in [from, to] {
                if !tasks.contains(task) {
                    tasks.push(task.clone());
                }
            }
        }
        tasks.sort();
        Some(SendBackCircle { tasks, hard: worst.severity == Severity::Hard })
    }
}

/// Returns a configuration in which only `cycle` is on, with the user's settings.
fn cycle_config(config: &Config) -> Config {
    let mut settings = Settings::from(Profile::Documents);
    settings.mode = config.mode;
    settings.cycle = config.cycle.clone();
    settings.policy = config.policy.clone();
    settings.advice = config.advice.clone();
    settings.errors.mode = Mode::Off;
    settings.budget.mode = Mode::Off;
    settings.novelty.mode = Mode::Off;
    // These are valid parts of valid settings. If they were not, the defaults would detect circles as well.
    Config::new(settings).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the send-back at which a circle of these tasks is first reported, and the one at which it must
    /// be broken.
    fn rounds(ids: &[&str]) -> (Option<usize>, Option<usize>) {
        let mut tracker = SendBackTracker::new(&Config::default(), "r", None, Vec::new());
        let (mut warned, mut hard) = (None, None);
        for number in 1..=40 {
            let (from, to) = (ids[(number - 1) % ids.len()], ids[number % ids.len()]);
            let (_, circle) = tracker.record(from, to);
            if let Some(circle) = circle {
                let mut all: Vec<&str> = ids.to_vec();
                all.sort_unstable();
                assert_eq!(circle.tasks, all, "at {number}");
                let at = if circle.hard { &mut hard } else { &mut warned };
                at.get_or_insert(number);
            }
        }
        (warned, hard)
    }

    #[test]
    fn circles_of_two_and_three_tasks_are_reported_and_then_broken() {
        assert_eq!(rounds(&["a", "b"]), (Some(4), Some(8)));
        assert_eq!(rounds(&["T1", "T2", "T3"]), (Some(6), Some(12)));
        let ids = ["1f0c2e9a-7c1d-4f7e-9a55-0c1d2e3f4a5b", "9d8c7b6a-1c1d-4f7e-9a55-aabbccddeeff"];
        assert_eq!(rounds(&ids), (Some(4), Some(8)));
    }

    #[test]
    fn many_tasks_that_are_each_sent_back_once_or_twice_are_healthy() {
        let mut tracker = SendBackTracker::new(&Config::default(), "r", None, Vec::new());
        for number in 0..30 {
            let (review, work) = (format!("review-{number}"), format!("work-{number}"));
            for _ in 0..2 {
                assert_eq!(tracker.record(&review, &work).1, None, "{number}");
            }
        }
    }

    #[test]
    fn mode_observe_breaks_no_circle() {
        let settings = Settings { mode: Mode::Observe, ..Settings::default() };
        let mut tracker = SendBackTracker::new(&Config::new(settings).unwrap(), "r", None, Vec::new());
        for _ in 0..10 {
            assert_eq!(tracker.record("a", "b").1, None);
            assert_eq!(tracker.record("b", "a").1, None);
        }
    }
}
