//! The commands below `tasks`, and their options.

use clap::{Args, Subcommand};

use super::{change, list, show};
use crate::error::UserError;

/// Show and change the tasks of a roadmap.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak tasks list                              How the tasks stand
  loopbreak tasks list --tree                       What waits for what
  loopbreak tasks show api                          One task: attempts, recoveries, what was decided
  loopbreak tasks add docs --title 'Write the docs' --after api
  loopbreak tasks done api                          It is finished
  loopbreak tasks block api --by 'no token'         Something stands in its way
  loopbreak tasks open api                          Try it again, whatever was done about it

The tasks are those of the last `loopbreak run --roadmap` in this folder, unless --run or the
variable LOOPBREAK_RUN names another run. A run that goes on sees a change before its next attempt.")]
pub(crate) struct TasksArgs {
    #[command(subcommand)]
    command: TasksCommand,
    /// The run whose tasks are meant, or the beginning of its name: see `loopbreak status --all`
    #[arg(long, value_name = "RUN", global = true)]
    run: Option<String>,
}

#[derive(Debug, Subcommand)]
enum TasksCommand {
    /// List the tasks and how they stand
    List(ListArgs),
    /// Show all that is known of a task
    Show(ShowArgs),
    /// Add a task
    Add(AddArgs),
    /// Say that a task is finished
    Done(ChangeArgs),
    /// Say what stands in the way of a task
    Block(BlockArgs),
    /// Open a task again that was done, forced on or left to a human
    Open(ChangeArgs),
}

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Print one JSON object
    #[arg(long)]
    pub(super) json: bool,
    /// Draw what waits for what
    #[arg(long, conflicts_with = "json")]
    pub(super) tree: bool,
}

#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    /// Which task
    pub(super) id: String,
    /// Print one JSON object
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct AddArgs {
    /// A name for it, at most 64 bytes
    pub(super) id: String,
    /// What it is about, on one line
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(super) title: String,
    /// What is to be done
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(super) details: String,
    /// A task that has to be finished before; may be given again
    #[arg(long, value_name = "ID")]
    pub(super) after: Vec<String>,
    /// A command that checks the work
    #[arg(long, value_name = "CMD", default_value = "", hide_default_value = true)]
    pub(super) check: String,
}

#[derive(Debug, Args)]
pub(super) struct ChangeArgs {
    /// Which task
    pub(super) id: String,
    /// Why
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(super) reason: String,
}

#[derive(Debug, Args)]
pub(super) struct BlockArgs {
    /// Which task
    pub(super) id: String,
    /// What stands in its way; may be given again
    #[arg(long, value_name = "TEXT", required = true)]
    pub(super) by: Vec<String>,
}

pub(crate) fn run(args: &TasksArgs) -> Result<u8, UserError> {
    let run = args.run.as_deref();
    match &args.command {
        TasksCommand::List(args) => list::list(run, args),
        TasksCommand::Show(args) => show::show(run, args),
        TasksCommand::Add(args) => change::add(run, args),
        TasksCommand::Done(args) => change::done(run, args),
        TasksCommand::Block(args) => change::block(run, args),
        TasksCommand::Open(args) => change::open(run, args),
    }
}
