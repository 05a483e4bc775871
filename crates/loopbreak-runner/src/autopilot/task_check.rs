//! The check of a task: a command in the roadmap that verifies that the work is done.

use std::time::Duration;

use loopbreak::text::quoted;
use loopbreak_store::tasks::{RoadmapTask, TaskReport, TaskState};

use crate::iterations::run_loop::RunLoop;
use crate::observer::RunObserver;
use crate::process::command_run::{CommandEnd, CommandStart};
use loopbreak_watch::notification::split_command_line;

/// The longest time that a check may take, unless there is a timeout for iterations.
const MAX_TIME: Duration = Duration::from_mins(10);
/// The exit codes of a shell for a command that cannot be executed or does not exist.
const NOT_EXECUTABLE: [i32; 2] = [126, 127];

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TaskCheckResult {
    Passed,
    /// The check failed. The text is the last line of its output.
    Failed(String),
    /// The check could not be run, for this reason.
    Unavailable(String),
    Interrupted,
}

/// Runs the check of a task.
pub(crate) fn run_check(run_loop: &RunLoop<'_>, task: &RoadmapTask) -> TaskCheckResult {
    let Some(words) = split_command_line(&task.check).filter(|words| !words.is_empty()) else {
        return TaskCheckResult::Unavailable("no command".to_owned());
    };
    let time_limit = run_loop.options.iteration_timeout.unwrap_or(MAX_TIME);
    let time_limit = run_loop.time_left().map_or(time_limit, |left| left.min(time_limit));
    let start = CommandStart {
        words: &words,
        input: None,
        variables: &run_loop.variables,
        time_limit: Some(time_limit),
        log: None,
        observer: None,
        guardian: run_loop.guardian.as_ref(),
    };
    let ran = match start.run(&run_loop.interrupts, &mut |_| {}) {
        Ok(ran) => ran,
        Err(error) => return TaskCheckResult::Unavailable(error.to_string()),
    };
    match ran.end {
        CommandEnd::Exited(status) if status.success() => TaskCheckResult::Passed,
        CommandEnd::Exited(status) if status.code().is_some_and(|code| NOT_EXECUTABLE.contains(&code)) => {
            TaskCheckResult::Unavailable(status.to_string())
        }
        CommandEnd::Exited(status) => {
            let last_line = |text: &str| {
                let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
                Some(quoted(line))
            };
            TaskCheckResult::Failed(
                last_line(&ran.err).or_else(|| last_line(&ran.out)).unwrap_or_else(|| status.to_string()),
            )
        }
        CommandEnd::TimedOut => {
            TaskCheckResult::Unavailable(format!("no answer within {} s", time_limit.as_secs_f64()))
        }
        CommandEnd::Interrupted => TaskCheckResult::Interrupted,
    }
}

/// Applies the result of a check to a report with the status `done`.
pub(crate) fn apply_result(
    result: &TaskCheckResult,
    report: &mut TaskReport,
    task: &mut RoadmapTask,
    observer: &dyn RunObserver,
) {
    match result {
        TaskCheckResult::Passed | TaskCheckResult::Interrupted => {}
        TaskCheckResult::Failed(why) => {
            observer.message(&format!("task {}: the check failed: {why}", task.id));
            report.status = Some(TaskState::InProgress);
            report.reason = format!("the check failed: {why}");
            // The same failure every time is not progress, whatever work the agent reports.
            report.work = vec![report.reason.clone()];
        }
        TaskCheckResult::Unavailable(why) => {
            observer.message(&format!("task {}: the check cannot be run and is deferred: {why}", task.id));
            let name = format!("check:{}", task.check);
            if !task.deferred.contains(&name) {
                task.deferred.push(name);
            }
        }
    }
}
