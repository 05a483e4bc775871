//! The value of one fact.

use std::fmt;

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// The value of a fact in [`Evidence`](super::Evidence). In JSON it is the plain value, without a tag.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum EvidenceValue {
    /// A fact that is unknown: `null`.
    #[default]
    Absent,
    /// True or false.
    Flag(bool),
    /// A whole number, between `i64::MIN` and `u64::MAX`.
    Number(i128),
    /// A finite number with a fraction.
    Float(f64),
    /// A text.
    Text(String),
    /// Several values.
    List(Vec<EvidenceValue>),
    /// Named values, in the order in which they are written.
    Fields(Vec<(String, EvidenceValue)>),
}

impl EvidenceValue {
    /// Returns whether the fact is unknown.
    pub fn is_absent(&self) -> bool {
        matches!(self, EvidenceValue::Absent)
    }

    /// Returns the text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            EvidenceValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the number, if it is whole and not negative.
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            EvidenceValue::Number(number) => u64::try_from(*number).ok(),
            _ => None,
        }
    }

    /// Returns the number, if it is one.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            EvidenceValue::Number(number) => Some(*number as f64),
            EvidenceValue::Float(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns the values of a list, if it is one.
    pub fn as_list(&self) -> Option<&[EvidenceValue]> {
        match self {
            EvidenceValue::List(items) => Some(items),
            _ => None,
        }
    }
}

/// Formats the value for people: texts without quotes, lists with commas, two decimal places, more for small numbers.
impl fmt::Display for EvidenceValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvidenceValue::Absent => Ok(()),
            EvidenceValue::Flag(flag) => write!(f, "{flag}"),
            EvidenceValue::Number(number) => write!(f, "{number}"),
            EvidenceValue::Float(number) if number.fract() == 0.0 => write!(f, "{number:.0}"),
            EvidenceValue::Float(number) => f.write_str(&render_float(*number)),
            EvidenceValue::Text(text) => f.write_str(text),
            EvidenceValue::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if index == 0 { "" } else { ", " })?;
                }
                Ok(())
            }
            EvidenceValue::Fields(_) => f.write_str(&serde_json::to_string(self).unwrap_or_default()),
        }
    }
}

macro_rules! from_whole_number {
    ($($type:ty)*) => { $(
        impl From<$type> for EvidenceValue {
            fn from(number: $type) -> Self {
                EvidenceValue::Number(i128::from(number))
            }
        }
    )* };
}

from_whole_number! { u8 u16 u32 u64 i32 i64 }

impl From<usize> for EvidenceValue {
    fn from(number: usize) -> Self {
        EvidenceValue::Number(number as i128)
    }
}

impl From<bool> for EvidenceValue {
    fn from(flag: bool) -> Self {
        EvidenceValue::Flag(flag)
    }
}

/// JSON has no infinite numbers, so they become unknown.
impl From<f64> for EvidenceValue {
    fn from(number: f64) -> Self {
        if number.is_finite() { EvidenceValue::Float(number) } else { EvidenceValue::Absent }
    }
}

impl From<&str> for EvidenceValue {
    fn from(text: &str) -> Self {
        EvidenceValue::Text(text.to_owned())
    }
}

impl From<String> for EvidenceValue {
    fn from(text: String) -> Self {
        EvidenceValue::Text(text)
    }
}

impl<T: Into<EvidenceValue>> From<Option<T>> for EvidenceValue {
    fn from(value: Option<T>) -> Self {
        value.map_or(EvidenceValue::Absent, Into::into)
    }
}

impl<T: Into<EvidenceValue>> From<Vec<T>> for EvidenceValue {
    fn from(items: Vec<T>) -> Self {
        EvidenceValue::List(items.into_iter().map(Into::into).collect())
    }
}

impl From<Value> for EvidenceValue {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => EvidenceValue::Absent,
            Value::Bool(flag) => flag.into(),
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => number.into(),
                (_, Some(number)) => number.into(),
                _ => number.as_f64().into(),
            },
            Value::String(text) => text.into(),
            Value::Array(items) => items.into(),
            Value::Object(fields) => EvidenceValue::Fields(
                fields.into_iter().map(|(name, value)| (name, EvidenceValue::from(value))).collect(),
            ),
        }
    }
}

impl From<&EvidenceValue> for Value {
    fn from(value: &EvidenceValue) -> Self {
        match value {
            EvidenceValue::Absent => Value::Null,
            EvidenceValue::Flag(flag) => (*flag).into(),
            EvidenceValue::Number(number) => match (u64::try_from(*number), i64::try_from(*number)) {
                (Ok(number), _) => number.into(),
                (_, Ok(number)) => number.into(),
                _ => (*number as f64).into(),
            },
            EvidenceValue::Float(number) => (*number).into(),
            EvidenceValue::Text(text) => text.as_str().into(),
            EvidenceValue::List(items) => items.iter().map(Value::from).collect(),
            EvidenceValue::Fields(fields) => {
                fields.iter().map(|(name, value)| (name.clone(), Value::from(value))).collect()
            }
        }
    }
}

