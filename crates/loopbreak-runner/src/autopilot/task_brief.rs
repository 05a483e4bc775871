//! What the agent is told of its task.

use std::fmt::Write as _;

use loopbreak_store::tasks::RoadmapTask;

use super::task_report::{EXAMPLE, MARK};

/// What else is told of a task.
#[derive(Debug, Default)]
pub(crate) struct TaskContext<'b> {
    /// What the agent may do for it.
    pub(crate) grant: Option<&'b str>,
    /// What the agent is told whatever the task.
    pub(crate) notes: &'b [String],
    /// The name of the run.
    pub(crate) run: &'b str,
    /// How many attempts there were.
    pub(crate) attempts: u32,
}

/// The text of a task, with how to report on it.
pub(crate) fn brief(task: &RoadmapTask, tasks: &[RoadmapTask], beside: &TaskContext<'_>) -> String {
    let RoadmapTask { id, title, details, .. } = task;
    let finished = tasks.iter().filter(|task| task.is_finished()).count();
    let run = beside.run;
    let mut text = format!("Your task: {id}");
    if !title.is_empty() {
        let _ = write!(text, " - {title}");
    }
    let _ =
        writeln!(text, "\n\nIt is one of {} tasks; {finished} are done. Work on this one only.", tasks.len());
    if !details.is_empty() {
        let _ = writeln!(text, "\n{details}");
    }
    if beside.attempts > 0 {
        let _ = writeln!(text, "\nAttempts so far: {}.", beside.attempts);
    }
    if !task.reason.is_empty() {
        let _ = writeln!(text, "How it stands: {}.", task.reason.trim_end_matches('.'));
    }
    if !task.blockers.is_empty() {
        let _ = writeln!(text, "What stood in its way: {}.", task.blockers.join("; "));
    }
    if !task.deferred.is_empty() {
        let _ = writeln!(
            text,
            "Checks that cannot be made now are put off, and do not block the task: {}.",
            task.deferred.join(", ")
        );
    }
    for said in beside.grant.into_iter().chain(beside.notes.iter().map(String::as_str)) {
        let _ = writeln!(text, "\n{said}");
    }
    let closed: Vec<&str> = tasks.iter().filter(|task| task.forced).map(|task| task.id.as_str()).collect();
    if !closed.is_empty() {
        let _ = writeln!(text, "\nClosed for good, not to be taken up again: {}.", closed.join(", "));
    }
    let _ = write!(
        text,
        "\nBefore you end, report: write one JSON object to the file named by LOOPBREAK_RESULT_FILE, or print it on a line of \
         its own after {MARK}\n\
         {MARK} {{\"task\":{id:?},\"status\":{EXAMPLE},\"work\":[\"what you did\"],\"blockers\":[]}}\n\
         or call the MCP tool record_attempt for the run {run:?}, if you have it.\n\
         STATUS is done, in_progress or blocked (with what stands in the way as blockers). Where another task has to be done \
         again first, add \"send_back\":[\"its id\"]."
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_brief_has_the_task_what_is_granted_what_is_closed_and_how_to_report() {
        let task = RoadmapTask {
            id: "api".into(),
            title: "Write the API".into(),
            details: "Three routes.".into(),
            deferred: vec!["critic:style".into()],
            ..RoadmapTask::default()
        };
        let closed = RoadmapTask { id: "old".into(), forced: true, ..RoadmapTask::default() };
        let notes = ["Task old is closed.".to_owned()];
        let beside =
            TaskContext { grant: Some("You may go around it."), notes: &notes, run: "r1", attempts: 2 };
        let text = brief(&task, &[task.clone(), closed], &beside);
        for part in [
            "Your task: api - Write the API\n",
            "one of 2 tasks; 0 are done",
            "Three routes.",
            "Attempts so far: 2.",
            "put off, and do not block the task: critic:style",
            "You may go around it.",
            "Task old is closed.",
            "not to be taken up again: old.",
            "LOOPBREAK_RESULT: {\"task\":\"api\",\"status\":\"STATUS\"",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
