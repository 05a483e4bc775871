//! The autopilot: picks a task, asks the engine whether to attempt it, and runs the command on it.

use std::time::Duration;

use loopbreak::{Intervention, Mode, Pattern, Series};
use loopbreak_store::tasks::{NextTask, RoadmapTask, TaskRemedy, next_task};
use loopbreak_store::{AutopilotState, IdleEvent, NoteEvent, RecoveryEvent, RunEvent, RunRecords, now};

use super::roadmap_file::RoadmapFile;
use super::roadmap_reader::TaskRoadmap;
use super::send_back_tracker::SendBackTracker;
use super::task_brief::{TaskContext, brief};
use super::task_report::ResultFile;
use crate::error::RunError;
use crate::iterations::run_end::RunEndReason;
use crate::iterations::run_loop::{IterationRound, RunEnd, RunLoop};
use crate::recording::run_recorder::RecordedEvent;

/// A run that works through a roadmap.
#[derive(Debug)]
pub(crate) struct TaskAutopilot<'c, 'a> {
    pub(crate) course: &'c mut RunLoop<'a>,
    /// The tasks as last read from the store, with the changes since.
    pub(crate) tasks: Vec<RoadmapTask>,
    pub(crate) series: Series,
    pub(crate) traffic: SendBackTracker,
    pub(crate) state: AutopilotState,
    pub(crate) file: ResultFile,
    roadmap: RoadmapFile,
}

impl<'c, 'a> TaskAutopilot<'c, 'a> {
    /// Starts or continues a roadmap. Descriptions of tasks come from the file, their state from the store.
    pub(crate) fn new(
        course: &'c mut RunLoop<'a>,
        file: RoadmapFile,
        roadmap: &TaskRoadmap,
    ) -> Result<Self, RunError> {
        let state = course.kept.autopilot.clone().unwrap_or_default();
        let series = Series::restore(course.config.clone(), state.series.clone());
        let traffic = SendBackTracker::new(
            &course.config,
            course.keeper.session(),
            state.traffic.clone(),
            state.sent.clone(),
        );
        let known = course.keeper.roadmap().unwrap_or_default();
        let tasks = merged(&roadmap.tasks, &known);
        let mut pilot =
            TaskAutopilot { course, tasks, series, traffic, state, file: ResultFile::new()?, roadmap: file };
        let opened = |id: &String| pilot.tasks.iter().any(|task| task.id == *id && task.is_open());
        let opened: Vec<String> = pilot.state.closed.iter().filter(|id| opened(id)).cloned().collect();
        pilot.take_up_again(opened);
        pilot.keep_roadmap(&known);
        Ok(pilot)
    }

