//! Tool calls that wait for their results.

use std::collections::VecDeque;

use loopbreak::{
    Action, Step,
    step::{EpochMillis, Label, StepText},
};

/// Maximum number of waiting calls, and of their bytes.
const CALLS: usize = 256;
const BYTES: usize = 64 * 1024 * 1024;

/// A call without its result.
#[derive(Debug)]
pub(crate) struct PendingCall {
    /// Id by which the result refers to it.
    pub(crate) id: String,
    /// Line number in the log.
    pub(crate) line: u64,
    /// Time of the call.
    pub(crate) at: Option<EpochMillis>,
    /// Label that the calls of one message share.
    pub(crate) batch: Option<Label<'static>>,
    /// Called tool and arguments.
    pub(crate) action: Action<'static>,
    /// Text of the agent before the call.
    pub(crate) say: Option<String>,
}

impl PendingCall {
    /// Returns the step of a call whose result is not known.
    pub(crate) fn into_step(self) -> Step<'static> {
        Step {
            at: self.at,
            batch: self.batch,
            action: Some(self.action),
            say: self.say.map(StepText::from),
            ..Step::default()
        }
    }

    fn bytes(&self) -> usize {
        let args = self.action.args.as_ref().map_or(0, |args| args.json().len());
        let batch = self.batch.as_ref().map_or(0, |batch| batch.as_text().len());
        args + batch + self.say.as_ref().map_or(0, String::len) + self.id.len() + self.action.name.len()
    }
}

/// The waiting calls, oldest first.
#[derive(Debug, Default)]
pub(crate) struct PendingCalls {
    calls: VecDeque<PendingCall>,
    bytes: usize,
}

impl PendingCalls {
    /// Adds a call. Returns the calls that had to make room; they no longer get a result.
    #[must_use]
    pub(crate) fn push(&mut self, call: PendingCall) -> Vec<PendingCall> {
        self.bytes += call.bytes();
        self.calls.push_back(call);
        let mut given_up = Vec::new();
        while self.calls.len() > 1 && (self.calls.len() > CALLS || self.bytes > BYTES) {
            given_up.extend(self.pop());
        }
        given_up
    }

    /// Removes the call that a result belongs to. A result without an id belongs to the oldest call.
    pub(crate) fn take(&mut self, id: Option<&str>) -> Option<PendingCall> {
        let at = match id {
            Some(id) => self.calls.iter().position(|call| call.id == id)?,
            None => 0,
        };
        let call = self.calls.remove(at)?;
        self.bytes -= call.bytes();
        Some(call)
    }

    /// Returns whether the call with this id is waiting.
    pub(crate) fn contains(&self, id: &str) -> bool {
        self.calls.iter().any(|call| call.id == id)
    }

    /// Takes the text before the waiting call with this id.
    pub(crate) fn take_say(&mut self, id: &str) -> Option<String> {
        let say = self.calls.iter_mut().find(|call| call.id == id)?.say.take()?;
        self.bytes -= say.len();
        Some(say)
    }

    /// Returns whether no call is waiting.
    pub(crate) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Removes the oldest call.
    pub(crate) fn pop(&mut self) -> Option<PendingCall> {
        self.take(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str) -> PendingCall {
        PendingCall {
            id: id.to_owned(),
            line: 1,
            at: None,
            batch: Some("m".into()),
            action: Action::new(id.to_owned()),
            say: None,
        }
    }

    #[test]
    fn results_find_their_calls_in_any_order() {
        let mut pending = PendingCalls::default();
        for id in ["a", "b", "c"] {
            assert!(pending.push(PendingCall { say: Some("x".to_owned()), ..call(id) }).is_empty());
        }
        assert!(pending.contains("a") && !pending.contains("d"));
        assert_eq!((pending.take_say("a").as_deref(), pending.take_say("a")), (Some("x"), None));
        assert_eq!(pending.take(Some("b")).unwrap().id, "b");
        assert!(pending.take(Some("b")).is_none());
        assert_eq!(pending.pop().unwrap().id, "a");
        assert_eq!(pending.pop().unwrap().id, "c");
        assert_eq!((pending.bytes, pending.calls.len()), (0, 0));
    }

    #[test]
    fn the_number_of_waiting_calls_is_limited() {
        let mut pending = PendingCalls::default();
        let given_up: usize = (0..1000).map(|i| pending.push(call(&i.to_string())).len()).sum();
        assert_eq!((given_up, pending.calls.len()), (1000 - CALLS, CALLS));
    }
}
