//! The autopilot: picks a task, asks the engine whether to attempt it, and runs the command on it.

use std::time::Duration;

use loopbreak::{DetectorName, Intervention, Mode, Pattern, Series};
use loopbreak_report::plural;
use loopbreak_store::tasks::{NextTask, RoadmapTask, TaskRemedy, next_task};
use loopbreak_store::{AutopilotState, IdleEvent, NoteEvent, RecoveryEvent, RunEvent, RunRecords, now};

use super::result_file::ResultFile;
use super::roadmap_file::RoadmapFile;
use super::roadmap_reader::TaskRoadmap;
use super::task_brief::{TaskBriefContext, render_brief};
use crate::error::RunError;
use crate::iterations::run_end::RunEndReason;
use crate::iterations::run_loop::{IterationRound, RunEnd, RunLoop};
use crate::recording::run_recorder::RecordedEvent;

/// A run that works through a roadmap.
#[derive(Debug)]
pub(crate) struct TaskAutopilot<'c, 'a> {
    pub(crate) run_loop: &'c mut RunLoop<'a>,
    /// The tasks as last read from the store, with the changes since.
    pub(crate) tasks: Vec<RoadmapTask>,
    pub(crate) series: Series,
    pub(crate) state: AutopilotState,
    pub(crate) file: ResultFile,
    roadmap: RoadmapFile,
}

impl<'c, 'a> TaskAutopilot<'c, 'a> {
    /// Starts or continues a roadmap. Descriptions of tasks come from the file, their state from the store.
    pub(crate) fn new(
        run_loop: &'c mut RunLoop<'a>,
        file: RoadmapFile,
        roadmap: &TaskRoadmap,
    ) -> Result<Self, RunError> {
        let state = run_loop.runner_state.autopilot.clone().unwrap_or_default();
        let series = Series::restore(run_loop.config.clone(), state.series.clone());
        let known = run_loop.recorder.roadmap().unwrap_or_default();
        let tasks = merge(&roadmap.tasks, &known);
        let mut autopilot =
            TaskAutopilot { run_loop, tasks, series, state, file: ResultFile::new()?, roadmap: file };
        let opened = |id: &String| autopilot.tasks.iter().any(|task| task.id == *id && task.is_open());
        let opened: Vec<String> = autopilot.state.closed.iter().filter(|id| opened(id)).cloned().collect();
        autopilot.reopen_tasks(opened);
        autopilot.store_roadmap(&known);
        Ok(autopilot)
    }

    /// Stores the tasks that are new or differ from the known ones.
    fn store_roadmap(&mut self, known: &[RoadmapTask]) {
        let finished = self.tasks.iter().filter(|task| task.is_finished()).count();
        let what = format!("{}, {finished} of them done", plural(self.tasks.len() as u64, "task"));
        let changed = self.tasks.iter().filter(|task| !known.contains(task)).cloned().collect();
        let records = RunRecords { roadmap: changed, ..RunRecords::default() };
        self.write(&RecordedEvent {
            records,
            known,
            ..RecordedEvent::new(RunEvent::Roadmap(NoteEvent { action: what }))
        });
    }

    /// Reads the roadmap file again if it was edited. If it is invalid, that is reported once and the last
    /// valid roadmap stays in use.
    fn reload_roadmap_file(&mut self) {
        match self.roadmap.reload_if_changed(self.run_loop.observer) {
            None => {}
            Some(Err(why)) => self.run_loop.observer.warning(&format!("{why}; continuing with the last one")),
            Some(Ok(roadmap)) => {
                let known = std::mem::take(&mut self.tasks);
                self.tasks = merge(&roadmap.tasks, &known);
                self.store_roadmap(&known);
                let new = self.tasks.len() - known.len();
                self.run_loop.observer.message(&format!(
                    "the roadmap was edited: {}, {new} of them new",
                    plural(self.tasks.len() as u64, "task")
                ));
            }
        }
    }

    /// Runs until every task is closed, a guard ends the run, or no task can be worked on any more.
    pub(crate) fn run(&mut self) -> Result<RunEnd, RunError> {
        let (mut failures, mut waits) = (0, 0);
        loop {
            self.refresh();
            self.reload_roadmap_file();
            let id = match next_task(&self.tasks) {
                NextTask::Closed => return Ok(self.end()),
                NextTask::Task(task) => task.id.clone(),
                _ => match self.idle(&mut waits) {
                    Some(end) => return Ok(end),
                    None => continue,
                },
            };
            waits = 0;
            if self.recover_if_looping(&id) {
                continue;
            }
            self.prepare(&id);
            let counted = self.run_loop.recorder.count_attempts();
            match self.run_loop.run_once(&mut failures)? {
                IterationRound::RunEnd(end) => return Ok(end),
                IterationRound::Again => continue,
                IterationRound::CommandRun(ran, iteration) => {
                    if let Some(end) = self.process_attempt(&id, &ran, &iteration, &counted) {
                        return Ok(end);
                    }
                }
            }
            if let Some(end) = self.run_loop.pause() {
                return Ok(end);
            }
        }
    }

