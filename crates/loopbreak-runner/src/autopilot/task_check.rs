//! The check of a task: a command in the roadmap that verifies that the work is done.

use std::time::Duration;

use loopbreak::text::{clip, mask_secrets};
use loopbreak_store::tasks::{RoadmapTask, TaskReport, TaskState};

use crate::iterations::run_loop::RunLoop;
use crate::observer::RunObserver;
use crate::process::command_run::{CommandEnd, CommandStart};
use loopbreak_watch::notification::split_command_line;

/// The longest time that a check may take, unless there is a timeout for iterations.
const LONGEST: Duration = Duration::from_mins(10);
/// The exit codes of a shell for a command that cannot be executed or does not exist.
const NOT_THERE: [i32; 2] = [126, 127];
const LINE_BYTES: usize = 200;

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
pub(crate) fn make(course: &RunLoop<'_>, task: &RoadmapTask) -> TaskCheckResult {
    let Some(words) = split_command_line(&task.check).filter(|words| !words.is_empty()) else {
        return TaskCheckResult::Unavailable("no command".to_owned());
    };
    let longest = course.options.iteration_timeout.unwrap_or(LONGEST);
    let longest = course.time_left().map_or(longest, |left| left.min(longest));
    let start = CommandStart {
        words: &words,
        input: None,
        variables: &course.variables,
        longest: Some(longest),
        log: None,
        pass_on: None,
    };
    let ran = match start.run(&course.interrupts) {
        Ok(ran) => ran,
        Err(error) => return TaskCheckResult::Unavailable(error.to_string()),
    };
    match ran.end {
        CommandEnd::Exited(status) if status.success() => TaskCheckResult::Passed,
        CommandEnd::Exited(status) if status.code().is_some_and(|code| NOT_THERE.contains(&code)) => {
            TaskCheckResult::Unavailable(status.to_string())
        }
        CommandEnd::Exited(status) => {
            let said = |text: &str| {
                let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
                Some(loopbreak_report::printable(clip(&mask_secrets(clip(line, 4 * LINE_BYTES)), LINE_BYTES)))
            };
            TaskCheckResult::Failed(
                said(&ran.err).or_else(|| said(&ran.out)).unwrap_or_else(|| status.to_string()),
            )
        }
        CommandEnd::TimedOut => {
            TaskCheckResult::Unavailable(format!("no answer within {} s", longest.as_secs_f64()))
        }
        CommandEnd::Interrupted => TaskCheckResult::Interrupted,
    }
}

/// Applies the result of a check to a report with the status `done`.
pub(crate) fn judge(
    checked: &TaskCheckResult,
    report: &mut TaskReport,
    task: &mut RoadmapTask,
    observer: &dyn RunObserver,
) {
    match checked {
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
