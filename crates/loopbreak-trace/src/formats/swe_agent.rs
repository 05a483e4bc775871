//! SWE-agent: trajectories. See docs/formats/swe-agent.md.

use loopbreak::{Outcome, Step, Usage, step::StepText};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::log_format::{FormatDefinition, LogReader, LogUnit};
use crate::log_record::{LogRecord, RecordSink};
use crate::message::MessageContent;
use crate::message::arguments;
use crate::message::command;
use crate::message::walk_document;
use crate::skip_reason::SkipReason;
use crate::sniff::JsonOutline;

/// Trajectories of SWE-agent.
pub(crate) struct SweAgentFormat;

impl FormatDefinition for SweAgentFormat {
    fn name(&self) -> &'static str {
        "swe-agent"
    }
    fn title(&self) -> &'static str {
        "SWE-agent"
    }
    fn file_description(&self) -> &'static str {
        ".traj files: one JSON document per run"
    }
    fn recognizes(&self, value: &JsonOutline<'_>) -> bool {
        value.is_list("trajectory")
            && (value.has_all(&["trajectory.[].action", "trajectory.[].observation"])
                || value.has_all(&["history", "environment"]))
    }
    fn holds_whole_run(&self, _value: &JsonOutline<'_>) -> bool {
        true
    }
    fn new_reader(&self, _agents: &[String]) -> Box<dyn LogReader> {
        Box::new(SweAgentFormat)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SweAgentEntry<'a> {
    #[serde(borrow)]
    action: MessageContent<'a>,
    #[serde(borrow)]
    observation: MessageContent<'a>,
    #[serde(borrow)]
    thought: MessageContent<'a>,
    #[serde(borrow)]
    response: MessageContent<'a>,
}

/// Keys at the end of the document that describe the whole run.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SweAgentSummary<'a> {
    info: Option<SweAgentInfo>,
    /// An object, or a string that contains JSON.
    #[serde(borrow)]
    replay_config: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SweAgentInfo {
    model_stats: Option<SweAgentStats>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SweAgentStats {
    instance_cost: Option<f64>,
    tokens_sent: Option<u64>,
    tokens_received: Option<u64>,
}

impl SweAgentSummary<'_> {
    fn usage(&self) -> Option<Usage> {
        let stats = self.info.as_ref()?.model_stats.as_ref()?;
        let usage = Usage {
            input_tokens: stats.tokens_sent.filter(|tokens| *tokens > 0),
            output_tokens: stats.tokens_received.filter(|tokens| *tokens > 0),
            cost_usd: stats.instance_cost.filter(|cost| *cost > 0.0),
            ..Usage::default()
        };
        (usage.input_tokens.is_some() || usage.output_tokens.is_some() || usage.cost_usd.is_some())
            .then_some(usage)
    }

    /// Returns the name of the model, from the settings of the run.
    fn model(&self) -> Option<String> {
        #[derive(Deserialize)]
        struct SweAgentConfig {
            agent: SweAgentSettings,
        }
        #[derive(Deserialize)]
        struct SweAgentSettings {
            model: SweAgentModel,
        }
        #[derive(Deserialize)]
        struct SweAgentModel {
            name: String,
        }
        let config = arguments(self.replay_config?)?;
        let config: SweAgentConfig = serde_json::from_str(config.json()).ok()?;
        Some(config.agent.model.name)
    }
}

impl LogReader for SweAgentFormat {
    fn read_unit(&mut self, unit: LogUnit<'_>, sink: &mut dyn RecordSink) -> Result<(), SkipReason> {
        // A truncated document lacks the keys at its end.
        let about: SweAgentSummary<'_> = serde_json::from_str(unit.text).unwrap_or_default();
        let model = about.model();
        // The totals of the run are attributed to its first step, because their distribution over the steps is
        // unknown.
        let mut usage = about.usage();
        let mut broken = Ok(());
        let walked = walk_document(unit, &["trajectory"], &mut |part| {
            if part.listed {
                let given = entry(part.unit(), model.as_deref(), &mut usage, sink);
                broken = std::mem::replace(&mut broken, Ok(())).and(given);
            }
        });
        walked.and(broken)
    }
}

fn entry(
    unit: LogUnit<'_>,
    model: Option<&str>,
    usage: &mut Option<Usage>,
    sink: &mut dyn RecordSink,
) -> Result<(), SkipReason> {
    let entry: SweAgentEntry<'_> =
        serde_json::from_str(unit.text).map_err(|error| SkipReason::malformed(unit.text, &error))?;
    let filled = |text: &StepText<'_>| !text.trim().is_empty();
    let line = entry.action.into_text().filter(filled);
    let say = entry.thought.into_text().filter(filled).or(entry.response.into_text().filter(filled));
    let outcome = entry.observation.into_text().map(Outcome::new);
    let step = Step {
        model: model.map(StepText::from),
        action: line.as_deref().map(command),
        // Without an action, the observation is a complaint about the format or the end of the run.
        outcome: outcome.filter(|_| line.is_some()),
        say,
        usage: usage.take(),
        ..Step::default()
    };
    if step.has_facet() {
        sink.record(&LogRecord { line: unit.line, step });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_is_the_tool() {
        let action = command("edit 1:1\nx\nend_of_edit\n");
        assert_eq!((&*action.name, action.args.unwrap().json()), ("edit", "\"1:1\\nx\\nend_of_edit\""));
        assert!(command("submit\n").args.is_none());
    }
}