    /// Stores the tasks that are new or differ from the known ones.
    fn keep_roadmap(&mut self, known: &[RoadmapTask]) {
        let finished = self.tasks.iter().filter(|task| task.is_finished()).count();
        let what = format!("{} tasks, {finished} of them done", self.tasks.len());
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
    fn look_at_file(&mut self) {
        match self.roadmap.look(self.course.observer) {
            None => {}
            Some(Err(why)) => self.course.observer.warning(&format!("{why}; continuing with the last one")),
            Some(Ok(roadmap)) => {
                let known = std::mem::take(&mut self.tasks);
                self.tasks = merged(&roadmap.tasks, &known);
                self.keep_roadmap(&known);
                let new = self.tasks.len() - known.len();
                self.course.observer.message(&format!(
                    "the roadmap was edited: {} tasks, {new} of them new",
                    self.tasks.len()
                ));
            }
        }
    }

    /// Runs until every task is closed, a guard ends the run, or no task can be worked on any more.
    pub(crate) fn go(&mut self) -> Result<RunEnd, RunError> {
        let (mut troubles, mut waits) = (0, 0);
        loop {
            self.refresh();
            self.look_at_file();
            let id = match next_task(&self.tasks) {
                NextTask::Closed => return Ok(self.close()),
                NextTask::Nothing => match self.idle(&mut waits) {
                    Some(over) => return Ok(over),
                    None => continue,
                },
                NextTask::Task(task) => task.id.clone(),
            };
            waits = 0;
            if self.is_out_of_the_question(&id) {
                continue;
            }
            self.prepare(&id);
            let counted = self.course.keeper.count_attempts();
            match self.course.round(&mut troubles)? {
                IterationRound::RunEnd(over) => return Ok(over),
                IterationRound::Again => continue,
                IterationRound::CommandRun(ran, iteration) => {
                    if let Some(over) = self.take(&id, &ran, &iteration, &counted) {
                        return Ok(over);
                    }
                }
            }
            if let Some(over) = self.course.pause() {
                return Ok(over);
            }
        }
    }

    /// Asks the engine before an attempt. Returns true if the task loops: then it is recovered instead of
    /// attempted. After a human was called about a task without progress, it still gets its last attempts,
    /// because their number decides about `force_next`.
    fn is_out_of_the_question(&mut self, id: &str) -> bool {
        let check = self.series.check(id, Some(self.course.time()));
        let remedy = match check.recommendation {
            Some(Intervention::ForceNext) => TaskRemedy::ForceNext,
            Some(Intervention::Escalate) if check.loop_type != Some(Pattern::NoProgressRepeat) => {
                TaskRemedy::Escalate { left: true }
            }
            _ => return false,
        };
        let config = &self.course.config;
        if config.mode != Mode::Enforce || config.task.mode != Mode::Enforce {
            return false;
        }
        let reason = check.reason.unwrap_or_default();
        let Some(task) = self.tasks.iter_mut().find(|task| task.id == id) else { return false };
        let known = [task.clone()];
        remedy.apply(task, &reason, now());
        self.course.observer.message(&format!("task {id} is not attempted again: {reason}"));
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
        self.course.kept.advice = self.state.advice.get(id).cloned();
        let attempts = self.series.check(id, Some(self.course.time())).attempt_count;
        let Some(task) = self.tasks.iter().find(|task| task.id == id) else { return };
        let run = self.course.keeper.session();
        let grant = self.state.grants.get(id).map(String::as_str);
        let text = brief(task, &self.tasks, &TaskContext { grant, notes: &self.state.notes, run, attempts });
        let title = if task.title.is_empty() { String::new() } else { format!(" - {}", task.title) };
        self.course.observer.message(&format!("task {id}{title}"));
        self.course.variables = vec![
            ("LOOPBREAK_RUN", self.course.keeper.session().to_owned()),
            ("LOOPBREAK_TASK", id.to_owned()),
            ("LOOPBREAK_TASK_TITLE", task.title.clone()),
            ("LOOPBREAK_RESULT_FILE", self.file.path().display().to_string()),
        ];
        self.course.prompt.set_brief(text);
    }

    /// Waits while no task can be worked on, because somebody may change that. Returns the end of the run
    /// after the longest wait.
    fn idle(&mut self, waits: &mut u32) -> Option<RunEnd> {
        let args = self.course.options;
        let wait = |times: u32| args.idle.saturating_mul(1 << times.min(16)).min(args.idle_longest);
        let pause = wait(*waits);
        let was_longest = *waits > 0 && wait(*waits - 1) >= args.idle_longest;
        if pause == Duration::ZERO || was_longest || !self.course.keeper.is_kept() {
            return Some(self.close());
        }
        *waits += 1;
        let what = format!("no task can be worked on; checking again in {} s", pause.as_secs_f64());
        self.course.observer.message(&what);
        self.write(&RecordedEvent::new(RunEvent::Idle(IdleEvent { action: what, times: *waits })));
        match self.course.sleep(pause) {
            Some((RunEndReason::Limit, _)) => Some(self.close()),
            over => over,
        }
    }

    /// Reads the tasks from the store again, with the changes of other programs.
    pub(crate) fn refresh(&mut self) {
        let Some(kept) = self.course.keeper.roadmap() else { return };
        let before = std::mem::replace(&mut self.tasks, kept.clone());
        let opened: Vec<String> = self
            .tasks
            .iter()
            .filter(|task| task.is_open())
            .filter(|task| before.iter().any(|known| known.id == task.id && !known.is_open()))
            .map(|task| task.id.clone())
            .collect();
        // Tasks are never removed by others. But a store above its size limit drops runs without recent
        // changes, and an attempt may take long enough for that.
        let is_lost = |task: &&RoadmapTask| !kept.iter().any(|known| known.id == task.id);
        let lost: Vec<RoadmapTask> = before.iter().filter(is_lost).cloned().collect();
        if !lost.is_empty() {
            self.tasks.extend(lost);
            self.keep_roadmap(&kept);
        }
        self.take_up_again(opened);
    }

    fn take_up_again(&mut self, opened: Vec<String>) {
        for id in opened {
            self.course.observer.message(&format!("task {id} was reopened"));
            self.begin_anew(&id);
        }
    }

    /// Stores an event and the state after it. Returns false if another program changed a task in the
    /// meantime: that change is kept, and the tasks have to be read again.
    pub(crate) fn write(&mut self, event: &RecordedEvent<'_>) -> bool {
        self.state.series = self.series.snapshot();
        self.state.traffic = Some(self.traffic.snapshot());
        self.state.sent.clone_from(&self.traffic.sent);
        let closed = self.tasks.iter().filter(|task| !task.is_open());
        self.state.closed = closed.map(|task| task.id.clone()).collect();
        self.course.kept.autopilot = Some(self.state.clone());
        let by_others = self.course.keeper.write(event, &self.course.guard, &mut self.course.kept);
        for id in &by_others {
            self.course.observer.message(&format!("task {id} was changed elsewhere; that change is kept"));
        }
        by_others.is_empty()
    }
}

/// Merges the tasks of the file with their state in the store. Tasks that are only in the store were added by
/// hand.
fn merged(file: &[RoadmapTask], kept: &[RoadmapTask]) -> Vec<RoadmapTask> {
    let mut tasks: Vec<RoadmapTask> = file.to_vec();
    for known in kept {
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
