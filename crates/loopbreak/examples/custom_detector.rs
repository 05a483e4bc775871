//! Adds a detector of your own to a guard: `cargo run -p loopbreak --example custom_detector`.
//!
//! The detector counts tool calls that cost money without a word to the user, and keeps its count in the snapshot of the
//! guard.
#![expect(clippy::print_stdout, reason = "an example prints what it sees")]

use loopbreak::detectors::CustomName;
use loopbreak::detectors::custom::{CustomContext, CustomDetector, CustomFinding, CustomFindings};
use loopbreak::{Action, Config, Guard, Severity, Step};
use serde_json::{Value, json};

const PAID_CALLS: CustomName = CustomName::from_static("paid_calls");

/// Reports paid calls in a row, without a message from the user between them.
#[derive(Clone, Debug)]
struct PaidCallDetector {
    warn_at: u32,
    calls: u32,
    since: u64,
}

impl CustomDetector for PaidCallDetector {
    fn name(&self) -> CustomName {
        PAID_CALLS
    }

    fn observe(&mut self, context: &CustomContext<'_>, findings: &mut CustomFindings<'_>) {
        let step = context.step();
        if step.user.is_some() {
            self.calls = 0;
        }
        if step.action.as_ref().is_none_or(|action| &*action.name != "buy_data") {
            return;
        }
        if self.calls == 0 {
            self.since = context.turn();
        }
        self.calls += 1;
        if self.calls >= self.warn_at {
            let reason = format!("{} paid calls in a row without a message from the user", self.calls);
            let finding = CustomFinding::new(PAID_CALLS, Severity::Warn, reason);
            findings.add(finding.since(self.since).count(self.calls));
        }
    }

    fn snapshot(&self) -> Value {
        json!({"calls": self.calls, "since": self.since})
    }

    fn restore(&mut self, state: &Value) {
        self.calls = state["calls"].as_u64().and_then(|calls| calls.try_into().ok()).unwrap_or(0);
        self.since = state["since"].as_u64().unwrap_or(0);
    }
}

fn detector() -> Box<dyn CustomDetector> {
    Box::new(PaidCallDetector { warn_at: 3, calls: 0, since: 0 })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut guard = Guard::new(Config::default()).with_detector(detector())?;
    for number in 1..=6 {
        let action = Action::new("buy_data").with_args(&json!({"record": number}));
        let verdict = guard.observe(&Step { action: Some(action), ..Step::default() });
        for finding in &verdict.findings {
            println!("turn {}: {} from {}", finding.turn, finding.reason(), finding.detector);
        }
        // Settings and detectors are not part of a snapshot: the process that restores it adds them again.
        let snapshot = guard.into_snapshot();
        guard = Guard::restore(Config::default(), snapshot)?.with_detector(detector())?;
    }
    Ok(())
}
