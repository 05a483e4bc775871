//! Arguments of `record_step` and `weigh_action`: a step and a proposal of the engine.
//!
//! Their schemas are those of the engine, so that a new part of a step needs no change here. The differences are in
//! `input_schema`.

use std::borrow::Cow;

use loopbreak::{Proposal, Step};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::input_schema;

/// Arguments of `record_step`.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Map<String, Value>")]
pub(crate) struct StepInput {
    pub(crate) run: Option<String>,
    /// The step, without its run.
    pub(crate) step: Step<'static>,
}

/// Arguments of `weigh_action`.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Map<String, Value>")]
pub(crate) struct ProposalInput {
    pub(crate) run: Option<String>,
    pub(crate) proposal: Proposal<'static>,
}

impl TryFrom<Map<String, Value>> for StepInput {
    type Error = serde_json::Error;

    fn try_from(mut arguments: Map<String, Value>) -> Result<Self, Self::Error> {
        let run = take_run(&mut arguments)?;
        let step = Step::from_json(&Value::Object(arguments).to_string())?.into_owned();
        Ok(StepInput { run, step })
    }
}

impl TryFrom<Map<String, Value>> for ProposalInput {
    type Error = serde_json::Error;

    fn try_from(mut arguments: Map<String, Value>) -> Result<Self, Self::Error> {
        let run = take_run(&mut arguments)?;
        let proposal = Proposal::from_json(&Value::Object(arguments).to_string())?.into_owned();
        Ok(ProposalInput { run, proposal })
    }
}

/// Removes the run from the arguments.
fn take_run(arguments: &mut Map<String, Value>) -> Result<Option<String>, serde_json::Error> {
    arguments.remove("run").map_or(Ok(None), serde_json::from_value)
}

impl JsonSchema for StepInput {
    fn schema_name() -> Cow<'static, str> {
        "StepInput".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let schema = Step::json_schema(generator);
        input_schema::step(schema, generator.definitions_mut())
    }
}

impl JsonSchema for ProposalInput {
    fn schema_name() -> Cow<'static, str> {
        "ProposalInput".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let schema = Proposal::json_schema(generator);
        input_schema::proposal(schema, generator.definitions_mut())
    }
}

#[cfg(test)]
mod tests {
    use schemars::schema_for;
    use serde_json::json;

    use super::*;

    /// Returns the names of the properties of a schema and of each of its definitions.
    fn properties(schema: &Schema) -> Vec<(String, Vec<String>)> {
        let keys = |schema: &Value| {
            let object = schema.pointer("/anyOf/1").unwrap_or(schema);
            object["properties"].as_object().unwrap().keys().cloned().collect::<Vec<_>>()
        };
        let definitions = schema.as_value()["$defs"].as_object().unwrap().iter();
        // The tools accept anything as a completed objective.
        let definitions =
            definitions.filter(|(name, schema)| *name != "CompletedObjective" && schema["type"] != "string");
        let definitions = definitions.filter(|(_, schema)| schema.get("oneOf").is_none());
        let definitions = definitions.filter(|(name, _)| *name != "EpochMillis");
        let definitions = definitions.map(|(name, schema)| (name.clone(), keys(schema)));
        std::iter::once((String::new(), keys(schema.as_value()))).chain(definitions).collect()
    }

    #[test]
    fn record_step_has_every_part_of_a_step() {
        assert_eq!(properties(&schema_for!(StepInput)), properties(&schema_for!(Step<'_>)));
    }

    #[test]
    fn weigh_action_has_every_part_of_a_proposal_and_a_run() {
        let mut expected = properties(&schema_for!(Proposal<'_>));
        expected[0].1.push("run".to_owned());
        expected[0].1.sort();
        let mut found = properties(&schema_for!(ProposalInput));
        found[0].1.sort();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_proposal_has_the_destination_of_the_callers_map() {
        let arguments = json!({"action": "north", "destination": {"id": 15, "name": "Lobby"}});
        let input: ProposalInput = serde_json::from_value(arguments).unwrap();
        assert_eq!(input.proposal.destination.unwrap().id, Some(15.into()));
    }

    #[test]
    fn the_run_is_not_part_of_the_step() {
        let arguments = json!({"run": "r", "action": {"name": "bash", "args": {"command": "ls"}}});
        let input: StepInput = serde_json::from_value(arguments).unwrap();
        assert_eq!(input.run.as_deref(), Some("r"));
        assert!(input.step.run.is_none());
        assert_eq!(input.step.action.unwrap().line(), r#"bash {"command":"ls"}"#);
    }
}
