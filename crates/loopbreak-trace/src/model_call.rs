//! The usage of a model that one line of a transcript reports.

use loopbreak::Usage;

/// Usage of a model as one line of a transcript reports it.
///
/// A guard that runs beside an agent reads new lines only. So this is read from a line by itself, where a reader of whole logs
/// assigns usage to steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelCall {
    /// Id of the call. Several lines of one call each have its usage so far.
    pub id: Option<String>,
    /// The model. A line may name only the model, which then applies to the lines after it.
    pub model: Option<String>,
    /// Usage of the call so far.
    pub usage: Option<Usage>,
}

#[cfg(test)]
mod tests {
    use crate::LogFormat;

    /// Id, model, and tokens: read, written, from the cache, to the cache.
    type CallFigures = (Option<String>, Option<String>, [Option<u64>; 4]);

    fn call(format: LogFormat, line: &str) -> Option<CallFigures> {
        let call = format.model_call(line.as_bytes())?;
        let usage = call.usage.unwrap_or_default();
        let tokens =
            [usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, usage.cache_write_tokens];
        Some((call.id, call.model, tokens))
    }

    #[test]
    fn a_line_of_each_agent_has_its_model_its_tokens_and_an_id() {
        let text = |text: &str| Some(text.to_owned());
        for (format, line, expected) in [
            (
                LogFormat::CLAUDE_CODE,
                r#"{"type":"assistant","message":{"id":"m1","model":"claude-opus-4-6","content":[{"type":"text","text":"hi"}],"usage":{"input_tokens":3,"cache_creation_input_tokens":20,"cache_read_input_tokens":100,"output_tokens":7}}}"#,
                (text("m1"), text("claude-opus-4-6"), [Some(123), Some(7), Some(100), Some(20)]),
            ),
            (
                LogFormat::CODEX,
                r#"{"type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"input_tokens":50,"cached_input_tokens":40,"output_tokens":5},"total_token_usage":{"input_tokens":150,"output_tokens":9}}}}"#,
                (text("Some(150) Some(9)"), None, [Some(50), Some(5), Some(40), None]),
            ),
            (
                LogFormat::CODEX,
                r#"{"type":"turn_context","payload":{"model":"gpt-5","cwd":"/x"}}"#,
                (None, text("gpt-5"), [None; 4]),
            ),
            (
                LogFormat::GEMINI_CLI,
                r#"{"id":"g","type":"gemini","model":"gemini-2.5-pro","content":"","tokens":{"input":10,"output":2,"thoughts":3,"cached":4}}"#,
                (text("g"), text("gemini-2.5-pro"), [Some(10), Some(5), Some(4), None]),
            ),
            (
                LogFormat::QWEN_CODE,
                r#"{"uuid":"q","type":"assistant","model":"qwen3","message":{"parts":[]},"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":2,"thoughtsTokenCount":0,"cachedContentTokenCount":1}}"#,
                (text("q"), text("qwen3"), [Some(10), Some(2), Some(1), None]),
            ),
        ] {
            assert_eq!(call(format, line), Some(expected), "{line}");
        }
    }

    #[test]
    fn other_lines_have_none_and_broken_ones_neither() {
        for format in LogFormat::all() {
            for line in [
                "",
                "\"usage\"",
                r#"{"usage":3,"tokens":[],"usageMetadata":"x","token_count":1}"#,
                r#"{"type":"user","message":{"content":"the word \"usage\""}}"#,
                r#"{"type":"event_msg","payload":{"type":"token_count","info":null}}"#,
                r#"{"type":"assistant","message":{"usage":{"input_tokens":-1}}}"#,
            ] {
                let call = format.model_call(line.as_bytes());
                let tokens = call.as_ref().and_then(|call| call.usage?.input_tokens).unwrap_or(0);
                assert_eq!(tokens, 0, "{format} {line} {call:?}");
            }
            assert_eq!(format.model_call(b"\xff\"usage\""), None);
        }
    }
}
