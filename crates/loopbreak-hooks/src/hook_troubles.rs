//! Problems of hooks in the last day. The agents continued, so the user may not have noticed.

use std::path::Path;

use loopbreak::text::printable;

use crate::{error_log, waiting_events};

/// Errors are reported for this long, in milliseconds.
const RECENT: i64 = 24 * 60 * 60 * 1000;

/// Problems of hooks in the last 24 hours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookTroubles {
    /// Number of failures.
    pub failures: usize,
    /// The last failure.
    pub last: Option<String>,
    /// Number of steps that wait to be recorded.
    pub queued: usize,
}

impl HookTroubles {
    /// Finds the problems of the hooks that use a store.
    pub fn find(store: &Path, now: i64) -> Self {
        let (failures, last) = error_log::failures_since(store, now.saturating_sub(RECENT));
        HookTroubles { failures, last, queued: waiting_events(store) }
    }

    /// Describes the problems in sentences for the user. Empty if there are none.
    pub fn describe(&self, store: &Path) -> Vec<String> {
        let counted =
            |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
        let mut told = Vec::new();
        if let Some(last) = &self.last {
            told.push(format!(
                "hooks failed {} in the last 24 hours and the agents continued without the guard: see {}",
                counted(self.failures, "time"),
                error_log::path(store).display()
            ));
            told.push(format!("last failure: {}", printable(last)));
        }
        if self.queued > 0 {
            let steps = counted(self.queued, "step");
            told.push(format!("{steps} to be recorded with the next event of the session"));
        }
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_are_counted_and_described() {
        let store = Path::new("loopbreak.db");
        assert!(HookTroubles::default().describe(store).is_empty());
        let one = HookTroubles { failures: 1, last: Some("no space\u{1b}".to_owned()), queued: 1 };
        let told = one.describe(store);
        assert!(told[0].starts_with("hooks failed 1 time in the last 24 hours"), "{told:?}");
        assert!(!told[1].contains('\u{1b}') && told[2].starts_with("1 step to be recorded"), "{told:?}");
        let many = HookTroubles { failures: 3, queued: 2, ..one };
        assert!(many.describe(store)[0].contains("3 times") && many.describe(store)[2].contains("2 steps"));
    }
}
