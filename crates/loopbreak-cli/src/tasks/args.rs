//! The commands below `tasks`, and their options.

use clap::{Args, Subcommand};

/// Show and change the tasks of a roadmap.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak tasks list                          List the tasks with their status
  loopbreak tasks list --tree                   Show the dependencies
  loopbreak tasks show api                      Show attempts and decisions
  loopbreak tasks add docs --title 'Write the docs' --after api
  loopbreak tasks done api                      Mark a task as finished
  loopbreak tasks block api --by 'no token'     Mark a task as blocked
  loopbreak tasks open api                      Reopen a task

The tasks are those of the last `loopbreak run --roadmap` in this folder, unless
--run or the variable LOOPBREAK_RUN names another run. A running run sees a
change before its next attempt.")]
pub(crate) struct TasksArgs {
    #[command(subcommand)]
    pub(super) command: TasksCommand,
    /// Run with the tasks, or the start of its name: see `loopbreak status --all`
    #[arg(long, value_name = "RUN", global = true)]
    pub(super) run: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(super) enum TasksCommand {
    /// List the tasks with their status
    List(ListArgs),
    /// Show everything about a task
    Show(ShowArgs),
    /// Add a task
    Add(AddArgs),
    /// Mark a task as finished
    #[command(after_help = "\
Examples:
  loopbreak tasks done api
  loopbreak tasks done api --reason 'fixed by hand'")]
    Done(ChangeArgs),
    /// Mark a task as blocked
    Block(BlockArgs),
    /// Reopen a task that was done, forced or left to a human
    #[command(after_help = "\
Examples:
  loopbreak tasks open api
  loopbreak tasks open api --reason 'the check fails again'")]
    Open(ChangeArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak tasks list                    Tasks of the last run in this folder
  loopbreak tasks list --tree             Dependencies as a tree
  loopbreak tasks list --run 5f2c         Tasks of another run
  loopbreak tasks list --json             All fields as JSON")]
pub(super) struct ListArgs {
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
    /// Show the dependencies as a tree
    #[arg(long, conflicts_with = "json")]
    pub(super) tree: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak tasks show api                Attempts, recoveries and decisions
  loopbreak tasks show api --json         All fields as JSON")]
pub(super) struct ShowArgs {
    /// Id of the task
    pub(super) id: String,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak tasks add docs --title 'Write the docs' --after api
  loopbreak tasks add lint --title 'Fix the lints' --check 'cargo clippy'")]
pub(super) struct AddArgs {
    /// Id of the task, at most 64 bytes
    pub(super) id: String,
    /// Title, on one line
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(super) title: String,
    /// Description of the work
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(super) details: String,
    /// Task that must be finished first; can be repeated
    #[arg(long, value_name = "ID")]
    pub(super) after: Vec<String>,
    /// Command that checks the work
    #[arg(long, value_name = "CMD", default_value = "", hide_default_value = true)]
    pub(super) check: String,
}

#[derive(Debug, Args)]
pub(super) struct ChangeArgs {
    /// Id of the task
    pub(super) id: String,
    /// Reason for the change
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(super) reason: String,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak tasks block api --by 'no token'
  loopbreak tasks block api --by 'no token' --by 'server is down'")]
pub(super) struct BlockArgs {
    /// Id of the task
    pub(super) id: String,
    /// Cause of the block; can be repeated
    #[arg(long, value_name = "TEXT", required = true)]
    pub(super) by: Vec<String>,
}
