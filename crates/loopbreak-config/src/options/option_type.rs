//! Types of option values.

use std::fmt;

use loopbreak::settings::TimeSpan;
use loopbreak::{Profile, Settings};
use toml::de::DeValue;

use crate::nearest::nearest_name;
use crate::problem::quote;
use crate::settings_tree::{self, last_key};

/// Type of an option's value.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum OptionType {
    /// `true` or `false`.
    Boolean,
    /// An integer.
    Integer(NumberRange),
    /// An integer or a float.
    Number(NumberRange),
    /// One of several names.
    Choice(Vec<OptionChoice>),
    /// A duration such as `"15m"`.
    Duration,
    /// A string.
    String,
    /// A list of strings.
    StringList,
    /// A table of strings.
    StringTable,
    /// A table of tables with these keys, each a number that is not negative. Their names are free.
    NumberTables(Vec<OptionChoice>),
    /// A list of tables with these keys.
    TableList(Vec<OptionChoice>),
    /// Another type; the settings decide which values are valid.
    Other,
}

/// A name with its description: a value of an option, or a key of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OptionChoice {
    /// The name.
    pub name: String,
    /// Description of the name.
    pub description: String,
}

/// Range of a number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct NumberRange {
    /// Lower bound.
    pub min: Option<f64>,
    /// Upper bound.
    pub max: Option<f64>,
    /// True if the upper bound itself is invalid.
    pub excludes_max: bool,
}

impl fmt::Display for NumberRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let below = if self.excludes_max { "below " } else { "" };
        match (self.min, self.max) {
            (Some(min), Some(max)) => write!(f, "from {min} to {below}{max}"),
            (Some(min), None) => write!(f, "of at least {min}"),
            (None, Some(max)) => write!(f, "up to {below}{max}"),
            (None, None) => f.write_str("of any size"),
        }
    }
}

impl fmt::Display for OptionType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionType::Boolean => f.write_str("true or false"),
            OptionType::Integer(range) if *range == NumberRange::default() => f.write_str("an integer"),
            OptionType::Integer(range) => write!(f, "an integer {range}"),
            OptionType::Number(range) if *range == NumberRange::default() => f.write_str("a number"),
            OptionType::Number(range) => write!(f, "a number {range}"),
            OptionType::Choice(choices) => match choices.as_slice() {
                [only] => write!(f, "\"{}\"", only.name),
                choices => write!(f, "one of {}", quoted_names(choices)),
            },
            OptionType::Duration => {
                f.write_str("a duration such as \"15m\" or \"1h30m\", or an integer in milliseconds")
            }
            OptionType::String => f.write_str("a string"),
            OptionType::StringList => f.write_str("a list of strings"),
            OptionType::StringTable => f.write_str("a table of strings"),
            OptionType::NumberTables(keys) => {
                write!(f, "tables with the keys {}", quoted_names(keys))
            }
            OptionType::TableList(keys) => {
                write!(f, "a list of tables with the keys {}", quoted_names(keys))
            }
            OptionType::Other => f.write_str("see the JSON schema"),
        }
    }
}

fn quoted_names(choices: &[OptionChoice]) -> String {
    choices.iter().map(|choice| format!("\"{}\"", choice.name)).collect::<Vec<_>>().join(", ")
}

/// A value that does not have the type of its option.
pub(crate) struct ValueMismatch {
    pub(crate) message: String,
    pub(crate) hint: String,
}

