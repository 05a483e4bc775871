//! One notification: an intervention, its run and its reason.

use std::fmt;

use loopbreak::verdict::Advice;
use loopbreak::verdict::LoopId;
use loopbreak::{Decision, DetectorName, Intervention, Pattern, Step, Verdict};
use loopbreak_notify::NotificationText;
use serde::Serialize;

/// The name and version of the JSON form.
const SCHEMA: &str = "loopbreak.watch/1";

/// The run, turn, detector, pattern and intervention of a notification.
pub type NotificationKey = (String, u64, DetectorName, Pattern, Intervention);

/// An intervention of a guard, as it is printed, sent to a webhook and passed to a command. Keys may be added to the JSON
/// form, never renamed.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct LoopNotification {
    schema: &'static str,
    /// The name of the run.
    pub run: String,
    /// The log or command that the run comes from.
    pub source: String,
    /// The line of the log.
    pub line: u64,
    /// The turn of the intervention.
    pub turn: u64,
    /// The time of the step, in milliseconds since 1970, if it has one.
    pub at: Option<i64>,
    /// The intervention.
    pub intervention: Intervention,
    /// The detector that asked for it.
    pub detector: DetectorName,
    /// The pattern that was found.
    pub pattern: Pattern,
    /// The id of the loop.
    #[serde(rename = "loop")]
    pub loop_id: LoopId,
    /// The task that the loop is about, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The reason, as one sentence.
    pub reason: String,
    /// False if the guard or the detector only observes.
    #[serde(rename = "acted")]
    pub enforced: bool,
    /// Texts for the agent, the critic and the user.
    pub advice: Vec<Advice>,
}

impl LoopNotification {
    /// Creates the notification about one decision of a verdict.
    pub fn new(
        run: &str,
        source: &str,
        line: u64,
        step: &Step<'_>,
        verdict: &Verdict,
        decision: &Decision,
    ) -> Self {
        let advice = verdict.advice.iter().filter(|advice| advice.detector == decision.detector).cloned();
        LoopNotification {
            schema: SCHEMA,
            run: run.to_owned(),
            source: source.to_owned(),
            line,
            turn: verdict.turn,
            at: step.at.map(|at| at.0),
            intervention: decision.intervention,
            detector: decision.detector,
            pattern: decision.pattern,
            loop_id: decision.loop_id,
            task: decision.task.clone(),
            reason: decision.reason.clone(),
            enforced: decision.enforced,
            advice: advice.collect(),
        }
    }

    /// Returns the key by which the notification is recognised when its log is read again.
    pub fn key(&self) -> NotificationKey {
        (self.run.clone(), self.turn, self.detector, self.pattern, self.intervention)
    }

    /// Returns the notification as text for people.
    pub fn text(&self) -> NotificationText {
        let LoopNotification { run, turn, detector, reason, source, line, intervention, .. } = self;
        let what = if intervention.as_str() == "stop" { "should stop" } else { "needs you" };
        NotificationText::new(
            &format!("Loopbreak: {run} {what}"),
            &format!("turn {turn}, {detector}: {reason}"),
            &format!("{source}:{line}"),
        )
    }

    /// Returns whether somebody has to act now: the run should be stopped or needs a human.
    pub fn needs_action(&self) -> bool {
        self.enforced && self.intervention.ends_run()
    }
}

impl fmt::Display for LoopNotification {
    /// Writes one line for people. Control characters in it are those of the log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let observed = if self.enforced { "" } else { " (observed)" };
        write!(
            f,
            "{:<8} {}  turn {}  {}: {}{observed}  {}:{}",
            self.intervention.as_str(),
            self.run,
            self.turn,
            self.detector,
            self.reason,
            self.source,
            self.line
        )
    }
}
