//! One thing that is told: an intervention, of which run and why.

use loopbreak::{Advice, Decision, DetectorName, Intervention, LoopId, Step, Verdict};
use serde::Serialize;

use crate::output::printable;

/// The name and version of this form.
const SCHEMA: &str = "loopbreak.watch/1";

/// The run, the turn, the detector, the pattern and the intervention.
pub(crate) type Sameness = (String, u64, DetectorName, &'static str, Intervention);

/// What is printed, sent and given to a command. Keys may be added, never renamed.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Notice {
    schema: &'static str,
    pub(crate) run: String,
    pub(crate) source: String,
    /// The line of the log.
    line: u64,
    pub(crate) turn: u64,
    /// The time of the step, in milliseconds since 1970, where it has one.
    at: Option<i64>,
    pub(crate) intervention: Intervention,
    pub(crate) detector: DetectorName,
    pub(crate) pattern: &'static str,
    #[serde(rename = "loop")]
    pub(crate) loop_id: LoopId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) task: Option<String>,
    pub(crate) reason: String,
    /// False where the guard or the detector only observes.
    pub(crate) acted: bool,
    /// What the agent, the critic and the user are to be told.
    advice: Vec<Advice>,
}

impl Notice {
    pub(crate) fn new(
        run: &str,
        source: &str,
        line: u64,
        step: &Step<'_>,
        verdict: &Verdict,
        act: &Decision,
    ) -> Self {
        let advice = verdict.advice.iter().filter(|advice| advice.detector == act.detector).cloned();
        Notice {
            schema: SCHEMA,
            run: run.to_owned(),
            source: source.to_owned(),
            line,
            turn: verdict.turn,
            at: step.at.map(|at| at.0),
            intervention: act.intervention,
            detector: act.detector,
            pattern: act.pattern,
            loop_id: act.loop_id,
            task: act.task.clone(),
            reason: act.reason.clone(),
            acted: act.enforced,
            advice: advice.collect(),
        }
    }

    /// By what it is known when its log is read again.
    pub(crate) fn sameness(&self) -> Sameness {
        (self.run.clone(), self.turn, self.detector, self.pattern, self.intervention)
    }

    /// Whether somebody has to do something now: the run is to be stopped, or needs a human.
    pub(crate) fn calls(&self) -> bool {
        self.acted && self.intervention.ends_run()
    }

    /// On one line, for people.
    pub(crate) fn text(&self) -> String {
        let observed = if self.acted { "" } else { " (observed)" };
        printable(&format!(
            "{:<8} {}  turn {}  {}: {}{observed}  {}:{}",
            self.intervention.as_str(),
            self.run,
            self.turn,
            self.detector,
            self.reason,
            self.source,
            self.line
        ))
    }
}
