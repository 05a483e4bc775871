//! Random roadmaps with agents of all kinds, judged by the engine: every roadmap ends, and the scheduler selects only
//! tasks that may be attempted.

use loopbreak::step::Task;
use loopbreak::{Config, Series, Step};
use loopbreak_store::tasks::{
    NextTask, RoadmapTask, TaskRemedy, TaskReport, TaskState, apply_report, find_problems, next_task,
};

/// Pseudo-random numbers that are the same in every run.
struct SeededDice(u64);

impl SeededDice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// Behaviour of an agent on a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AgentBehaviour {
    Finishes,
    Blocks,
    Spins,
    WaitsForChecker,
    Fickle,
}

fn roadmap(dice: &mut SeededDice) -> Vec<(RoadmapTask, AgentBehaviour)> {
    let count = 1 + dice.roll(8);
    (0..count)
        .map(|number| {
            // Depends only on earlier tasks, so that there is no circle.
            let after = (0..number).filter(|_| dice.roll(4) == 0).map(|id| format!("t{id}")).collect();
            let manners = [
                AgentBehaviour::Finishes,
                AgentBehaviour::Blocks,
                AgentBehaviour::Spins,
                AgentBehaviour::WaitsForChecker,
                AgentBehaviour::Fickle,
            ];
            let manner = manners[dice.roll(5) as usize];
            (
                RoadmapTask { id: format!("t{number}"), after, position: number, ..RoadmapTask::default() },
                manner,
            )
        })
        .collect()
}

fn report(id: &str, manner: AgentBehaviour, dice: &mut SeededDice, deferred: bool) -> TaskReport {
    let texts = |text: &str| vec![text.to_owned()];
    let base = TaskReport { task: id.to_owned(), ..TaskReport::default() };
    match manner {
        AgentBehaviour::Finishes => TaskReport { status: Some(TaskState::Done), ..base },
        AgentBehaviour::Blocks => {
            TaskReport { status: Some(TaskState::Blocked), blockers: texts("no token"), ..base }
        }
        AgentBehaviour::Spins => {
            TaskReport { status: Some(TaskState::InProgress), work: texts("the same"), ..base }
        }
        AgentBehaviour::WaitsForChecker if deferred => TaskReport { status: Some(TaskState::Done), ..base },
        AgentBehaviour::WaitsForChecker => TaskReport {
            status: Some(TaskState::Blocked),
            blockers: texts("critic:style unavailable"),
            ..base
        },
        AgentBehaviour::Fickle => {
            let status = [TaskState::Pending, TaskState::InProgress, TaskState::Blocked, TaskState::Done];
            TaskReport { status: Some(status[dice.roll(4) as usize]), work: texts("something"), ..base }
        }
    }
}

#[test]
fn every_roadmap_ends_and_no_task_is_selected_that_must_not_be() {
    for seed in 0..2000 {
        let mut dice = SeededDice(seed);
        let plan = roadmap(&mut dice);
        let mut tasks: Vec<RoadmapTask> = plan.iter().map(|(task, _)| task.clone()).collect();
        assert_eq!(find_problems(&tasks), []);
        let mut series = Series::new(Config::default());
        let mut steps = 0;
        while let NextTask::Task(task) = next_task(&tasks) {
            steps += 1;
            assert!(steps < 400, "seed {seed} does not end: {tasks:?}");
            assert!(!task.forced && task.status != TaskState::Done, "seed {seed}: {task:?}");
            let finished = |id: &String| tasks.iter().any(|known| known.id == *id && known.is_finished());
            assert!(task.after.iter().all(finished), "seed {seed}: {task:?}");
            let (id, deferred) = (task.id.clone(), !task.deferred.is_empty());
            let manner = plan.iter().find(|(known, _)| known.id == id).map(|(_, manner)| *manner);
            let report = report(&id, manner.unwrap_or(AgentBehaviour::Finishes), &mut dice, deferred);
            let effect = apply_report(&mut tasks, &report, steps).unwrap_or_default();
            let attempt = Task {
                id: id.as_str().into(),
                status: Some(effect.status.as_str().into()),
                blockers: report.blockers.iter().map(|text| text.as_str().into()).collect(),
                work: report.work.iter().map(|text| text.as_str().into()).collect(),
                session: None,
            };
            let verdict = series.observe("run", &Step { task: Some(attempt), ..Step::default() });
            for decision in verdict.decisions {
                let remedy = TaskRemedy::new(decision.intervention, decision.pattern);
                let task = tasks.iter_mut().find(|task| Some(&task.id) == decision.task.as_ref());
                if let (Some(remedy), Some(task)) = (remedy, task) {
                    remedy.apply(task, &decision.reason, steps);
                }
            }
        }
        for ((_, manner), task) in plan.iter().zip(&tasks) {
            let waits = !loopbreak_store::tasks::unfinished_dependencies(task, &tasks).is_empty();
            let healthy = matches!(manner, AgentBehaviour::Finishes | AgentBehaviour::WaitsForChecker);
            assert!(!healthy || waits || task.is_finished(), "seed {seed}: {task:?}");
            assert!(*manner != AgentBehaviour::Spins || waits || task.forced, "seed {seed}: {task:?}");
            assert!(
                *manner != AgentBehaviour::Blocks || waits || task.label() == "escalated",
                "seed {seed}: {task:?}"
            );
        }
    }
}
