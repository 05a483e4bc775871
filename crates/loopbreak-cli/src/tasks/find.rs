//! Finds the run that a command is about, and its tasks.

use loopbreak_config::nearest_name;
use loopbreak_store::tasks::RoadmapTask;
use loopbreak_store::{RoadmapRun, RoadmapRunError, SelectSessionError, Store};

use crate::error::UserError;
use crate::store::open_user_store;

/// Returns the named run, else that of `LOOPBREAK_RUN`, else the last one in this folder that has tasks.
pub(super) fn find_roadmap(name: Option<&str>) -> Result<(Box<dyn Store>, RoadmapRun), UserError> {
    let none = || {
        UserError::usage("no roadmap found for this folder")
            .hint("`loopbreak run --roadmap FILE -- CMD` starts one; --run selects a run of another folder")
    };
    let store = open_user_store()?.ok_or_else(none)?;
    // The runner sets it for the agent.
    let variable = std::env::var("LOOPBREAK_RUN").ok().filter(|name| !name.is_empty());
    let roadmap = if let Some(name) = name.map(str::to_owned).or(variable) {
        RoadmapRun::find(&*store, &name)?
    } else {
        let folder = std::env::current_dir().map(|folder| folder.display().to_string()).unwrap_or_default();
        RoadmapRun::latest_in(&*store, &folder)?.ok_or_else(none)?
    };
    Ok((store, roadmap))
}

/// Returns the task with this id.
pub(super) fn find_task<'t>(tasks: &'t [RoadmapTask], id: &str) -> Result<&'t RoadmapTask, UserError> {
    tasks.iter().find(|task| task.id == id).ok_or_else(|| {
        let known = nearest_name(id, tasks.iter().map(|task| task.id.as_str()));
        let hint = known.map_or_else(
            || "`loopbreak tasks list` lists the tasks".to_owned(),
            |known| format!("did you mean {known}?"),
        );
        UserError::usage(format!("task {id:?} not found")).hint(hint)
    })
}

impl From<RoadmapRunError> for UserError {
    fn from(error: RoadmapRunError) -> Self {
        match error {
            RoadmapRunError::Store(error) => error.into(),
            RoadmapRunError::Select(SelectSessionError::NotFound { name, .. }) => {
                UserError::usage(format!("no run {name:?} with tasks found"))
                    .hint("`loopbreak status --all` lists the stored runs")
            }
            RoadmapRunError::Select(error) => error.into(),
            error => UserError::failed(error.to_string()),
        }
    }
}
