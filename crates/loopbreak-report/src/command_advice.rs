//! Advice about commands that do not exist, for people who expect them from other programs.

/// Returns what to type instead of a command that does not exist. `parent` is the command it was given to, if any.
pub fn command_advice(parent: Option<&str>, name: &str) -> Option<&'static str> {
    Some(match (parent, name) {
        (None, "server") => "`loopbreak serve` serves agents over HTTP",
        (None, "dashboard" | "report" | "html" | "ui") => {
            "`loopbreak analyze --html report.html` writes a page; `loopbreak watch` shows runs as they happen"
        }
        (None, "init" | "setup") => {
            "`loopbreak hook install` guards an agent; `loopbreak config init` writes a configuration file"
        }
        (None, "install" | "uninstall") => "`loopbreak hook install` and `loopbreak hook uninstall`",
        (None, "doctor" | "check") => {
            "`loopbreak hook doctor` checks the hooks; `loopbreak config check` the configuration"
        }
        (None, "ps" | "list" | "runs") => "`loopbreak status` lists the guarded runs",
        (None, "logs" | "show" | "history") => {
            "`loopbreak log last` shows a run; `loopbreak analyze` finds loops in logs"
        }
        (None, "top" | "tail" | "follow") => "`loopbreak watch` follows the logs of your agents",
        (None, "help") => "`loopbreak --help`, or `loopbreak COMMAND --help`",
        (None, "version") => "`loopbreak --version`",
        (None, "task" | "roadmap") => "`loopbreak tasks list`, and `loopbreak run --roadmap FILE -- CMD`",
        (Some("config"), "set" | "unset" | "edit") => {
            "edit loopbreak.toml, which `loopbreak config init` writes; --set KEY=VALUE sets an option for one command"
        }
        (Some("config"), "list" | "show" | "ls") => "`loopbreak config check` lists the effective values",
        (Some("hook"), "add" | "enable") => "`loopbreak hook install`",
        (Some("hook"), "remove" | "disable") => "`loopbreak hook uninstall`",
        (Some("hook"), "status" | "list" | "check") => "`loopbreak hook doctor`",
        (Some("tasks"), "reopen" | "retry") => "`loopbreak tasks open ID`",
        (Some("tasks"), "ls" | "status") => "`loopbreak tasks list`",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_other_programs_have_an_equivalent() {
        for name in ["server", "dashboard", "init", "doctor", "ps"] {
            assert!(command_advice(None, name).is_some_and(|advice| advice.contains("loopbreak ")), "{name}");
        }
        assert!(command_advice(Some("config"), "set").is_some());
        assert_eq!(command_advice(Some("tasks"), "serve"), None);
        assert_eq!(command_advice(None, "frobnicate"), None);
    }
}
