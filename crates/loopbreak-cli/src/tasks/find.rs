//! Finds the run that a command is about.

use loopbreak_config::nearest_name;
use loopbreak_store::tasks::RoadmapTask;
use loopbreak_store::{Run, Store};

use crate::error::UserError;
use crate::store::{open_user_store, run_name};

/// Number of latest runs that are searched for one of this folder.
const RUNS: usize = 1000;

/// A run with tasks.
pub(super) struct FoundRun {
    pub(super) store: Box<dyn Store>,
    pub(super) run: Run,
    pub(super) tasks: Vec<RoadmapTask>,
}

/// Returns the named run, else that of `LOOPBREAK_RUN`, else the last one in this folder that has tasks.
pub(super) fn find(named: Option<&str>) -> Result<FoundRun, UserError> {
    let none = || {
        UserError::usage("no roadmap found for this folder")
            .hint("`loopbreak run --roadmap FILE -- CMD` starts one; --run selects a run of another folder")
    };
    let store = open_user_store()?.ok_or_else(none)?;
    // The runner sets it for the agent.
    let variable = std::env::var("LOOPBREAK_RUN").ok().filter(|name| !name.is_empty());
    if let Some(session) = named.map(str::to_owned).or(variable) {
        return by_name(store, &session);
    }
    let folder = std::env::current_dir().map(|folder| folder.display().to_string()).unwrap_or_default();
    let runs = store.runs(i64::MIN, RUNS)?;
    for run in runs.into_iter().filter(|run| run.folder == folder) {
        if !store.roadmap(&run)?.is_empty() {
            return by_name(store, &run.session);
        }
    }
    Err(none())
}

fn by_name(store: Box<dyn Store>, session: &str) -> Result<FoundRun, UserError> {
    let mut found = Vec::new();
    for run in store.find(session)? {
        let tasks = store.roadmap(&run)?;
        if !tasks.is_empty() {
            found.push((run, tasks));
        }
    }
    if found.iter().any(|(run, _)| run.session == session) {
        found.retain(|(run, _)| run.session == session);
    }
    // Other sources may have a run with this name. That of the runner has the roadmap.
    found.sort_by_key(|(run, _)| run.source != "run");
    let names: Vec<String> = found.iter().take(5).map(|(run, _)| run_name(run)).collect();
    if found.iter().any(|(run, _)| run.session != found[0].0.session) {
        return Err(UserError::usage(format!("more than one run with tasks starts with {session:?}"))
            .hint(format!("name one of them: {}", names.join(", "))));
    }
    let (run, tasks) = found.into_iter().next().ok_or_else(|| {
        UserError::usage(format!("no run {session:?} with tasks found"))
            .hint("`loopbreak status --all` lists the stored runs")
    })?;
    Ok(FoundRun { store, run, tasks })
}

/// Returns the task with this id.
pub(super) fn task<'t>(tasks: &'t [RoadmapTask], id: &str) -> Result<&'t RoadmapTask, UserError> {
    tasks.iter().find(|task| task.id == id).ok_or_else(|| {
        let known = nearest_name(id, tasks.iter().map(|task| task.id.as_str()));
        let hint = known.map_or_else(
            || "`loopbreak tasks list` lists the tasks".to_owned(),
            |known| format!("did you mean {known}?"),
        );
        UserError::usage(format!("task {id:?} not found")).hint(hint)
    })
}
