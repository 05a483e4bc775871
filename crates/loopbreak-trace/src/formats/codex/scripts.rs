//! Scripts of code mode: the model writes JavaScript for the tool `exec`, and the script makes the calls.

use std::collections::VecDeque;

use loopbreak::Action;
use serde_json::json;

use super::call_outcome::{denied_command, is_failed_patch};

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

/// The first line of a patch.
const PATCH_START: &str = "*** Begin Patch";

/// Returns the call of a script that failed before the call was carried out, as hooks see it: the command or the patch, and not
/// the script. `None` if the result does not say which call it was.
pub(super) fn scripted_action(script: &Action<'_>, result: &str) -> Option<Action<'static>> {
    if &*script.name != "exec" {
        return None;
    }
    let call =
        |name: &'static str, command: &str| Action::new(name).with_args(&json!({ "command": command }));
    if let Some(command) = denied_command(result) {
        let is_patch = command.starts_with(PATCH_START);
        return Some(if is_patch { call("apply_patch", command) } else { call("Bash", command.trim_end()) });
    }
    let source: String = serde_json::from_str(script.args.as_ref()?.json()).ok()?;
    let patch = patch_in(&source).filter(|_| is_failed_patch(result))?;
    Some(call("apply_patch", &patch))
}

/// Returns the patch in the source of a script, if it is a plain string.
fn patch_in(source: &str) -> Option<String> {
    let start = source.find(&format!("\"{PATCH_START}"))?;
    // The literals of JSON are literals of JavaScript as well.
    serde_json::Deserializer::from_str(&source[start..]).into_iter().next()?.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_script_is_the_call_that_failed() {
        let source =
            "const r = await tools.apply_patch(\"*** Begin Patch\\n-a\\n*** End Patch\\n\");\ntext(r);\n";
        let script = Action::new("exec").with_args(&json!(source));
        let patch = "apply_patch {\"command\":\"*** Begin Patch\\n-a\\n*** End Patch\\n\"}";
        let refused = "Script error:\nCommand blocked by PreToolUse hook: Loop guard: no.";
        for (result, expected) in [
            ("Script error:\napply_patch verification failed: no such lines".to_owned(), Some(patch)),
            (format!("{refused} Command: *** Begin Patch\n-a\n*** End Patch\n"), Some(patch)),
            (format!("{refused} Command: ls\n"), Some("Bash {\"command\":\"ls\"}")),
            ("Script error:\nReferenceError: x is not defined".to_owned(), None),
        ] {
            let action = scripted_action(&script, &result);
            assert_eq!(action.as_ref().map(|action| action.line()).as_deref(), expected, "{result}");
        }
        let computed = Action::new("exec").with_args(&json!("await tools.apply_patch(patch)"));
        assert!(scripted_action(&computed, "Script error:\napply_patch verification failed: x").is_none());
        assert!(
            scripted_action(&Action::new("ls"), "Script error:\napply_patch verification failed: x")
                .is_none()
        );
    }
}
