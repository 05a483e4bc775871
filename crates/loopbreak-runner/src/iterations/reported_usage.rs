//! The tokens and the cost that a command reports in JSON on its standard output.

use loopbreak::Usage;
use serde_json::Value;

/// The number of lines at the end that are searched for token counts.
const MAX_LINES: usize = 20;
/// Tokens that were read, as Claude Code and Codex CLI report them. Those from a cache are counted separately by the first.
const INPUT_KEYS: [&str; 3] = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];

/// Returns what the command reported of its usage, if it did.
pub(crate) fn reported_usage(output: &str) -> Option<Usage> {
    let (input_tokens, output_tokens) = parse_tokens(output).unzip();
    let usage = Usage { input_tokens, output_tokens, cost_usd: parse_cost(output), ..Usage::default() };
    (usage.input_tokens.is_some() || usage.cost_usd.is_some()).then_some(usage)
}

/// Returns the cost. The last number is the total.
fn parse_cost(output: &str) -> Option<f64> {
    ["\"total_cost_usd\"", "\"cost_usd\""].iter().find_map(|key| {
        let (_, rest) = output.rsplit_once(key)?;
        let rest = rest.trim_start().strip_prefix(':')?.trim_start();
        let end = rest.find(|char: char| !matches!(char, '0'..='9' | '.' | 'e' | 'E' | '-' | '+'));
        rest[..end.unwrap_or(rest.len())].parse().ok().filter(|cost: &f64| cost.is_finite() && *cost >= 0.0)
    })
}

/// Returns the tokens that were read and written. The last object that has them has the total.
fn parse_tokens(output: &str) -> Option<(u64, u64)> {
    let output = output.trim();
    // Most outputs are prose, which is not parsed at all.
    if !output.ends_with('}') {
        return None;
    }
    let whole = output.starts_with('{').then_some(output);
    whole.into_iter().chain(output.lines().rev().take(MAX_LINES)).find_map(tokens_in)
}

fn tokens_in(text: &str) -> Option<(u64, u64)> {
    let value: Value = serde_json::from_str(text).ok()?;
    let usage = &value["usage"];
    if let Some(written) = usage["output_tokens"].as_u64() {
        let read = INPUT_KEYS.iter().filter_map(|key| usage[key].as_u64());
        return Some((read.fold(0, u64::saturating_add), written));
    }
    // Gemini CLI counts per model.
    let models = value["stats"]["models"].as_object().filter(|models| !models.is_empty())?;
    let sum = |key: &str| {
        models.values().filter_map(|model| model["tokens"][key].as_u64()).fold(0, u64::saturating_add)
    };
    Some((sum("prompt"), sum("candidates")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cost_is_the_last_number_reported() {
        assert_eq!(parse_cost(r#"{"cost_usd":1}{"type":"result","total_cost_usd": 0.25,"x":1}"#), Some(0.25));
        assert_eq!(parse_cost(r#"{"cost_usd":1}{"cost_usd":2}"#), Some(2.0));
        assert_eq!(parse_cost(r#"{"total_cost_usd":null}"#), None);
        assert_eq!(parse_cost("it costs 3 dollars"), None);
    }

    #[test]
    fn tokens_are_found_in_the_output_of_known_agents() {
        let claude = r#"{"type":"result","result":"ok","total_cost_usd":0.1,"usage":{"input_tokens":4,"cache_creation_input_tokens":10,"cache_read_input_tokens":100,"output_tokens":7}}"#;
        let usage = reported_usage(claude).unwrap();
        assert_eq!(
            (usage.input_tokens, usage.output_tokens, usage.cost_usd),
            (Some(114), Some(7), Some(0.1))
        );
        let codex = "{\"type\":\"item.completed\"}\n{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":30,\"cached_input_tokens\":20,\"output_tokens\":3}}";
        assert_eq!(parse_tokens(codex), Some((30, 3)));
        let gemini = r#"{"response":"ok","stats":{"models":{"a":{"tokens":{"prompt":5,"candidates":1}},"b":{"tokens":{"prompt":6,"candidates":2}}}}}"#;
        assert_eq!(parse_tokens(gemini), Some((11, 3)));
        assert!(reported_usage("used 30 tokens").is_none() && reported_usage("{\"a\":1}").is_none());
    }
}
