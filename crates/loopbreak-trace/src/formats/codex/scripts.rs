//! Scripts of code mode: the model writes JavaScript for the tool `exec`, and the script makes the calls.

use std::collections::VecDeque;

/// Maximum number of scripts without a result.
const SCRIPTS: usize = 64;

/// The scripts that have no result yet.
#[derive(Debug, Default)]
pub(super) struct CodexScripts {
    open: VecDeque<CodexScript>,
    /// True once there was a script.
    any: bool,
}

/// A script.
#[derive(Debug, Default)]
pub(super) struct CodexScript {
    /// Id of the call that started it.
    id: String,
    /// True if calls of it were read.
    pub(super) has_calls: bool,
    /// True if the last of these calls failed in a way that ends the script.
    pub(super) call_failed: bool,
}

impl CodexScripts {
    /// Adds a script.
    pub(super) fn open(&mut self, id: &str) {
        self.any = true;
        if self.open.len() >= SCRIPTS {
            self.open.pop_front();
        }
        self.open.push_back(CodexScript { id: id.to_owned(), ..CodexScript::default() });
    }

    /// Returns whether the calls of the session are made by scripts.
    pub(super) fn is_code_mode(&self) -> bool {
        self.any
    }

    /// Counts a call for the script that makes it: the last one. Returns the id of the script; `None` if the script goes
    /// on in the background.
    pub(super) fn add_call(&mut self, call_failed: bool) -> Option<&str> {
        let script = self.open.back_mut()?;
        script.has_calls = true;
        script.call_failed = call_failed;
        Some(&script.id)
    }

    /// Removes the script whose result was read.
    pub(super) fn close(&mut self, id: &str) -> Option<CodexScript> {
        let at = self.open.iter().position(|script| script.id == id)?;
        self.open.remove(at)
    }

    /// Forgets all scripts without a result.
    pub(super) fn clear(&mut self) {
        self.open.clear();
    }
}