impl Serialize for EvidenceValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            EvidenceValue::Absent => serializer.serialize_unit(),
            EvidenceValue::Flag(flag) => serializer.serialize_bool(*flag),
            EvidenceValue::Number(number) => match (u64::try_from(*number), i64::try_from(*number)) {
                (Ok(number), _) => serializer.serialize_u64(number),
                (_, Ok(number)) => serializer.serialize_i64(number),
                _ => serializer.serialize_i128(*number),
            },
            EvidenceValue::Float(number) => serializer.serialize_f64(*number),
            EvidenceValue::Text(text) => serializer.serialize_str(text),
            EvidenceValue::List(items) => serializer.collect_seq(items),
            EvidenceValue::Fields(fields) => {
                serializer.collect_map(fields.iter().map(|(name, value)| (name, value)))
            }
        }
    }
}

impl<'de> Deserialize<'de> for EvidenceValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FactValueVisitor)
    }
}

struct FactValueVisitor;

impl<'de> Visitor<'de> for FactValueVisitor {
    type Value = EvidenceValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<EvidenceValue, E> {
        Ok(EvidenceValue::Absent)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<EvidenceValue, E> {
        Ok(flag.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<EvidenceValue, E> {
        Ok(number.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<EvidenceValue, E> {
        Ok(number.into())
    }

    fn visit_f64<E>(self, number: f64) -> Result<EvidenceValue, E> {
        Ok(number.into())
    }

    fn visit_str<E>(self, text: &str) -> Result<EvidenceValue, E> {
        Ok(text.into())
    }

    fn visit_string<E>(self, text: String) -> Result<EvidenceValue, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<EvidenceValue, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element::<EvidenceValue>()? {
            list.push(item);
        }
        Ok(EvidenceValue::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<EvidenceValue, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(EvidenceValue::Fields(fields))
    }
}

/// Returns a figure as a whole number if it is one: a score of 10 is written as `10`, not as `10.0`.
pub(crate) fn whole_or_float(number: f64) -> EvidenceValue {
    if is_small_whole(number) { EvidenceValue::Number(number as i128) } else { number.into() }
}

/// Returns whether a number has no fraction and is small enough that it is exact.
pub(crate) fn is_small_whole(number: f64) -> bool {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    number.fract() == 0.0 && number.abs() <= EXACT
}

/// Renders a number with two decimals. A small one has more of them, so that a cost of 0.004 is not shown as 0.00.
fn render_float(number: f64) -> String {
    let is_small = number != 0.0 && number.abs() < 0.1;
    let mut text = if is_small { format!("{number:.6}") } else { format!("{number:.2}") };
    while is_small && text.ends_with('0') && text.find('.').is_some_and(|point| text.len() - point > 3) {
        text.pop();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn values() -> impl Strategy<Value = EvidenceValue> {
        let leaf = prop_oneof![
            Just(EvidenceValue::Absent),
            any::<bool>().prop_map(EvidenceValue::from),
            any::<u64>().prop_map(EvidenceValue::from),
            any::<i64>().prop_map(EvidenceValue::from),
            any::<f64>().prop_map(EvidenceValue::from),
            any::<String>().prop_map(EvidenceValue::from),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(EvidenceValue::List),
                prop::collection::vec(("[a-z]{1,4}", inner), 0..4).prop_map(EvidenceValue::Fields),
            ]
        })
    }

    #[test]
    fn small_numbers_are_not_rounded_to_nothing() {
        let numbers = [(0.004, "0.004"), (0.05, "0.05"), (-0.2, "-0.20"), (12.3456, "12.35"), (1e-7, "0.00")];
        for (number, expected) in numbers {
            assert_eq!(EvidenceValue::Float(number).to_string(), expected);
        }
    }

    proptest! {
        #[test]
        fn every_value_is_read_back_from_its_json(value in values()) {
            let json = serde_json::to_string(&value).unwrap();
            prop_assert_eq!(&serde_json::from_str::<EvidenceValue>(&json).unwrap(), &value);
            if !json.contains('{') {
                prop_assert_eq!(EvidenceValue::from(Value::from(&value)), value);
            }
        }
    }

    #[test]
    fn values_are_formatted_for_people() {
        for (value, text) in [
            (EvidenceValue::from(0.95), "0.95"),
            (EvidenceValue::from(900.0), "900"),
            (EvidenceValue::from(u64::MAX), "18446744073709551615"),
            (EvidenceValue::from(vec!["north", "up"]), "north, up"),
            (EvidenceValue::from(None::<u64>), ""),
        ] {
            assert_eq!(value.to_string(), text);
        }
    }
}