impl OptionType {
    /// Returns the value as plain data if the option can hold it. Does not check ranges that the type can hold: the
    /// checks of the settings do that, because they also apply to settings that a program builds.
    pub(crate) fn convert(&self, path: &str, value: &DeValue<'_>) -> Result<toml::Value, ValueMismatch> {
        let plain = settings_tree::without_spans(value);
        let fits = match (self, value) {
            (OptionType::Boolean, DeValue::Boolean(_))
            | (OptionType::String, DeValue::String(_))
            | (OptionType::Number(_), DeValue::Float(_)) => true,
            (OptionType::Number(_), DeValue::Integer(_)) => plain.is_some(),
            (OptionType::Integer(range), DeValue::Integer(number)) => match &plain {
                Some(toml::Value::Integer(number)) if fits_integer_type(*number, range) => true,
                _ => {
                    return Err(ValueMismatch {
                        message: format!("{number} is out of range"),
                        hint: format!("give a value {range}"),
                    });
                }
            },
            (OptionType::Choice(choices), DeValue::String(text)) => {
                choices.iter().any(|choice| choice.name == *text)
            }
            (OptionType::Duration, DeValue::String(text)) => text.parse::<TimeSpan>().is_ok(),
            (OptionType::Duration, DeValue::Integer(_)) => {
                plain.as_ref().and_then(toml::Value::as_integer).is_some_and(|millis| millis >= 0)
            }
            (OptionType::StringList, DeValue::Array(items)) => {
                let other = items.iter().map(toml::Spanned::get_ref).find(|item| item.as_str().is_none());
                if let Some(item) = other {
                    return Err(ValueMismatch {
                        message: format!("expected {self}, found {} in the list", describe(item)),
                        hint: self.hint(path, value),
                    });
                }
                true
            }
            (OptionType::Other, _) => plain.as_ref().is_some_and(|plain| check_value(path, plain).is_ok()),
            _ => false,
        };
        match plain {
            Some(plain) if fits => Ok(plain),
            _ => Err(ValueMismatch {
                message: format!("expected {self}, found {}", describe(value)),
                hint: self.hint(path, value),
            }),
        }
    }

    fn hint(&self, path: &str, value: &DeValue<'_>) -> String {
        if let (OptionType::Choice(choices), Some(text)) = (self, value.as_str()) {
            let names = choices.iter().map(|choice| choice.name.as_str());
            if let Some(name) = nearest_name(text, names) {
                return format!("did you mean \"{name}\"?");
            }
        }
        if let Some(text) = value.as_str()
            && let Ok(bare) = DeValue::parse(text.trim())
            && !matches!(bare.get_ref(), DeValue::String(_))
            && self.convert(path, bare.get_ref()).is_ok()
        {
            return "remove the quotes".into();
        }
        let key = last_key(path);
        if *self == OptionType::Duration {
            return format!("for example: {key} = \"15m\"");
        }
        if *self == OptionType::StringList {
            return format!("for example: {key} = [\"one\", \"two\"]");
        }
        match settings_tree::get(&settings_tree::defaults(Profile::default()), path) {
            Some(default) if !default.is_table() => format!("for example: {key} = {default}"),
            _ => format!("see `loopbreak config explain {path}`"),
        }
    }
}

/// Returns whether the integer type of the setting can hold a number. If it can, the checks of the settings report a
/// number that is out of range.
fn fits_integer_type(number: i64, range: &NumberRange) -> bool {
    let unsigned = range.min.is_some_and(|min| min >= 0.0);
    (!unsigned || number >= 0) && (range.max.is_none() || u32::try_from(number.unsigned_abs()).is_ok())
}

/// Checks whether the settings accept a value.
pub(crate) fn check_value(path: &str, value: &toml::Value) -> Result<(), String> {
    let mut table = settings_tree::defaults(Profile::default());
    settings_tree::set(&mut table, path, value.clone());
    table.try_into::<Settings>().map(drop).map_err(|error| error.message().to_owned())
}

fn describe(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the string {}", quote(text)),
        DeValue::Integer(number) => format!("the integer {number}"),
        DeValue::Float(number) => format!("the number {number}"),
        DeValue::Boolean(switch) => switch.to_string(),
        DeValue::Datetime(_) => "a date".into(),
        DeValue::Array(_) => "a list".into(),
        DeValue::Table(_) => "a table".into(),
    }
}

/// Returns the message for a value that has to be a table and is not.
pub(crate) fn not_a_table(value: &DeValue<'_>) -> String {
    format!("expected a table, found {}", describe(value))
}
