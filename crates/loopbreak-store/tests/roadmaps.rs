//! Roadmaps of all kinds, worked through by agents of all kinds with the engine's own rules: the scheduler keeps its word,
//! and there is always an end.

use loopbreak::{Config, Series, Step, Task};
use loopbreak_store::tasks::{Next, Remedy, Report, RoadmapTask, Status, apply, faults, next};

/// Numbers that look like chance and are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// How an agent behaves on a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    Finishes,
    Blocks,
    Spins,
    WaitsForChecker,
    Fickle,
}

fn roadmap(dice: &mut Dice) -> Vec<(RoadmapTask, Manner)> {
    let count = 1 + dice.roll(8);
    (0..count)
        .map(|number| {
            // Only on earlier ones, so that there is no circle.
            let after = (0..number).filter(|_| dice.roll(4) == 0).map(|id| format!("t{id}")).collect();
            let manners =
                [Manner::Finishes, Manner::Blocks, Manner::Spins, Manner::WaitsForChecker, Manner::Fickle];
            let manner = manners[dice.roll(5) as usize];
            (
                RoadmapTask { id: format!("t{number}"), after, position: number, ..RoadmapTask::default() },
                manner,
            )
        })
        .collect()
}

fn report(id: &str, manner: Manner, dice: &mut Dice, deferred: bool) -> Report {
    let texts = |text: &str| vec![text.to_owned()];
    let base = Report { task: id.to_owned(), ..Report::default() };
    match manner {
        Manner::Finishes => Report { status: Some(Status::Done), ..base },
        Manner::Blocks => Report { status: Some(Status::Blocked), blockers: texts("no token"), ..base },
        Manner::Spins => Report { status: Some(Status::InProgress), work: texts("the same"), ..base },
        Manner::WaitsForChecker if deferred => Report { status: Some(Status::Done), ..base },
        Manner::WaitsForChecker => {
            Report { status: Some(Status::Blocked), blockers: texts("critic:style unavailable"), ..base }
        }
        Manner::Fickle => {
            let status = [Status::Pending, Status::InProgress, Status::Blocked, Status::Done];
            Report { status: Some(status[dice.roll(4) as usize]), work: texts("something"), ..base }
        }
    }
}

#[test]
fn every_roadmap_comes_to_an_end_and_no_task_is_taken_up_that_must_not_be() {
    for seed in 0..2000 {
        let mut dice = Dice(seed);
        let plan = roadmap(&mut dice);
        let mut tasks: Vec<RoadmapTask> = plan.iter().map(|(task, _)| task.clone()).collect();
        assert_eq!(faults(&tasks), []);
        let mut series = Series::new(Config::default());
        let mut steps = 0;
        while let Next::Task(task) = next(&tasks) {
            steps += 1;
            assert!(steps < 400, "seed {seed} does not end: {tasks:?}");
            assert!(!task.forced && task.status != Status::Done, "seed {seed}: {task:?}");
            let finished = |id: &String| tasks.iter().any(|known| known.id == *id && known.is_finished());
            assert!(task.after.iter().all(finished), "seed {seed}: {task:?}");
            let (id, deferred) = (task.id.clone(), !task.deferred.is_empty());
            let manner = plan.iter().find(|(known, _)| known.id == id).map(|(_, manner)| *manner);
            let report = report(&id, manner.unwrap_or(Manner::Finishes), &mut dice, deferred);
            let effect = apply(&mut tasks, &report, steps).unwrap_or_default();
            let attempt = Task {
                id: id.as_str().into(),
                status: Some(effect.status.as_str().into()),
                blockers: report.blockers.iter().map(|text| text.as_str().into()).collect(),
                work: report.work.iter().map(|text| text.as_str().into()).collect(),
                session: None,
            };
            let verdict = series.observe("run", &Step { task: Some(attempt), ..Step::default() });
            for act in verdict.decisions {
                let remedy = Remedy::of(act.intervention.as_str(), act.pattern.as_str());
                let task = tasks.iter_mut().find(|task| Some(&task.id) == act.task.as_ref());
                if let (Some(remedy), Some(task)) = (remedy, task) {
                    remedy.apply(task, &act.reason, steps);
                }
            }
        }
        for ((_, manner), task) in plan.iter().zip(&tasks) {
            let waits = !loopbreak_store::tasks::waits_for(task, &tasks).is_empty();
            let healthy = matches!(manner, Manner::Finishes | Manner::WaitsForChecker);
            assert!(!healthy || waits || task.is_finished(), "seed {seed}: {task:?}");
            assert!(*manner != Manner::Spins || waits || task.forced, "seed {seed}: {task:?}");
            assert!(
                *manner != Manner::Blocks || waits || task.standing() == "escalated",
                "seed {seed}: {task:?}"
            );
        }
    }
}
