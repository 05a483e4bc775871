//! The rules of the projects of a thread, read again from time to time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use loopbreak::Settings;
use loopbreak_store::service::ServiceStore;

use super::run_rules::{AllowedLoopRecord, RunRules};
use super::shard_errors::{RETRY_TIME, unavailable};
use crate::mcp::protocol::ToolError;
use crate::service::IngestError;

/// Time after which the allowed loops of a project are read again. Other servers may change them.
const RULES_TIME: Duration = Duration::from_secs(2);

/// The rules of projects.
pub(super) struct ProjectRules {
    store: Arc<dyn ServiceStore>,
    settings: Settings,
    /// The rules of each project, and when they were read.
    rules: BTreeMap<String, (Arc<RunRules>, Instant)>,
    /// The rules of a project that allows nothing.
    no_rules: Arc<RunRules>,
}

impl ProjectRules {
    pub(super) fn new(store: Arc<dyn ServiceStore>, settings: Settings, no_rules: Arc<RunRules>) -> Self {
        ProjectRules { store, settings, rules: BTreeMap::new(), no_rules }
    }

    /// Reads the rules of a project again when they are needed next.
    pub(super) fn refresh(&mut self, project: &str) {
        self.rules.remove(project);
    }

    /// Returns the rules for allowed loops, those in use if they are the same.
    pub(super) fn of_records(&self, records: Vec<AllowedLoopRecord>) -> Result<Arc<RunRules>, ToolError> {
        let allowed: Vec<_> = records.into_iter().map(Into::into).collect();
        let in_use = self.rules.values().map(|(rules, _)| rules).chain([&self.no_rules]);
        if let Some(same) = in_use.into_iter().find(|rules| rules.allowed == allowed) {
            return Ok(Arc::clone(same));
        }
        RunRules::new(&self.settings, allowed)
            .map_err(|error| ToolError::new(error.to_string(), "Nothing was recorded"))
    }

    /// Returns the rules of a project.
    pub(super) fn of_project(&mut self, project: &str) -> Result<Arc<RunRules>, IngestError> {
        if let Some((rules, read)) = self.rules.get(project)
            && read.elapsed() < RULES_TIME
        {
            return Ok(Arc::clone(rules));
        }
        let allowed = self.store.allowed_loops(project).map_err(|error| unavailable(&error))?;
        let rules = match self.rules.get(project) {
            Some((rules, _)) if rules.allowed == allowed => Arc::clone(rules),
            _ if allowed.is_empty() => Arc::clone(&self.no_rules),
            _ => RunRules::new(&self.settings, allowed).map_err(|error| IngestError::Unavailable {
                message: error.to_string(),
                retry_after: RETRY_TIME,
            })?,
        };
        self.rules.insert(project.to_owned(), (Arc::clone(&rules), Instant::now()));
        Ok(rules)
    }
}
