//! The loops that people allowed, as settings and as a filter.

use std::sync::Arc;

use loopbreak::settings::AllowRule;
use loopbreak::verdict::Intervention;
use loopbreak::{Config, Settings, Verdict};
use loopbreak_store::service::AllowedLoop;
use serde::{Deserialize, Serialize};

use crate::mcp::ServeError;
use crate::mcp::state::guard_configs;

/// The rules of a run: its settings, and the loops that are let pass.
#[derive(Debug)]
pub(crate) struct RunRules {
    /// The loops, ordered by id.
    pub(crate) allowed: Vec<AllowedLoop>,
    /// Settings of the guard and of the series.
    pub(crate) configs: (Config, Config),
}

/// An allowed loop as it is written into the log of a run and into its snapshots.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AllowedLoopRecord {
    #[serde(rename = "loop")]
    loop_id: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    rule: String,
}

impl RunRules {
    /// Derives the rules from the settings of the service and the allowed loops of a project.
    pub(crate) fn new(settings: &Settings, allowed: Vec<AllowedLoop>) -> Result<Arc<Self>, ServeError> {
        let mut settings = settings.clone();
        for known in &allowed {
            if let Ok(rule) = serde_json::from_str::<AllowRule>(&known.rule) {
                settings.allow.push(rule);
            }
        }
        Ok(Arc::new(RunRules { allowed, configs: guard_configs(&settings)? }))
    }

    /// Returns the allowed loops as they are written down.
    pub(crate) fn records(&self) -> Vec<AllowedLoopRecord> {
        self.allowed
            .iter()
            .map(|known| AllowedLoopRecord { loop_id: known.loop_id.clone(), rule: known.rule.clone() })
            .collect()
    }

    /// Removes from a verdict what is about an allowed loop. The rules for calls do most of that in the engine; this also covers
    /// loops that are not about one call.
    pub(crate) fn silence(&self, verdict: &mut Verdict) {
        if self.allowed.is_empty() {
            return;
        }
        let is_allowed = |id: &str| self.allowed.iter().any(|known| known.loop_id == id);
        let before = verdict.findings.len() + verdict.decisions.len();
        let ended = verdict.decisions.iter().any(|decision| {
            decision.intervention == Intervention::Stop && is_allowed(&decision.loop_id.to_string())
        });
        verdict.findings.retain(|finding| !is_allowed(&finding.loop_id.to_string()));
        verdict.decisions.retain(|decision| !is_allowed(&decision.loop_id.to_string()));
        verdict.sighted.retain(|id| !is_allowed(&id.to_string()));
        if verdict.findings.len() + verdict.decisions.len() == before {
            return;
        }
        let detectors: Vec<_> = verdict.findings.iter().map(|finding| finding.detector).collect();
        verdict.advice.retain(|advice| detectors.contains(&advice.detector));
        if ended {
            (verdict.stop, verdict.stop_due) = (None, None);
        }
        if verdict.findings.is_empty() {
            verdict.rewind_to = None;
            verdict.context.clear();
            verdict.tasks.clear();
        }
    }
}

impl From<AllowedLoopRecord> for AllowedLoop {
    fn from(record: AllowedLoopRecord) -> Self {
        AllowedLoop { loop_id: record.loop_id, rule: record.rule }
    }
}
