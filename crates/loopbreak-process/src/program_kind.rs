//! The kind of program that a process runs, as far as it matters for signals.

/// Shells, by the name of their program.
const SHELLS: [&str; 9] = ["sh", "bash", "dash", "zsh", "fish", "ksh", "mksh", "ash", "busybox"];
/// Programs that start another one and wait for it.
const STARTERS: [&str; 7] = ["env", "timeout", "nice", "nohup", "stdbuf", "setsid", "time"];
/// Programs that run a program written in another language. Their own name says nothing.
const INTERPRETERS: [&str; 8] = ["node", "bun", "deno", "python", "python3", "ruby", "perl", "java"];
/// Starts of the names of programs that other things than an agent depend on.
const NEVER: [&str; 28] = [
    "systemd",
    "init",
    "tmux",
    "screen",
    "zellij",
    "sshd",
    "login",
    "cron",
    "dbus",
    "xterm",
    "konsole",
    "alacritty",
    "kitty",
    "wezterm",
    "foot",
    "gnome-",
    "xfce4-",
    "ptyxis",
    "terminator",
    "ghostty",
    "Xorg",
    "Xwayland",
    "containerd",
    "dockerd",
    "conmon",
    "supervisord",
    "runsv",
    "sudo",
];

/// The kind of program that a process runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProgramKind {
    /// A shell or another program that only runs the command it was given, such as `sh -c`.
    Wrapper,
    /// A shell that runs a script.
    Script,
    /// A shell that a human types into.
    InteractiveShell,
    /// A program that other things than an agent depend on, such as a terminal.
    System,
    /// Anything else.
    Other,
}

impl ProgramKind {
    /// Recognises a program by its name and the first words of its command line.
    pub(crate) fn from_command_line(name: &str, words: &[String]) -> Self {
        let program = words.first().map_or(name, |word| base_name(word));
        // A login shell has a dash before its name.
        let program = program.strip_prefix('-').unwrap_or(program);
        if NEVER.iter().any(|start| name.starts_with(start) || program.starts_with(start)) {
            return ProgramKind::System;
        }
        if STARTERS.contains(&program) {
            return ProgramKind::Wrapper;
        }
        if !SHELLS.contains(&program) {
            return ProgramKind::Other;
        }
        let mut arguments = words.iter().skip(1).map(String::as_str);
        if program == "busybox" {
            arguments.next();
        }
        for argument in arguments {
            match argument.strip_prefix('-') {
                Some(option) if option.starts_with('-') => {}
                Some(option) if option.contains('c') => return ProgramKind::Wrapper,
                Some(_) => {}
                None => return ProgramKind::Script,
            }
        }
        ProgramKind::InteractiveShell
    }
}

/// Returns whether two command lines run the same program, one of them as the launcher of the other: `node /usr/bin/codex` starts
/// `/usr/lib/codex/codex`.
pub(crate) fn is_same_program(one: &[String], other: &[String]) -> bool {
    let names = |words: &[String]| -> Vec<String> {
        let names = words.iter().take(4).filter(|word| !word.starts_with('-')).map(|word| base_name(word));
        let names = names.map(|name| name.split_once('.').map_or(name, |(stem, _)| stem).to_owned());
        names.filter(|name| !name.is_empty() && !INTERPRETERS.contains(&name.as_str())).take(2).collect()
    };
    let (one, other) = (names(one), names(other));
    one.first().is_some_and(|name| other.contains(name))
        || other.first().is_some_and(|name| one.contains(name))
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn a_shell_is_judged_by_what_it_runs() {
        for (line, kind) in [
            ("/bin/sh -c loopbreak", ProgramKind::Wrapper),
            ("bash -lc loopbreak", ProgramKind::Wrapper),
            ("/usr/bin/env node", ProgramKind::Wrapper),
            ("sh agent.sh", ProgramKind::Script),
            ("bash -e nightly.sh", ProgramKind::Script),
            ("-bash", ProgramKind::InteractiveShell),
            ("zsh -i", ProgramKind::InteractiveShell),
            ("bash --login", ProgramKind::InteractiveShell),
            ("tmux new", ProgramKind::System),
            ("/usr/libexec/gnome-terminal-server", ProgramKind::System),
            ("node /usr/bin/claude", ProgramKind::Other),
            ("claude", ProgramKind::Other),
        ] {
            assert_eq!(ProgramKind::from_command_line("x", &words(line)), kind, "{line}");
        }
        assert_eq!(ProgramKind::from_command_line("tmux: server", &[]), ProgramKind::System);
    }

    #[test]
    fn a_launcher_is_the_same_program_and_an_orchestrator_is_not() {
        assert!(is_same_program(&words("node /usr/bin/codex exec"), &words("/lib/vendor/codex/codex exec")));
        assert!(is_same_program(
            &words("node /usr/bin/gemini"),
            &words("node --max-old-space-size=8 /usr/bin/gemini")
        ));
        assert!(is_same_program(&words("node /x/opencode.js"), &words("/x/bin/opencode")));
        assert!(!is_same_program(&words("python3 orchestrate.py"), &words("claude -p")));
        assert!(!is_same_program(&words("node server.js"), &words("node /usr/bin/claude")));
    }
}
