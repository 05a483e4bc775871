//! The choice between the rows of one project and those of all.

use schemars::JsonSchema;
use serde::Deserialize;

use super::caller_access::ApiCaller;

/// The projects that a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ProjectChoice {
    Own,
    All,
}

impl ProjectChoice {
    /// Returns the project whose rows a caller gets, `None` for those of all projects. That is only for the owner.
    pub(super) fn project_of(choice: Option<Self>, caller: &ApiCaller) -> Option<String> {
        let is_all = choice == Some(ProjectChoice::All) && caller.is_owner();
        (!is_all).then(|| caller.project.to_string())
    }
}
