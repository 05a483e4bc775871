//! OTLP requests in protobuf, rewritten as OTLP JSON, so that one reader reads both.
//!
//! Only what the reader uses is rewritten. The work is linear in the size of the request, and the depth is bounded.

use super::telemetry_error::TelemetryError;

/// Largest depth of nested messages. The messages of OTLP around an attribute are 6 deep.
const MAX_DEPTH: usize = 40;
/// Largest number of fields of a message, so that a small body does not become large in memory.
const MAX_FIELDS: usize = 100_000;

/// A field of a message that is rewritten.
struct ProtobufField {
    number: u32,
    name: &'static str,
    kind: FieldKind,
    is_list: bool,
}

/// The content of a field, and its form in JSON.
#[derive(Clone, Copy)]
enum FieldKind {
    Message(&'static MessageShape),
    Text,
    /// Bytes as hexadecimal digits: the ids of traces and spans.
    Id,
    /// Bytes of which only the number is told.
    Bytes,
    /// An integer as a text, as JSON of protobuf writes 64 bits.
    Integer,
    Enumeration,
    Boolean,
    Double,
}

const fn one(number: u32, name: &'static str, kind: FieldKind) -> ProtobufField {
    ProtobufField { number, name, kind, is_list: false }
}

const fn list(number: u32, name: &'static str, shape: &'static MessageShape) -> ProtobufField {
    ProtobufField { number, name, kind: FieldKind::Message(shape), is_list: true }
}

/// A request with traces.
pub(super) static TRACES: MessageShape = MessageShape(&[list(1, "resourceSpans", &RESOURCE_SPANS)]);
/// A request with logs.
pub(super) static LOGS: MessageShape = MessageShape(&[list(1, "resourceLogs", &RESOURCE_LOGS)]);

/// The fields of a message that are rewritten.
pub(super) struct MessageShape(&'static [ProtobufField]);

static RESOURCE_SPANS: MessageShape =
    MessageShape(&[one(1, "resource", FieldKind::Message(&RESOURCE)), list(2, "scopeSpans", &SCOPE_SPANS)]);
static SCOPE_SPANS: MessageShape =
    MessageShape(&[one(1, "scope", FieldKind::Message(&SCOPE)), list(2, "spans", &SPAN)]);
static SPAN: MessageShape = MessageShape(&[
    one(1, "traceId", FieldKind::Id),
    one(2, "spanId", FieldKind::Id),
    one(4, "parentSpanId", FieldKind::Id),
    one(5, "name", FieldKind::Text),
    one(7, "startTimeUnixNano", FieldKind::Integer),
    one(8, "endTimeUnixNano", FieldKind::Integer),
    list(9, "attributes", &ATTRIBUTE),
    one(15, "status", FieldKind::Message(&STATUS)),
]);
static STATUS: MessageShape =
    MessageShape(&[one(2, "message", FieldKind::Text), one(3, "code", FieldKind::Enumeration)]);
static RESOURCE_LOGS: MessageShape =
    MessageShape(&[one(1, "resource", FieldKind::Message(&RESOURCE)), list(2, "scopeLogs", &SCOPE_LOGS)]);
static SCOPE_LOGS: MessageShape =
    MessageShape(&[one(1, "scope", FieldKind::Message(&SCOPE)), list(2, "logRecords", &LOG_RECORD)]);
static LOG_RECORD: MessageShape = MessageShape(&[
    one(1, "timeUnixNano", FieldKind::Integer),
    one(11, "observedTimeUnixNano", FieldKind::Integer),
    one(5, "body", FieldKind::Message(&VALUE)),
    list(6, "attributes", &ATTRIBUTE),
    one(9, "traceId", FieldKind::Id),
    one(10, "spanId", FieldKind::Id),
    one(12, "eventName", FieldKind::Text),
]);
static RESOURCE: MessageShape = MessageShape(&[list(1, "attributes", &ATTRIBUTE)]);
static SCOPE: MessageShape =
    MessageShape(&[one(1, "name", FieldKind::Text), one(2, "version", FieldKind::Text)]);
static ATTRIBUTE: MessageShape =
    MessageShape(&[one(1, "key", FieldKind::Text), one(2, "value", FieldKind::Message(&VALUE))]);
static VALUE: MessageShape = MessageShape(&[
    one(1, "stringValue", FieldKind::Text),
    one(2, "boolValue", FieldKind::Boolean),
    one(3, "intValue", FieldKind::Integer),
    one(4, "doubleValue", FieldKind::Double),
    one(5, "arrayValue", FieldKind::Message(&VALUE_LIST)),
    one(6, "kvlistValue", FieldKind::Message(&KEY_VALUE_LIST)),
    one(7, "bytesValue", FieldKind::Bytes),
]);
static VALUE_LIST: MessageShape = MessageShape(&[list(1, "values", &VALUE)]);
static KEY_VALUE_LIST: MessageShape = MessageShape(&[list(1, "values", &ATTRIBUTE)]);

/// Rewrites a request as JSON.
pub(super) fn protobuf_to_json(shape: &MessageShape, body: &[u8]) -> Result<String, TelemetryError> {
    let mut json = String::with_capacity(body.len() * 2);
    write_message(shape, body, 0, &mut json)?;
    Ok(json)
}

/// The content of a field as it is in the message.
#[derive(Clone, Copy)]
enum WireValue<'b> {
    Number(u64),
    Bytes(&'b [u8]),
}

fn write_message(
    shape: &MessageShape,
    body: &[u8],
    depth: usize,
    json: &mut String,
) -> Result<(), TelemetryError> {
    if depth > MAX_DEPTH {
        return Err(TelemetryError::TooDeep);
    }
    let fields = split_fields(body)?;
    json.push('{');
    let mut separator = "";
    for field in shape.0 {
        let found = || fields.iter().filter(|(number, _)| *number == field.number).map(|(_, value)| *value);
        // The last value of a field counts, unless it is a list.
        let Some(last) = found().next_back() else { continue };
        json.extend([separator, "\"", field.name, "\":"]);
        separator = ",";
        if !field.is_list {
            write_value(field.kind, last, depth, json)?;
            continue;
        }
        for (position, value) in found().enumerate() {
            json.push(if position == 0 { '[' } else { ',' });
            write_value(field.kind, value, depth, json)?;
        }
        json.push(']');
    }
    json.push('}');
    Ok(())
}

fn write_value(
    kind: FieldKind,
    value: WireValue<'_>,
    depth: usize,
    json: &mut String,
) -> Result<(), TelemetryError> {
    match (kind, value) {
        (FieldKind::Message(shape), WireValue::Bytes(body)) => write_message(shape, body, depth + 1, json)?,
        (FieldKind::Text, WireValue::Bytes(text)) => write_text(&String::from_utf8_lossy(text), json),
        (FieldKind::Id, WireValue::Bytes(id)) => {
            json.push('"');
            // Longer ids are not valid.
            for byte in id.iter().take(32) {
                json.extend(
                    [byte >> 4, byte & 15].map(|digit| char::from_digit(digit.into(), 16).unwrap_or('0')),
                );
            }
            json.push('"');
        }
        (FieldKind::Bytes, WireValue::Bytes(bytes)) => write_text(&format!("({} bytes)", bytes.len()), json),
        (FieldKind::Integer, WireValue::Number(number)) => {
            json.extend(["\"", &number.cast_signed().to_string(), "\""]);
        }
        (FieldKind::Enumeration, WireValue::Number(number)) => json.push_str(&number.to_string()),
        (FieldKind::Boolean, WireValue::Number(number)) => {
            json.push_str(if number == 0 { "false" } else { "true" });
        }
        (FieldKind::Double, WireValue::Number(bits)) => {
            let number = f64::from_bits(bits);
            let number = if number.is_finite() { number.to_string() } else { format!("\"{number}\"") };
            json.push_str(&number);
        }
        _ => return Err(TelemetryError::NotProtobuf),
    }
    Ok(())
}

fn write_text(text: &str, json: &mut String) {
    json.push_str(&serde_json::Value::from(text).to_string());
}

/// Splits a message into its fields, in their order.
fn split_fields(mut body: &[u8]) -> Result<Vec<(u32, WireValue<'_>)>, TelemetryError> {
    let mut fields = Vec::new();
    while !body.is_empty() {
        let tag = take_number(&mut body)?;
        let number = u32::try_from(tag >> 3).map_err(|_| TelemetryError::NotProtobuf)?;
        let value = match tag & 7 {
            0 => WireValue::Number(take_number(&mut body)?),
            1 => WireValue::Number(u64::from_le_bytes(take(&mut body)?)),
            2 => {
                let length = take_number(&mut body)?;
                let length = usize::try_from(length).map_err(|_| TelemetryError::NotProtobuf)?;
                let (bytes, rest) = body.split_at_checked(length).ok_or(TelemetryError::NotProtobuf)?;
                body = rest;
                WireValue::Bytes(bytes)
            }
            5 => WireValue::Number(u32::from_le_bytes(take(&mut body)?).into()),
            _ => return Err(TelemetryError::NotProtobuf),
        };
        if number == 0 || fields.len() == MAX_FIELDS {
            return Err(TelemetryError::NotProtobuf);
        }
        fields.push((number, value));
    }
    Ok(fields)
}

fn take<const N: usize>(body: &mut &[u8]) -> Result<[u8; N], TelemetryError> {
    let (head, rest) = body.split_first_chunk().ok_or(TelemetryError::NotProtobuf)?;
    *body = rest;
    Ok(*head)
}

/// Takes a number of variable length.
fn take_number(body: &mut &[u8]) -> Result<u64, TelemetryError> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let [byte] = take(body)?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(number);
        }
    }
    Err(TelemetryError::NotProtobuf)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(number: u8, content: &[u8]) -> Vec<u8> {
        let mut length = content.len();
        let mut message = vec![number << 3 | 2];
        while length >= 0x80 {
            message.push(length as u8 | 0x80);
            length >>= 7;
        }
        message.push(length as u8);
        message.extend(content);
        message
    }

    fn fixed(number: u8, value: u64) -> Vec<u8> {
        [vec![number << 3 | 1], value.to_le_bytes().to_vec()].concat()
    }

    #[test]
    fn a_span_becomes_json() {
        let value = |content: Vec<u8>| field(2, &content);
        let attribute =
            |key: &str, content: Vec<u8>| field(9, &[field(1, key.as_bytes()), value(content)].concat());
        let span = [
            field(1, &[0xab; 16]),
            attribute("text", field(1, "é\"\n".as_bytes())),
            field(2, &[1; 8]),
            fixed(7, 1_762_248_924_000_000_000),
            attribute("minus", vec![3 << 3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]),
            attribute("half", fixed(4, 0.5_f64.to_bits())),
            attribute("list", field(5, &field(1, &[2 << 3, 1]))),
            field(15, &[3 << 3, 2]),
            // Unknown fields of every kind.
            vec![0x80 | 0x78, 7, 1],
            fixed(14, 7),
        ];
        let request = field(1, &field(2, &field(2, &span.concat())));
        assert_eq!(
            protobuf_to_json(&TRACES, &request).unwrap(),
            concat!(
                r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"abababababababababababababababab","#,
                r#""spanId":"0101010101010101","startTimeUnixNano":"1762248924000000000","#,
                r#""attributes":[{"key":"text","value":{"stringValue":"é\"\n"}},"#,
                r#"{"key":"minus","value":{"intValue":"-1"}},{"key":"half","value":{"doubleValue":0.5}},"#,
                r#"{"key":"list","value":{"arrayValue":{"values":[{"boolValue":true}]}}}],"#,
                r#""status":{"code":2}}]}]}]}"#
            )
        );
        assert_eq!(protobuf_to_json(&LOGS, &[]).unwrap(), "{}");
    }

    #[test]
    fn broken_and_deep_messages_are_errors() {
        for broken in
            [&[0x0a_u8][..], &[0x0a, 5, 1], &[0x0b], &[0x00, 1], &[0xff; 12], &[0x08, 1], &[0x09, 1]]
        {
            assert!(protobuf_to_json(&TRACES, broken).is_err(), "{broken:?}");
        }
        let mut value = field(1, b"x");
        for _ in 0..30 {
            value = field(5, &field(1, &value));
        }
        let record = field(5, &value);
        let request = field(1, &field(2, &field(2, &record)));
        assert_eq!(protobuf_to_json(&LOGS, &request), Err(TelemetryError::TooDeep));
    }
}
