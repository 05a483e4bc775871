//! Calls that wait for their results.

use std::collections::VecDeque;

use loopbreak::{Action, EpochMillis};

/// How many calls may wait at a time, and how many bytes of arguments.
const CALLS: usize = 256;
const BYTES: usize = 64 * 1024 * 1024;

/// A call without its result.
#[derive(Debug)]
pub(crate) struct PendingCall {
    /// What the result will name it by.
    pub(crate) id: String,
    /// Where it stands in the log.
    pub(crate) line: u64,
    /// When it was made.
    pub(crate) at: Option<EpochMillis>,
    /// What is called, with what.
    pub(crate) action: Action<'static>,
    /// What the agent said before.
    pub(crate) say: Option<String>,
}

impl PendingCall {
    fn bytes(&self) -> usize {
        let args = self.action.args.as_ref().map_or(0, |args| args.json().len());
        args + self.say.as_ref().map_or(0, String::len) + self.id.len() + self.action.name.len()
    }
}

/// Calls that wait, oldest first.
#[derive(Debug, Default)]
pub(crate) struct PendingCalls {
    calls: VecDeque<PendingCall>,
    bytes: usize,
}

impl PendingCalls {
    /// One more. Those that have to make room will not get their results any more.
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

    /// The call that this result is of. Results without an id are of the oldest call.
    pub(crate) fn take(&mut self, id: Option<&str>) -> Option<PendingCall> {
        let at = match id {
            Some(id) => self.calls.iter().position(|call| call.id == id)?,
            None => 0,
        };
        let call = self.calls.remove(at)?;
        self.bytes -= call.bytes();
        Some(call)
    }

    /// The oldest.
    pub(crate) fn pop(&mut self) -> Option<PendingCall> {
        self.take(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str) -> PendingCall {
        PendingCall { id: id.to_owned(), line: 1, at: None, action: Action::new(id.to_owned()), say: None }
    }

    #[test]
    fn results_find_their_calls_in_any_order() {
        let mut pending = PendingCalls::default();
        for id in ["a", "b", "c"] {
            assert!(pending.push(call(id)).is_empty());
        }
        assert_eq!(pending.take(Some("b")).unwrap().id, "b");
        assert!(pending.take(Some("b")).is_none());
        assert_eq!(pending.pop().unwrap().id, "a");
        assert_eq!(pending.pop().unwrap().id, "c");
        assert_eq!((pending.bytes, pending.calls.len()), (0, 0));
    }

    #[test]
    fn no_more_than_so_many_wait() {
        let mut pending = PendingCalls::default();
        let given_up: usize = (0..1000).map(|i| pending.push(call(&i.to_string())).len()).sum();
        assert_eq!((given_up, pending.calls.len()), (1000 - CALLS, CALLS));
    }
}
