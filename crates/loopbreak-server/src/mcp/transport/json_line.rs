//! Parses a line as a message. If it is none, says what is wrong with it, to the request that the line seems to be.

use rmcp::model::{ClientJsonRpcMessage, ErrorData, RequestId};
use serde_json::Value;

/// The mark with which some programs begin a text.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";
/// Words that some programs write for numbers that JSON does not have, the longest first.
const NOT_NUMBERS: [&[u8]; 3] = [b"-Infinity", b"Infinity", b"NaN"];

/// A line that is not a message.
#[derive(Debug, PartialEq)]
pub(super) struct InvalidLine {
    pub(super) error: ErrorData,
    /// Id of the request, if it can be told.
    pub(super) id: Option<RequestId>,
}

/// Parses a line. Returns `None` if it is empty, or a notification that is not part of the protocol.
pub(super) fn parse_line(line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, InvalidLine> {
    let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    let error = match serde_json::from_slice(line) {
        Ok(message) => return Ok(Some(message)),
        Err(error) => error,
    };
    match serde_json::from_slice::<Value>(line) {
        Ok(value) if value.get("id").is_none() && value.get("method").is_some_and(Value::is_string) => {
            Ok(None)
        }
        Ok(value) => {
            let text = "Not a JSON-RPC message that this server knows; send one message per line";
            Err(InvalidLine { error: ErrorData::invalid_request(text, None), id: id_of(&value) })
        }
        Err(_) => {
            let repaired = serde_json::from_slice::<Value>(&without_not_numbers(line)).ok();
            let text = match &repaired {
                Some(_) => "NaN and Infinity are not JSON; send null, or leave the value out".to_owned(),
                None => format!("The line is not JSON: {error}"),
            };
            Err(not_json(text, repaired.as_ref().and_then(id_of)))
        }
    }
}

fn not_json(text: String, id: Option<RequestId>) -> InvalidLine {
    InvalidLine { error: ErrorData::parse_error(text, None), id }
}

fn id_of(value: &Value) -> Option<RequestId> {
    value.get("id").filter(|id| !id.is_null()).and_then(|id| serde_json::from_value(id.clone()).ok())
}

/// Replaces the words for numbers that JSON does not have by `null`, outside of texts.
fn without_not_numbers(line: &[u8]) -> Vec<u8> {
    let mut repaired = Vec::with_capacity(line.len());
    let mut is_text = false;
    let mut rest = line;
    while let [first, after @ ..] = rest {
        let word = NOT_NUMBERS.iter().find(|word| !is_text && rest.starts_with(word));
        if let Some(word) = word {
            repaired.extend_from_slice(b"null");
            rest = &rest[word.len()..];
            continue;
        }
        repaired.push(*first);
        rest = after;
        match first {
            b'"' => is_text = !is_text,
            b'\\' if is_text => {
                if let [escaped, after @ ..] = rest {
                    repaired.push(*escaped);
                    rest = after;
                }
            }
            _ => {}
        }
    }
    repaired
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the code and the id of the error for a line.
    fn error(line: &str) -> (i32, Value) {
        let InvalidLine { error, id } = parse_line(line.as_bytes()).unwrap_err();
        (error.code.0, serde_json::to_value(id).unwrap())
    }

    #[test]
    fn a_line_that_is_not_json_gets_a_parse_error() {
        for line in ["not JSON", "{", r#"{"jsonrpc":"2.0""#, r#"{"id":7,"method":"ping""#, "[1,]"] {
            assert_eq!(error(line), (-32700, Value::Null), "{line}");
        }
        let InvalidLine { error, id } = parse_line(b"\xff\xfe").unwrap_err();
        assert_eq!((error.code.0, id), (-32700, None));
    }

    /// Python writes `NaN` for a number that is none. The client waits for an answer to its id.
    #[test]
    fn a_request_with_a_number_that_json_does_not_have_is_answered_with_its_id() {
        let line = r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"NaN \" NaN","arguments":{"x":[NaN,-Infinity,Infinity]}}}"#;
        assert_eq!(error(line), (-32700, Value::from(5)));
        assert_eq!(error(&line.replace('5', r#""five""#)), (-32700, Value::from("five")));
        let repaired = String::from_utf8(without_not_numbers(line.as_bytes())).unwrap();
        assert!(repaired.contains(r#""NaN \" NaN""#) && repaired.contains("[null,null,null]"), "{repaired}");
    }

    #[test]
    fn json_that_is_not_a_message_is_an_invalid_request() {
        assert_eq!(error("null"), (-32600, Value::Null));
        assert_eq!(error("7"), (-32600, Value::Null));
        assert_eq!(error(r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#), (-32600, Value::Null));
        assert_eq!(error(r#"{"id":"a"}"#), (-32600, Value::from("a")));
    }

    #[test]
    fn messages_pass_and_foreign_notifications_are_passed_over() {
        let ping = "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n";
        assert!(matches!(parse_line(ping.as_bytes()), Ok(Some(ClientJsonRpcMessage::Request(_)))));
        for line in ["", " \r\n", r#"{"method":"$/setTrace","params":[]}"#] {
            assert_eq!(parse_line(line.as_bytes()).map(|message| message.is_some()), Ok(false), "{line}");
        }
    }
}
