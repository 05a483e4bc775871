//! Commands of Loopbreak that only the user may run.

/// Returns the part of a command line that names the command, if only the user may run it. `words` are those of a call of this
/// program, with its name.
pub(super) fn users_command(words: &[String]) -> Option<String> {
    let arguments: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
    let has = |option: &str| arguments.contains(&option);
    if ["--help", "-h", "--list", "--dry-run", "--version"].iter().any(|option| has(option)) {
        return None;
    }
    let mut names = arguments.iter().filter(|argument| !argument.starts_with('-'));
    let (first, second) = (*names.next()?, names.next().copied().unwrap_or_default());
    match (first, second) {
        ("config", "trust" | "untrust") | ("hook", "uninstall") => {
            Some(format!("loopbreak {first} {second}"))
        }
        // Without --force, it never replaces a file.
        ("config", "init") if has("--force") => Some("loopbreak config init --force".to_owned()),
        ("allow" | "forget" | "pause" | "resume", _) => Some(format!("loopbreak {first}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_commands_that_change_the_guard_are_the_users() {
        let command = |line: &str| users_command(&line.split(' ').map(str::to_owned).collect::<Vec<_>>());
        for line in [
            "loopbreak allow last",
            "loopbreak config trust --yes",
            "loopbreak hook uninstall codex",
            "loopbreak pause 5f2c",
        ] {
            assert!(command(line).is_some(), "{line}");
        }
        for line in [
            "loopbreak analyze logs/",
            "loopbreak status",
            "loopbreak log last",
            "loopbreak config check",
            "loopbreak config init",
            "loopbreak config trust --list",
            "loopbreak allow --help",
            "loopbreak hook install codex",
            "loopbreak hook uninstall codex --dry-run",
            "loopbreak",
        ] {
            assert_eq!(command(line), None, "{line}");
        }
    }
}
