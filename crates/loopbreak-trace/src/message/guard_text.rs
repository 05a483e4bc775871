//! Refusals of Loopbreak in the logs of other programs.

/// Beginning of all texts that Loopbreak's hooks write.
const GUARD: &str = "Loop guard:";

/// Returns whether Loopbreak wrote the reason of a refusal. An agent may put the name of the hook before the reason.
pub(crate) fn is_guard_reason(reason: &str) -> bool {
    reason.lines().next().is_some_and(|line| line.contains(GUARD))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_line_names_the_author() {
        assert!(is_guard_reason("Loop guard: refused: ls\nThis call was made 7 times."));
        assert!(is_guard_reason("[loopbreak hook claude-code]: Loop guard: refused: ls"));
        assert!(!is_guard_reason("not here\nLoop guard: refused: ls"));
        assert!(!is_guard_reason(""));
    }
}