    /// Asks the engine before an attempt. Returns true if the task loops: then it is recovered instead of
    /// attempted. After a human was called about a task without progress, it still gets its last attempts,
    /// because their number decides about `force_next`.
    fn recover_if_looping(&mut self, id: &str) -> bool {
        let check = self.series.check(id, Some(self.run_loop.time()));
        let remedy = match check.recommendation {
            Some(Intervention::ForceNext) => TaskRemedy::ForceNext,
            Some(Intervention::Escalate) if check.loop_type != Some(Pattern::NoProgressRepeat) => {
                TaskRemedy::Escalate { left: true }
            }
            _ => return false,
        };
        if self.run_loop.config.mode_of(DetectorName::Task) != Mode::Enforce {
            return false;
        }
        let reason = check.reason.unwrap_or_default();
        let Some(task) = self.tasks.iter_mut().find(|task| task.id == id) else { return false };
        let known = [task.clone()];
        remedy.apply(task, &reason, now());
        self.run_loop.observer.message(&format!("task {id} is not attempted again: {reason}"));
        let records = RunRecords { roadmap: vec![task.clone()], ..RunRecords::default() };
        let event = RecoveryEvent {
            action: format!("task {id} is not attempted again: {reason}"),
            task: id.to_owned(),
            ..RecoveryEvent::default()
        };
        self.write(&RecordedEvent {
            records,
            known: &known,
            ..RecordedEvent::new(RunEvent::Recovery(event))
        });
        true
    }

    /// Prepares an attempt: result file, advice, prompt and environment variables.
    fn prepare(&mut self, id: &str) {
        self.file.clear();
        self.run_loop.runner_state.advice = self.state.advice.get(id).cloned();
        let attempts = self.series.check(id, Some(self.run_loop.time())).attempt_count;
        let Some(task) = self.tasks.iter().find(|task| task.id == id) else { return };
        let run = self.run_loop.recorder.session();
        let grant = self.state.grants.get(id).map(String::as_str);
        let text = render_brief(
            task,
            &self.tasks,
            &TaskBriefContext { grant, notes: &self.state.notes, run, attempts },
        );
        let title = if task.title.is_empty() { String::new() } else { format!(" - {}", task.title) };
        self.run_loop.observer.message(&format!("task {id}{title}"));
        self.run_loop.variables = vec![
            ("LOOPBREAK_RUN", self.run_loop.recorder.session().to_owned()),
            ("LOOPBREAK_TASK", id.to_owned()),
            ("LOOPBREAK_TASK_TITLE", task.title.clone()),
            ("LOOPBREAK_RESULT_FILE", self.file.path().display().to_string()),
        ];
        self.run_loop.prompt.set_brief(text);
    }

    /// Waits while no task can be worked on, because somebody may change that. Returns the end of the run
    /// after the longest wait.
    fn idle(&mut self, waits: &mut u32) -> Option<RunEnd> {
        let options = self.run_loop.options;
        let wait = |times: u32| options.idle.saturating_mul(1 << times.min(16)).min(options.idle_longest);
        let pause = wait(*waits);
        let was_longest = *waits > 0 && wait(*waits - 1) >= options.idle_longest;
        if pause == Duration::ZERO || was_longest || !self.run_loop.recorder.is_recorded() {
            return Some(self.end());
        }
        *waits += 1;
        let what = format!("no task can be worked on; checking again in {} s", pause.as_secs_f64());
        self.run_loop.observer.message(&what);
        self.write(&RecordedEvent::new(RunEvent::Idle(IdleEvent { action: what, times: *waits })));
        match self.run_loop.sleep(pause) {
            Some((RunEndReason::Limit, _)) => Some(self.end()),
            end => end,
        }
    }

    /// Reads the tasks from the store again, with the changes of other programs.
    pub(crate) fn refresh(&mut self) {
        let Some(stored) = self.run_loop.recorder.roadmap() else { return };
        let before = std::mem::replace(&mut self.tasks, stored.clone());
        let opened: Vec<String> = self
            .tasks
            .iter()
            .filter(|task| task.is_open())
            .filter(|task| before.iter().any(|known| known.id == task.id && !known.is_open()))
            .map(|task| task.id.clone())
            .collect();
        // Tasks are never removed by others. But a store above its size limit drops runs without recent
        // changes, and an attempt may take long enough for that.
        let is_lost = |task: &&RoadmapTask| !stored.iter().any(|known| known.id == task.id);
        let lost: Vec<RoadmapTask> = before.iter().filter(is_lost).cloned().collect();
        if !lost.is_empty() {
            self.tasks.extend(lost);
            self.store_roadmap(&stored);
        }
        self.reopen_tasks(opened);
    }

    /// Clears the attempts at tasks that somebody reopened.
    fn reopen_tasks(&mut self, opened: Vec<String>) {
        for id in opened {
            self.run_loop.observer.message(&format!("task {id} was reopened"));
            self.reset_attempts(&id);
        }
    }

    /// Stores an event and the state after it. Returns false if another program changed a task in the
    /// meantime: that change is kept, and the tasks have to be read again.
    pub(crate) fn write(&mut self, event: &RecordedEvent<'_>) -> bool {
        self.state.series = self.series.snapshot();
        let closed = self.tasks.iter().filter(|task| !task.is_open());
        self.state.closed = closed.map(|task| task.id.clone()).collect();
        self.run_loop.runner_state.autopilot = Some(self.state.clone());
        let by_others =
            self.run_loop.recorder.write(event, &self.run_loop.guard, &mut self.run_loop.runner_state);
        for id in &by_others {
            self.run_loop.observer.message(&format!("task {id} was changed elsewhere; that change is kept"));
        }
        by_others.is_empty()
    }
}

/// Merges the tasks of the file with their state in the store. Tasks that are only in the store were added by
/// hand.
fn merge(file: &[RoadmapTask], stored: &[RoadmapTask]) -> Vec<RoadmapTask> {
    let mut tasks: Vec<RoadmapTask> = file.to_vec();
    for known in stored {
        match tasks.iter_mut().find(|task| task.id == known.id) {
            Some(task) => {
                let RoadmapTask { title, details, after, position, check, .. } = task.clone();
                *task = RoadmapTask { title, details, after, position, check, ..known.clone() };
            }
            None => tasks.push(known.clone()),
        }
    }
    tasks
}
