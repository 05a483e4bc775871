//! What findings rest on, which may be anything that JSON can be. As text it would be read again at every look at a run.

use loopbreak::Evidence;
use serde_json::{Number, Value};

use super::codec::{PackedRecord, RecordPacker, RecordUnpacker};
use super::values::{collected, pairs};

impl PackedRecord for Evidence {
    fn pack(&self, to: &mut RecordPacker<'_>) {
        self.iter().count().pack(to);
        for (name, fact) in self.iter() {
            name.as_str().to_owned().pack(to);
            Value::from(fact).pack(to);
        }
    }

    fn unpack(from: &mut RecordUnpacker<'_>) -> Option<Self> {
        collected::<(String, Value), _>(from)
    }
}

/// What a value is, before the value.
const NULL: u64 = 0;
const BOOL: u64 = 1;
const POSITIVE: u64 = 2;
const NEGATIVE: u64 = 3;
const FLOAT: u64 = 4;
const TEXT: u64 = 5;
const LIST: u64 = 6;
const OBJECT: u64 = 7;

impl PackedRecord for Value {
    fn pack(&self, to: &mut RecordPacker<'_>) {
        match self {
            Value::Null => to.number(NULL),
            Value::Bool(value) => tagged(to, BOOL, value),
            Value::Number(number) => {
                if let Some(number) = number.as_u64() {
                    tagged(to, POSITIVE, &number);
                } else if let Some(number) = number.as_i64() {
                    tagged(to, NEGATIVE, &number);
                } else {
                    // What is no integer is a float that is neither infinite nor no number.
                    tagged(to, FLOAT, &number.as_f64().unwrap_or_default());
                }
            }
            Value::String(text) => tagged(to, TEXT, text),
            Value::Array(list) => tagged(to, LIST, list),
            Value::Object(object) => {
                to.number(OBJECT);
                pairs(to, object.iter());
            }
        }
    }

    fn unpack(from: &mut RecordUnpacker<'_>) -> Option<Self> {
        Some(match from.number()? {
            NULL => Value::Null,
            BOOL => Value::Bool(bool::unpack(from)?),
            POSITIVE => u64::unpack(from)?.into(),
            NEGATIVE => i64::unpack(from)?.into(),
            FLOAT => Value::Number(Number::from_f64(f64::unpack(from)?)?),
            TEXT => Value::String(String::unpack(from)?),
            LIST => Value::Array(Vec::unpack(from)?),
            OBJECT => Value::Object(collected::<(String, Value), _>(from)?),
            _ => return None,
        })
    }
}

fn tagged(to: &mut RecordPacker<'_>, tag: u64, value: &impl PackedRecord) {
    to.number(tag);
    value.pack(to);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::pack::WordTable;

    #[test]
    fn facts_come_back_as_they_were() {
        let facts = json!({
            "count": 3, "most": u64::MAX, "least": i64::MIN, "score": 0.1, "whole": 1.0, "zero": -0.0,
            "text": "dark \u{e9}", "none": null, "yes": true, "list": [1, "a", [], {}], "deep": {"a": {"b": [null]}},
        });
        let evidence: Evidence = facts.as_object().unwrap().clone().into_iter().collect();
        let mut words = WordTable::default();
        let mut to = RecordPacker::new(&mut words);
        evidence.pack(&mut to);
        let bytes = to.bytes;
        let mut from = RecordUnpacker::new(&bytes, &words);
        let again = Evidence::unpack(&mut from).unwrap();
        assert!(from.is_empty());
        assert_eq!(again, evidence);
        assert_eq!(serde_json::to_string(&again).unwrap(), facts.to_string());
        assert!(
            (0..bytes.len())
                .all(|cut| Evidence::unpack(&mut RecordUnpacker::new(&bytes[..cut], &words)).is_none())
        );
    }
}
