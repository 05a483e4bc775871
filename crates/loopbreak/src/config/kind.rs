//! What values an option takes, in words, and whether a value is one of them.

use std::fmt;

use toml::de::DeValue;

use super::located::quoted;
use super::nearest::nearest;
use super::{Duration, Settings, tree};

/// What values an option takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// `true` or `false`.
    Switch,
    /// A whole number.
    Whole(Range),
    /// Any number.
    Number(Range),
    /// One of some names.
    Choice(Vec<Choice>),
    /// A length of time.
    Duration,
    /// A text.
    Text,
    /// A list of texts.
    List,
    /// A table of texts, by name.
    Texts,
    /// A list of tables with these keys.
    Rules(Vec<Choice>),
    /// Something else; the settings themselves say what they take.
    Other,
}

/// A name with what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The name.
    pub name: String,
    /// What it means.
    pub doc: String,
}

/// From where to where a number may go.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Range {
    /// The lowest.
    pub min: Option<f64>,
    /// The highest.
    pub max: Option<f64>,
    /// Whether the highest itself is too high.
    pub below_max: bool,
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let below = if self.below_max { "below " } else { "" };
        match (self.min, self.max) {
            (Some(min), Some(max)) => write!(f, "from {min} to {below}{max}"),
            (Some(min), None) => write!(f, "from {min} on"),
            (None, Some(max)) => write!(f, "up to {below}{max}"),
            (None, None) => f.write_str("any"),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Switch => f.write_str("true or false"),
            Kind::Whole(range) if *range == Range::default() => f.write_str("a whole number"),
            Kind::Whole(range) => write!(f, "a whole number {range}"),
            Kind::Number(range) if *range == Range::default() => f.write_str("a number"),
            Kind::Number(range) => write!(f, "a number {range}"),
            Kind::Choice(choices) => match choices.as_slice() {
                [only] => write!(f, "\"{}\"", only.name),
                choices => write!(f, "one of {}", names(choices)),
            },
            Kind::Duration => {
                f.write_str("a length of time such as \"15m\" or \"1h30m\", or whole milliseconds")
            }
            Kind::Text => f.write_str("a text"),
            Kind::List => f.write_str("a list of texts"),
            Kind::Texts => f.write_str("a table of texts"),
            Kind::Rules(keys) => write!(f, "a list of tables with the keys {}", names(keys)),
            Kind::Other => f.write_str("see the schema"),
        }
    }
}

fn names(choices: &[Choice]) -> String {
    choices.iter().map(|choice| format!("\"{}\"", choice.name)).collect::<Vec<_>>().join(", ")
}

/// What is wrong with a value, and what to do.
pub(crate) struct Wrong {
    pub(crate) message: String,
    pub(crate) hint: String,
}

impl Kind {
    /// The value as plain data, if the option at the path can hold it. Ranges that lie within the type are not looked
    /// at: they are the business of the checks, which hold for programs that build settings as well.
    pub(crate) fn take(&self, path: &str, value: &DeValue<'_>) -> Result<toml::Value, Wrong> {
        let plain = tree::plain(value);
        let fits = match (self, value) {
            (Kind::Switch, DeValue::Boolean(_))
            | (Kind::Text, DeValue::String(_))
            | (Kind::Number(_), DeValue::Float(_)) => true,
            (Kind::Number(_), DeValue::Integer(_)) => plain.is_some(),
            (Kind::Whole(range), DeValue::Integer(number)) => match &plain {
                Some(toml::Value::Integer(number)) if fits_type(*number, range) => true,
                _ => {
                    return Err(Wrong {
                        message: format!("{number} is out of range"),
                        hint: format!("give a value {range}"),
                    });
                }
            },
            (Kind::Choice(choices), DeValue::String(text)) => {
                choices.iter().any(|choice| choice.name == *text)
            }
            (Kind::Duration, DeValue::String(text)) => Duration::parse(text).is_some(),
            (Kind::Duration, DeValue::Integer(_)) => {
                plain.as_ref().and_then(toml::Value::as_integer).is_some_and(|millis| millis >= 0)
            }
            (Kind::List, DeValue::Array(items)) => {
                let other = items.iter().map(toml::Spanned::get_ref).find(|item| item.as_str().is_none());
                if let Some(item) = other {
                    return Err(Wrong {
                        message: format!("expected {self}, found {} in the list", found(item)),
                        hint: self.hint(path, value),
                    });
                }
                true
            }
            (Kind::Other, _) => plain.as_ref().is_some_and(|plain| probe(path, plain).is_ok()),
            _ => false,
        };
        match plain {
            Some(plain) if fits => Ok(plain),
            _ => Err(Wrong {
                message: format!("expected {self}, found {}", found(value)),
                hint: self.hint(path, value),
            }),
        }
    }

    fn hint(&self, path: &str, value: &DeValue<'_>) -> String {
        if let (Kind::Choice(choices), Some(text)) = (self, value.as_str()) {
            let names = choices.iter().map(|choice| choice.name.as_str());
            if let Some(name) = nearest(text, names) {
                return format!("did you mean \"{name}\"?");
            }
        }
        if let Some(text) = value.as_str()
            && let Ok(bare) = DeValue::parse(text.trim())
            && !matches!(bare.get_ref(), DeValue::String(_))
            && self.take(path, bare.get_ref()).is_ok()
        {
            return "leave out the quotes".into();
        }
        let key = path.rsplit('.').next().unwrap_or(path);
        if *self == Kind::Duration {
            return format!("write it like {key} = \"15m\"");
        }
        if *self == Kind::List {
            return format!("write it like {key} = [\"one\", \"two\"]");
        }
        match tree::get(&tree::defaults(super::Profile::default()), path) {
            Some(default) if !default.is_table() => format!("write it like {key} = {default}"),
            _ => format!("`loopbreak config explain {path}` tells more"),
        }
    }
}

/// Whether the settings can hold a whole number at all, so that the checks can have a word on it.
fn fits_type(number: i64, range: &Range) -> bool {
    let unsigned = range.min.is_some_and(|min| min >= 0.0);
    (!unsigned || number >= 0) && (range.max.is_none() || u32::try_from(number.unsigned_abs()).is_ok())
}

/// Asks the settings themselves.
pub(crate) fn probe(path: &str, value: &toml::Value) -> Result<(), String> {
    let mut table = tree::defaults(super::Profile::default());
    tree::set(&mut table, path, value.clone());
    table.try_into::<Settings>().map(drop).map_err(|error| error.message().to_owned())
}

fn found(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the text {}", quoted(text)),
        DeValue::Integer(number) => format!("the whole number {number}"),
        DeValue::Float(number) => format!("the number {number}"),
        DeValue::Boolean(switch) => switch.to_string(),
        DeValue::Datetime(_) => "a date".into(),
        DeValue::Array(_) => "a list".into(),
        DeValue::Table(_) => "a table".into(),
    }
}

/// That something is no table though it has to be one.
pub(crate) fn no_table(value: &DeValue<'_>) -> String {
    format!("expected a table, found {}", found(value))
}
