//! Parsers for values on the command line that several commands share.

use std::ffi::OsStr;
use std::time::Duration;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command};
use loopbreak::Profile;
use loopbreak_trace::LogFormat;

/// Parses a duration: a number of seconds, or a number with units.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    if let Ok(seconds) = text.trim().parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).map_err(|_| format!("invalid duration {text:?}"));
    }
    text.parse::<loopbreak::settings::TimeSpan>()
        .map(|time| Duration::from_millis(time.millis))
        .map_err(|_| format!("invalid duration {text:?}: use a form such as 5, 90s or 1h30m"))
}

/// A parser whose values are completed by shells. Help pages do not list them: there are many.
#[derive(Clone)]
pub(crate) struct ListedValues<T> {
    parse: fn(&str) -> Result<T, String>,
    names: fn() -> Vec<&'static str>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for ListedValues<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, clap::Error> {
        let parse = self.parse;
        StringValueParser::new().try_map(move |text| parse(&text)).parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.names)().into_iter().map(PossibleValue::new)))
    }
}

/// Parses the name of a log format, or the name of its agent.
pub(crate) fn log_format() -> ListedValues<LogFormat> {
    let parse = |name: &str| {
        let name = if name == "gemini" { "gemini-cli" } else { name };
        name.parse::<LogFormat>().map_err(|error| error.to_string())
    };
    ListedValues { parse, names: || LogFormat::all().map(LogFormat::as_str).collect() }
}

/// Accepts any name of a profile: the configuration says more about an unknown one.
pub(crate) fn profile() -> ListedValues<String> {
    let names = || Profile::ALL.iter().map(|profile| profile.as_str()).collect();
    ListedValues { parse: |name| Ok(name.to_owned()), names }
}

/// Accepts any name of an agent with hooks: the command says more about an unknown one.
pub(crate) fn hook_agent() -> ListedValues<String> {
    let names = || loopbreak_hooks::agents::ALL.iter().map(|agent| agent.name()).collect();
    ListedValues { parse: |name| Ok(name.to_owned()), names }
}

/// Accepts any option of the configuration: the command says more about an unknown one.
pub(crate) fn config_key() -> ListedValues<String> {
    let names = || loopbreak_config::options().iter().map(|option| option.path.as_str()).collect();
    ListedValues { parse: |name| Ok(name.to_owned()), names }
}

/// Accepts any name of a stored run. Shells complete the one that needs no look at the store.
pub(crate) fn stored_run() -> ListedValues<String> {
    ListedValues { parse: |name| Ok(name.to_owned()), names: || vec!["last"] }
}

/// Parses a size in bytes: a number, or a number with one of the units k, M, G and T.
pub(crate) fn parse_size(text: &str) -> Result<u64, String> {
    let wrong = || format!("invalid size {text:?}: use a form such as 500M or 5G");
    let text = text.trim();
    let number = text.trim_end_matches(|char: char| char.is_ascii_alphabetic());
    let unit = match text[number.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" => 1_000,
        "m" | "mb" => 1_000_000,
        "g" | "gb" => 1_000_000_000,
        "t" | "tb" => 1_000_000_000_000,
        _ => return Err(wrong()),
    };
    let number = number.trim_end().parse::<u64>().map_err(|_| wrong())?;
    number.checked_mul(unit).filter(|bytes| *bytes > 0).ok_or_else(wrong)
}

/// Parses a number from 0 to 1.
pub(crate) fn parse_probability(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "use a number from 0 to 1".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_without_a_unit_is_seconds() {
        assert_eq!(parse_duration("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_duration("1h30m"), Ok(Duration::from_mins(90)));
        assert!(
            parse_duration("-1").is_err()
                && parse_duration("soon").is_err()
                && parse_duration("1e99").is_err()
        );
    }

    #[test]
    fn a_size_has_a_unit_or_is_in_bytes() {
        assert_eq!(parse_size("12"), Ok(12));
        assert_eq!((parse_size("5G"), parse_size("500 mb")), (Ok(5_000_000_000), Ok(500_000_000)));
        for wrong in ["", "0", "-1", "5X", "G", "1.5G", "99999999999T"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_probability_is_a_number_from_0_to_1() {
        assert_eq!(parse_probability("0.25"), Ok(0.25));
        assert!(parse_probability("2").is_err() && parse_probability("NaN").is_err());
    }
}
