//! Texts of a step, borrowed from the input if they have no escapes.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A text of a step. Unlike `Cow<str>`, it borrows when deserialized inside an `Option`.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct StepText<'a>(pub Cow<'a, str>);

impl StepText<'_> {
    /// Converts the text into one that owns its bytes.
    pub fn into_owned(self) -> StepText<'static> {
        StepText(Cow::Owned(self.0.into_owned()))
    }
}

impl Deref for StepText<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for StepText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for StepText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'a> From<&'a str> for StepText<'a> {
    fn from(text: &'a str) -> Self {
        StepText(Cow::Borrowed(text))
    }
}

impl From<String> for StepText<'_> {
    fn from(text: String) -> Self {
        StepText(Cow::Owned(text))
    }
}

impl Serialize for StepText<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for StepText<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct StepTextVisitor;
        impl<'de> Visitor<'de> for StepTextVisitor {
            type Value = StepText<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<StepText<'de>, E> {
                Ok(StepText(Cow::Borrowed(text)))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<StepText<'de>, E> {
                Ok(StepText(Cow::Owned(text.to_owned())))
            }
            fn visit_string<E: Error>(self, text: String) -> Result<StepText<'de>, E> {
                Ok(StepText(Cow::Owned(text)))
            }
        }
        deserializer.deserialize_str(StepTextVisitor)
    }
}

/// A name that logs write as a string or as a number, such as the id of a run, a place or a task. `20` and `"20"` are the same
/// label.
#[derive(Clone, Debug)]
pub enum Label<'a> {
    /// A number in the log.
    Number(i64),
    /// A string in the log.
    Text(StepText<'a>),
}

impl Label<'_> {
    /// Creates a label from a number. One that does not fit into `i64` is kept as its digits.
    pub(super) fn from_number(number: u64) -> Self {
        i64::try_from(number).map_or_else(|_| Label::Text(number.to_string().into()), Label::Number)
    }

    /// Returns the label as text. Does not allocate for a string.
    pub fn as_text(&self) -> Cow<'_, str> {
        match self {
            Label::Number(number) => Cow::Owned(number.to_string()),
            Label::Text(text) => Cow::Borrowed(text),
        }
    }

    /// Converts the label into one that owns its bytes.
    pub fn into_owned(self) -> Label<'static> {
        match self {
            Label::Number(number) => Label::Number(number),
            Label::Text(text) => Label::Text(text.into_owned()),
        }
    }
}

impl fmt::Display for Label<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Label::Number(number) => number.fmt(f),
            Label::Text(text) => f.write_str(text),
        }
    }
}

impl PartialEq for Label<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Label::Number(a), Label::Number(b)) => a == b,
            _ => self.as_text() == other.as_text(),
        }
    }
}

impl<'a> From<&'a str> for Label<'a> {
    fn from(text: &'a str) -> Self {
        Label::Text(text.into())
    }
}

impl From<String> for Label<'_> {
    fn from(text: String) -> Self {
        Label::Text(text.into())
    }
}

impl From<i64> for Label<'_> {
    fn from(number: i64) -> Self {
        Label::Number(number)
    }
}

impl Serialize for Label<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Label::Number(number) => serializer.serialize_i64(*number),
            Label::Text(text) => text.serialize(serializer),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Label<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct LabelVisitor;
        impl<'de> Visitor<'de> for LabelVisitor {
            type Value = Label<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or a whole number")
            }
            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Label<'de>, E> {
                Ok(Label::Text(text.into()))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Label<'de>, E> {
                Ok(Label::Text(text.to_owned().into()))
            }
            fn visit_string<E: Error>(self, text: String) -> Result<Label<'de>, E> {
                Ok(Label::Text(text.into()))
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<Label<'de>, E> {
                Ok(Label::Number(number))
            }
            fn visit_u64<E: Error>(self, number: u64) -> Result<Label<'de>, E> {
                Ok(Label::from_number(number))
            }
        }
        deserializer.deserialize_any(LabelVisitor)
    }
}
