//! The agent's final message in JSON output. The JSON around it is the same in every iteration, whatever was
//! done.

use serde_json::Value;

/// The keys of the final message, in a single object or in the last line of many.
const KEYS: [&str; 2] = ["result", "response"];
/// The number of lines at the end that are searched: token counts may follow the message.
const MAX_LINES: usize = 20;

/// Returns the final message of an output that is a JSON object, or one object per line.
pub(crate) fn final_message(output: &str) -> Option<String> {
    let output = output.trim();
    // Most outputs are prose, which is not parsed at all.
    if !output.ends_with('}') {
        return None;
    }
    let whole = output.starts_with('{').then_some(output);
    whole.into_iter().chain(output.lines().rev().take(MAX_LINES)).find_map(message_in)
}

fn message_in(text: &str) -> Option<String> {
    let value: Value = serde_json::from_str(text).ok()?;
    let keyed = KEYS.iter().find_map(|key| value[key].as_str());
    let item = &value["item"];
    let message = item["text"].as_str().filter(|_| item["type"] == "agent_message");
    keyed.or(message).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_final_message_is_found_in_the_output_of_known_agents() {
        let one = r#"{"type":"result","is_error":false,"result":"Fixed it.\nDONE","total_cost_usd":0.1}"#;
        assert_eq!(final_message(one).as_deref(), Some("Fixed it.\nDONE"));
        let stream = format!("{{\"type\":\"system\"}}\n{{\"type\":\"assistant\"}}\n{one}\n");
        assert_eq!(final_message(&stream).as_deref(), Some("Fixed it.\nDONE"));
        let pretty = "{\n  \"response\": \"Fixed it.\",\n  \"stats\": {\n    \"n\": 1\n  }\n}\n";
        assert_eq!(final_message(pretty).as_deref(), Some("Fixed it."));
        let events = "{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"Fixed.\"}}\n\
                      {\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":3}}";
        assert_eq!(final_message(events).as_deref(), Some("Fixed."));
    }

    #[test]
    fn other_outputs_have_no_final_message() {
        for output in ["", "done", "fn main() {}", "{\"a\":1}", "{oops}", "result: {\"b\": []}"] {
            assert_eq!(final_message(output), None, "{output}");
        }
    }
}
