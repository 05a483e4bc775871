//! The arguments of `loopbreak statusline`.

use clap::Args;

/// Print one line about the loops of a session, for the status line of Claude Code.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  In .claude/settings.json or ~/.claude/settings.json:
    \"statusLine\": {\"type\": \"command\", \"command\": \"loopbreak statusline\"}
  With another status line, such as that of ccusage:
    \"command\": \"loopbreak statusline --wrap 'ccusage statusline'\"
  echo '{\"session_id\":\"ID\"}' | loopbreak statusline

Reads the JSON that Claude Code passes to it. The line is empty as long as
nothing loops. The store is only read, and not waited for.

Exit codes:
  0 always, also if something goes wrong; 2 wrong usage")]
pub(crate) struct StatuslineArgs {
    /// Run this command line with the same input, and add the line to its first line
    ///
    /// It has 1.5 seconds. If it fails, only the line of Loopbreak is printed.
    #[arg(long, value_name = "CMD")]
    pub(super) wrap: Option<String>,
    /// Print the line of Loopbreak before that of the other command
    #[arg(long, requires = "wrap")]
    pub(super) first: bool,
}
