//! The search for logs of agents on this machine, if the user names none.

use std::ffi::OsString;
use std::path::PathBuf;

use super::agent_log_dir::{AgentLogDir, agent_log_dirs};

/// The logs of the agents on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentLogSearch {
    /// Each place that was searched, with the folders and databases with logs in it.
    pub places: Vec<(AgentLogDir, Vec<PathBuf>)>,
}

/// No logs of agents were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoAgentLogs {
    searched: Vec<String>,
}

/// Searches for the logs of the agents on this machine. `variable` looks up environment variables.
pub fn search_agent_logs(variable: impl Fn(&str) -> Option<OsString>) -> Result<AgentLogSearch, NoAgentLogs> {
    let places: Vec<(AgentLogDir, Vec<PathBuf>)> = agent_log_dirs(variable)
        .into_iter()
        .map(|place| {
            let folders = place.log_folders();
            (place, folders)
        })
        .collect();
    if places.iter().all(|(_, folders)| folders.is_empty()) {
        let shown = |place: &AgentLogDir| format!("{} ({})", place.agent, place.path.display());
        return Err(NoAgentLogs { searched: places.iter().map(|(place, _)| shown(place)).collect() });
    }
    Ok(AgentLogSearch { places })
}

impl AgentLogSearch {
    /// Returns all folders and databases with logs.
    pub fn folders(&self) -> Vec<PathBuf> {
        self.places.iter().flat_map(|(_, folders)| folders.clone()).collect()
    }

    /// Describes where there are logs, one line for each place, and then all agents without logs in one line.
    pub fn notes(&self) -> impl Iterator<Item = String> {
        let (with, without): (Vec<_>, Vec<_>) =
            self.places.iter().partition(|(_, folders)| !folders.is_empty());
        let missing: Vec<&str> = without.iter().map(|(place, _)| place.agent).collect();
        let missing = (!missing.is_empty()).then(|| format!("no logs of {}", missing.join(", ")));
        let found = |(place, _): &(AgentLogDir, _)| {
            format!("reading the logs of {} in {}", place.agent, place.path.display())
        };
        with.into_iter().map(found).collect::<Vec<_>>().into_iter().chain(missing)
    }
}

impl std::fmt::Display for NoAgentLogs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.searched.as_slice() {
            [] => f.write_str("no log given, and there is no home folder to search"),
            searched => write!(f, "no log given, and none found for {}", searched.join(", ")),
        }
    }
}

impl std::error::Error for NoAgentLogs {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_places_that_were_searched_are_named() {
        let home = tempfile::tempdir().unwrap();
        let variable = |name: &str| (name == "HOME").then(|| home.path().into());
        let none = search_agent_logs(variable).unwrap_err().to_string();
        assert!(none.contains("none found for Claude Code (") && none.contains("Codex CLI"), "{none}");
        assert_eq!(
            search_agent_logs(|_| None).unwrap_err().to_string(),
            "no log given, and there is no home folder to search"
        );
        std::fs::create_dir_all(home.path().join(".claude/projects")).unwrap();
        let found = search_agent_logs(variable).unwrap();
        assert_eq!(found.folders(), [home.path().join(".claude/projects")]);
        let notes: Vec<String> = found.notes().collect();
        assert!(notes[0].starts_with("reading the logs of Claude Code in "), "{notes:?}");
        assert_eq!(notes.len(), 2, "{notes:?}");
        assert!(notes[1].starts_with("no logs of Codex CLI, Gemini CLI, "), "{notes:?}");
    }
}
