//! Plugins: files of their own, for agents that have no settings for hooks.

/// Beginning of the line that names the command.
const COMMAND: &str = "const COMMAND = ";

/// Returns the text of a plugin that calls this command.
pub(super) fn with_command(source: &str, command: &str) -> String {
    let lines = source.lines().map(|line| match line.strip_prefix(COMMAND) {
        Some(_) => format!("{COMMAND}{}\n", serde_json::Value::from(command)),
        None => format!("{line}\n"),
    });
    lines.collect()
}

/// Returns the command that a plugin calls.
pub(super) fn command_in(text: &str) -> Option<String> {
    let command = text.lines().find_map(|line| line.strip_prefix(COMMAND))?;
    serde_json::from_str(command.trim()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_of_a_plugin_is_replaced() {
        let source = "// what it is\nconst COMMAND = \"loopbreak hook x\"\nrun(COMMAND)\n";
        assert_eq!(command_in(source).as_deref(), Some("loopbreak hook x"));
        let command = "'/a b/loopbreak' hook x";
        let installed = with_command(source, command);
        assert_eq!(command_in(&installed).as_deref(), Some(command));
        assert_eq!(with_command(&installed, "loopbreak hook x"), source);
        assert_eq!(command_in("const other = 1\n"), None);
    }
}
