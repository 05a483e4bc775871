//! Shows and changes tasks.

use loopbreak_report::stored_runs::{
    count_attempts, render_task, render_task_table, render_task_tree, task_json, task_list_json,
};
use loopbreak_store::StoredTaskHistory;

use super::args::{ListArgs, ShowArgs, TasksArgs, TasksCommand};
use super::change;
use super::find::{find_roadmap, find_task};
use crate::error::UserError;
use crate::{exit, output};

/// Runs the subcommand.
pub(crate) fn run(args: &TasksArgs) -> Result<u8, UserError> {
    let run = args.run.as_deref();
    match &args.command {
        TasksCommand::List(args) => list(run, args),
        TasksCommand::Show(args) => show(run, args),
        TasksCommand::Add(args) => change::add(run, args),
        TasksCommand::Done(args) => change::done(run, args),
        TasksCommand::Block(args) => change::block(run, args),
        TasksCommand::Open(args) => change::open(run, args),
    }
}

fn list(run: Option<&str>, args: &ListArgs) -> Result<u8, UserError> {
    let (store, roadmap) = find_roadmap(run)?;
    let attempts = count_attempts(&store.attempts(&roadmap.run)?);
    let text = if args.json {
        format!("{:#}\n", task_list_json(&roadmap, &attempts))
    } else if args.tree {
        render_task_tree(&roadmap.tasks)
    } else {
        let style = output::text_style();
        style.highlight_first_column(&style.wrap_lines(&render_task_table(&roadmap.tasks, &attempts)))
    };
    output::print(&text)?;
    Ok(exit::DONE)
}

fn show(run: Option<&str>, args: &ShowArgs) -> Result<u8, UserError> {
    let (store, roadmap) = find_roadmap(run)?;
    let task = find_task(&roadmap.tasks, &args.id)?;
    let history = StoredTaskHistory::load(&*store, &roadmap.run, &args.id)?;
    let text = if args.json {
        format!("{:#}\n", task_json(task, &history))
    } else {
        output::text_style().wrap_lines(&render_task(task, &roadmap.tasks, &history))
    };
    output::print(&text)?;
    Ok(exit::DONE)
}
