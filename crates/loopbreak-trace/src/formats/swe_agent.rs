//! SWE-agent: trajectories. See docs/formats/swe-agent.md.

use loopbreak::{Outcome, Step, Text, Usage};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::arguments::arguments;
use crate::content::Content;
use crate::document::walk;
use crate::format::{Kind, Reader, Record, Sink, Unit};
use crate::formats::command;
use crate::glimpse::Glimpse;
use crate::reason::Reason;

/// Trajectories of SWE-agent.
pub(crate) struct SweAgent;

impl Kind for SweAgent {
    fn name(&self) -> &'static str {
        "swe-agent"
    }
    fn title(&self) -> &'static str {
        "SWE-agent"
    }
    fn files(&self) -> &'static str {
        ".traj files: one JSON document a run"
    }
    fn recognises(&self, value: &Glimpse<'_>) -> bool {
        value.is_list("trajectory")
            && (value.has_all(&["trajectory.[].action", "trajectory.[].observation"])
                || value.has_all(&["history", "environment"]))
    }
    fn holds_run(&self, _value: &Glimpse<'_>) -> bool {
        true
    }
    fn reader(&self, _beside: &[String]) -> Box<dyn Reader> {
        Box::new(SweAgent)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Entry<'a> {
    #[serde(borrow)]
    action: Content<'a>,
    #[serde(borrow)]
    observation: Content<'a>,
    #[serde(borrow)]
    thought: Content<'a>,
    #[serde(borrow)]
    response: Content<'a>,
}

/// What stands at the end of the document about the whole run.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct About<'a> {
    info: Option<Info>,
    /// An object, or JSON in a text.
    #[serde(borrow)]
    replay_config: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Info {
    model_stats: Option<Stats>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Stats {
    instance_cost: Option<f64>,
    tokens_sent: Option<u64>,
    tokens_received: Option<u64>,
}

impl About<'_> {
    fn usage(&self) -> Option<Usage> {
        let stats = self.info.as_ref()?.model_stats.as_ref()?;
        let usage = Usage {
            input_tokens: stats.tokens_sent.filter(|tokens| *tokens > 0),
            output_tokens: stats.tokens_received.filter(|tokens| *tokens > 0),
            cost_usd: stats.instance_cost.filter(|cost| *cost > 0.0),
        };
        (usage.input_tokens.is_some() || usage.output_tokens.is_some() || usage.cost_usd.is_some())
            .then_some(usage)
    }

    /// The model's name in the settings of the run.
    fn model(&self) -> Option<String> {
        #[derive(Deserialize)]
        struct Config {
            agent: Agent,
        }
        #[derive(Deserialize)]
        struct Agent {
            model: Model,
        }
        #[derive(Deserialize)]
        struct Model {
            name: String,
        }
        let config = arguments(self.replay_config?)?;
        let config: Config = serde_json::from_str(config.json()).ok()?;
        Some(config.agent.model.name)
    }
}

impl Reader for SweAgent {
    fn unit(&mut self, unit: Unit<'_>, sink: &mut dyn Sink) -> Result<(), Reason> {
        // A document that is cut off has no end to tell of the whole.
        let about: About<'_> = serde_json::from_str(unit.text).unwrap_or_default();
        let model = about.model();
        // The sums of the run stand on its first step: what a stop would have saved of them is not known.
        let mut usage = about.usage();
        let mut broken = Ok(());
        let walked = walk(unit, &["trajectory"], &mut |part| {
            if part.listed {
                let given = entry(part.unit(), model.as_deref(), &mut usage, sink);
                broken = std::mem::replace(&mut broken, Ok(())).and(given);
            }
        });
        walked.and(broken)
    }
}

fn entry(
    unit: Unit<'_>,
    model: Option<&str>,
    usage: &mut Option<Usage>,
    sink: &mut dyn Sink,
) -> Result<(), Reason> {
    let entry: Entry<'_> =
        serde_json::from_str(unit.text).map_err(|error| Reason::malformed(unit.text, &error))?;
    let filled = |text: &Text<'_>| !text.trim().is_empty();
    let line = entry.action.into_text().filter(filled);
    let say = entry.thought.into_text().filter(filled).or(entry.response.into_text().filter(filled));
    let outcome = entry.observation.into_text().map(|text| Outcome { text: Some(text), error: false });
    let step = Step {
        model: model.map(Text::from),
        action: line.as_deref().map(command),
        // Without an action there is nothing that this came of: a complaint about the format, or the end.
        outcome: outcome.filter(|_| line.is_some()),
        say,
        usage: usage.take(),
        ..Step::default()
    };
    if step.has_facet() {
        sink.record(&Record { line: unit.line, step });
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
