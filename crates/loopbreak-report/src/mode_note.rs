//! The sentence about guards that were not enforced.

use loopbreak::Mode;

/// Returns the sentence about guards that were off or only observed. Every report has it: without it, a setting or a variable
/// that was left behind makes every run look clear.
pub fn mode_note(mode: Mode) -> Option<&'static str> {
    match mode {
        Mode::Observe => {
            Some("the mode is observe: findings are listed, but no run counts as warned or stopped")
        }
        Mode::Off => Some(
            "Loopbreak is off, so no run was checked: LOOPBREAK=off is set, or mode = \"off\" in the configuration",
        ),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_said_if_the_guards_were_enforced() {
        assert_eq!(mode_note(Mode::Enforce), None);
        assert!(mode_note(Mode::Off).unwrap().contains("LOOPBREAK=off"));
        assert!(mode_note(Mode::Observe).unwrap().contains("observe"));
    }
}
