//! The usage of a model in one line of a rollout.

use loopbreak::Usage;
use loopbreak::step::StepText;
use serde::Deserialize;

use super::entry::CodexTokens;
use crate::model_call::ModelCall;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CodexUsageLine<'a> {
    #[serde(borrow)]
    payload: CodexUsagePayload<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CodexUsagePayload<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<StepText<'a>>,
    /// Only in the lines that describe a turn.
    #[serde(borrow)]
    model: Option<StepText<'a>>,
    info: Option<CodexUsageTotals>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
struct CodexUsageTotals {
    last_token_usage: Option<CodexTokens>,
    total_token_usage: Option<CodexTokens>,
}

/// Reads the usage of a line, or the model of a turn.
pub(super) fn parse(line: &str) -> Option<ModelCall> {
    let CodexUsageLine { payload } = serde_json::from_str(line).ok()?;
    if payload.kind.as_deref() != Some("token_count") {
        let model = payload.model.map(|model| model.to_string())?;
        return Some(ModelCall { model: Some(model), ..ModelCall::default() });
    }
    let counted = payload.info?;
    // The same count is repeated when limits change. The sum of the session tells them apart.
    let total = counted.total_token_usage.unwrap_or_default();
    let id = format!("{:?} {:?}", total.input_tokens, total.output_tokens);
    let usage = counted.last_token_usage.map(Usage::from);
    Some(ModelCall { id: Some(id), model: None, usage })
}

impl From<CodexTokens> for Usage {
    fn from(tokens: CodexTokens) -> Self {
        Usage {
            input_tokens: tokens.input_tokens,
            output_tokens: tokens.output_tokens,
            cache_read_tokens: tokens.cached_input_tokens,
            ..Usage::default()
        }
    }
}
