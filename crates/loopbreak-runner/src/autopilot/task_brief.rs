//! The part of the prompt that describes the current task to the agent.

use std::fmt::Write as _;

use loopbreak::text::{inert, quoted_list};
use loopbreak_store::tasks::RoadmapTask;

use super::task_report::{EXAMPLE, MARK};

/// Further content of a brief.
#[derive(Debug, Default)]
pub(crate) struct TaskBriefContext<'b> {
    /// The authority that the agent has for this task.
    pub(crate) grant: Option<&'b str>,
    /// Notes that do not depend on the task.
    pub(crate) notes: &'b [String],
    /// The name of the run.
    pub(crate) run: &'b str,
    /// The number of attempts so far.
    pub(crate) attempts: u32,
}

/// Returns the description of a task, with instructions for the report.
pub(crate) fn render_brief(
    task: &RoadmapTask,
    tasks: &[RoadmapTask],
    context: &TaskBriefContext<'_>,
) -> String {
    let RoadmapTask { id, title, details, .. } = task;
    let finished = tasks.iter().filter(|task| task.is_finished()).count();
    let run = context.run;
    let mut text = format!("Your task: {id}");
    if !title.is_empty() {
        let _ = write!(text, " - {title}");
    }
    let _ =
        writeln!(text, "\n\nIt is one of {} tasks; {finished} are done. Work only on this one.", tasks.len());
    if !details.is_empty() {
        let _ = writeln!(text, "\n{details}");
    }
    if context.attempts > 0 {
        let _ = writeln!(text, "\nAttempts so far: {}.", context.attempts);
    }
    if !task.reason.is_empty() {
        let _ = writeln!(text, "Current state: {}.", inert(&task.reason).trim_end_matches('.'));
    }
    if !task.blockers.is_empty() {
        let _ = writeln!(
            text,
            "Blockers so far: {}.",
            quoted_list(task.blockers.iter().map(String::as_str), "; ")
        );
    }
    if !task.deferred.is_empty() {
        let _ = writeln!(
            text,
            "These checks cannot run now. They are deferred and do not block the task: {}.",
            quoted_list(task.deferred.iter().map(String::as_str), ", ")
        );
    }
    for note in context.grant.into_iter().chain(context.notes.iter().map(String::as_str)) {
        let _ = writeln!(text, "\n{note}");
    }
    let closed: Vec<&str> = tasks.iter().filter(|task| task.forced).map(|task| task.id.as_str()).collect();
    if !closed.is_empty() {
        let _ = writeln!(text, "\nThese tasks are closed. Do not work on them again: {}.", closed.join(", "));
    }
    let _ = write!(
        text,
        "\nBefore you finish, report the result: write one JSON object to the file named by \
         LOOPBREAK_RESULT_FILE, or print it on its own line after {MARK}\n\
         {MARK} {{\"task\":{id:?},\"status\":{EXAMPLE},\"work\":[\"what you did\"],\"blockers\":[]}}\n\
         or call the MCP tool record_attempt for the run {run:?}, if you have it.\n\
         STATUS is done, in_progress or blocked (list what blocks the task under blockers). If another task \
         has to be done again first, add \"send_back\":[\"its id\"]."
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_brief_has_the_task_its_authority_the_closed_tasks_and_the_report_format() {
        let task = RoadmapTask {
            id: "api".into(),
            title: "Write the API".into(),
            details: "Three routes.".into(),
            deferred: vec!["critic:style".into()],
            ..RoadmapTask::default()
        };
        let closed = RoadmapTask { id: "old".into(), forced: true, ..RoadmapTask::default() };
        let notes = ["Task old is closed.".to_owned()];
        let context =
            TaskBriefContext { grant: Some("You may go around it."), notes: &notes, run: "r1", attempts: 2 };
        let text = render_brief(&task, &[task.clone(), closed], &context);
        for part in [
            "Your task: api - Write the API\n",
            "one of 2 tasks; 0 are done",
            "Three routes.",
            "Attempts so far: 2.",
            "deferred and do not block the task: \"critic:style\"",
            "You may go around it.",
            "Task old is closed.",
            "Do not work on them again: old.",
            "LOOPBREAK_RESULT: {\"task\":\"api\",\"status\":\"STATUS\"",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
