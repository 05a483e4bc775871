//! The usage of a model in one line of a transcript.

use loopbreak::Usage;

use super::entry::{ClaudeEntry, ClaudeTokens};
use crate::model_call::ModelCall;

/// Reads the usage of a line. Lines of subagents count too.
pub(super) fn parse(line: &str) -> Option<ModelCall> {
    let entry: ClaudeEntry<'_> = serde_json::from_str(line).ok()?;
    if entry.kind.as_deref() != Some("assistant") {
        return None;
    }
    let message = entry.message?;
    let mut usage: Usage = message.usage?.into();
    usage.cost_usd = entry.cost;
    // Texts that the program writes under the name of the model are marked like this.
    let model = message.model.filter(|model| !model.starts_with('<')).map(|model| model.to_string());
    Some(ModelCall { id: message.id.map(|id| id.to_string()), model, usage: Some(usage) })
}

impl From<ClaudeTokens> for Usage {
    fn from(tokens: ClaudeTokens) -> Self {
        let some = |tokens: u64| Some(tokens).filter(|tokens| *tokens > 0);
        let input = tokens.input.saturating_add(tokens.cache_written).saturating_add(tokens.cache_read);
        Usage {
            input_tokens: Some(input),
            output_tokens: Some(tokens.output),
            cache_read_tokens: some(tokens.cache_read),
            cache_write_tokens: some(tokens.cache_written),
            cache_write_1h_tokens: some(tokens.written.for_an_hour),
            cost_usd: None,
        }
    }
}
