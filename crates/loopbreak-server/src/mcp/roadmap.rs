//! `plan_next`: which task of the roadmap comes next.

use loopbreak_store::tasks::{NextTask, RoadmapProblem, RoadmapTask, find_problems, next_task};
use loopbreak_store::{NoteEvent, RunEvent};

use super::fault::Fault;
use super::input::PlannedInput;
use super::output::PlanOutput;
use super::place::{About, Place};
use super::{limits, tasks};

/// The most tasks of a roadmap.
const MOST: usize = 5000;
/// How much of a title and of the details is kept.
const TITLE_BYTES: usize = 500;
const DETAILS_BYTES: usize = 20_000;

impl Place {
    /// Puts tasks into the roadmap of a run, where there are any, and says which one is to be taken up.
    pub(crate) fn plan_next(&mut self, name: &str, new: &[PlannedInput]) -> Result<PlanOutput, Fault> {
        if !new.is_empty() && self.runner(name)?.is_some() {
            return Err(Fault::new(
                format!("the roadmap of {name:?} is that of `loopbreak run`, which works through it"),
                "Add tasks to it with `loopbreak tasks add`",
            ));
        }
        if !new.is_empty() {
            self.change(name, About::Tasks, |course| {
                let merged = merged(&course.tasks, new)?;
                let action = format!("{} tasks in the roadmap", merged.len());
                course.write(RunEvent::Plan(NoteEvent { action }));
                // Those that were known come first, in their order.
                let known = course.tasks.iter().map(Some).chain(std::iter::repeat(None));
                let changed = merged.iter().zip(known).filter(|(task, known)| Some(*task) != *known);
                course.records.roadmap = changed.map(|(task, _)| task.clone()).collect();
                Ok(())
            })?;
        }
        let run = self.find_roadmap(name)?;
        let (tasks, counts) = (self.store.roadmap(&run)?, self.counts(&run)?);
        let (next, task, reason) = match next_task(&tasks) {
            NextTask::Task(task) => ("task", Some(tasks::told(task, &tasks, &counts)), reason(task)),
            NextTask::Nothing => ("nothing", None, waiting(&tasks)),
            NextTask::Closed if tasks.is_empty() => {
                ("closed", None, "the roadmap is empty: give `tasks` to fill it".to_owned())
            }
            NextTask::Closed => ("closed", None, closed(&tasks)),
        };
        Ok(PlanOutput { run: run.session, next, task, reason })
    }
}

/// The roadmap with the new tasks in it. Known ones keep how they stand.
fn merged(known: &[RoadmapTask], new: &[PlannedInput]) -> Result<Vec<RoadmapTask>, Fault> {
    let mut all = known.to_vec();
    for planned in new {
        let id = limits::task(&planned.id)?;
        let at = all.iter().position(|task| task.id == id).unwrap_or_else(|| {
            let position =
                all.iter().map(|task| task.position).max().map_or(0, |last| last.saturating_add(1));
            all.push(RoadmapTask { id: id.to_owned(), position, ..RoadmapTask::default() });
            all.len() - 1
        });
        let clip = |text: &str, most: usize| text[..text.floor_char_boundary(most)].to_owned();
        all[at].title = clip(&planned.title, TITLE_BYTES);
        all[at].details = clip(&planned.details, DETAILS_BYTES);
        all[at].after = planned.after.iter().map(|id| id.trim().to_owned()).collect();
    }
    let twice = new
        .iter()
        .enumerate()
        .find(|(at, task)| new[..*at].iter().any(|known| known.id.trim() == task.id.trim()));
    if let Some((_, task)) = twice {
        return Err(Fault::new(
            format!("the task {:?} is given twice", task.id),
            "Give each task an id of its own",
        ));
    }
    if all.len() > MOST {
        return Err(Fault::new(
            format!("a roadmap has at most {MOST} tasks"),
            "Use another run for the others",
        ));
    }
    match find_problems(&all).first() {
        None => Ok(all),
        Some(flaw) => Err(told(flaw, &all)),
    }
}

fn told(flaw: &RoadmapProblem, all: &[RoadmapTask]) -> Fault {
    let name = |at: &usize| all.get(*at).map_or("", |task| task.id.as_str());
    match flaw {
        RoadmapProblem::Duplicate { id, .. } => {
            Fault::new(format!("the task {id:?} is there twice"), "Give each task an id of its own")
        }
        RoadmapProblem::Unknown { task, dependency } => Fault::new(
            format!("the task {:?} waits for {dependency:?}, which is not in the roadmap", name(task)),
            "Add that task, or take it out of `after`",
        ),
        RoadmapProblem::Cycle(places) => {
            let circle: Vec<&str> = places.iter().map(name).collect();
            Fault::new(
                format!("these tasks wait for each other: {}", circle.join(", ")),
                "Take one of them out of the `after` of another",
            )
        }
    }
}

fn reason(task: &RoadmapTask) -> String {
    let why = if task.returned {
        "it was sent back"
    } else if task.status == loopbreak_store::tasks::TaskState::Blocked {
        "nothing that is not blocked is left"
    } else {
        "it is the first that is open and waits for no other"
    };
    format!("task {}: {why}", task.id)
}

fn waiting(tasks: &[RoadmapTask]) -> String {
    let open: Vec<String> = tasks
        .iter()
        .filter(|task| task.status != loopbreak_store::tasks::TaskState::Done)
        .take(10)
        .map(|task| {
            let waits = loopbreak_store::tasks::unfinished_dependencies(task, tasks);
            if waits.is_empty() {
                format!("{} ({})", task.id, task.label())
            } else {
                format!("{} (waits for {})", task.id, waits.join(", "))
            }
        })
        .collect();
    format!("nothing can be taken up: {}; a human is needed", open.join("; "))
}

fn closed(tasks: &[RoadmapTask]) -> String {
    let forced: Vec<&str> =
        tasks.iter().filter(|task| !task.is_finished()).map(|task| task.id.as_str()).collect();
    if forced.is_empty() {
        "every task is finished".to_owned()
    } else {
        format!("every task is closed; moved on from and not finished: {}", forced.join(", "))
    }
}
