//! The search space: every option that is a threshold or a window of a detector, with the values to try.

use std::sync::LazyLock;

use loopbreak::{Config, Profile};
use loopbreak_config::{OptionInfo, OptionType, find_option, options, settings_json};
use serde_json::Value;

/// An option, and the values to try.
#[derive(Clone, Debug)]
pub struct TuneDimension {
    /// Its path, such as `cycle.warn_at`.
    pub option: &'static str,
    /// The values, lowest first.
    pub values: Vec<f64>,
}

/// Values that were chosen by hand: for windows, and for thresholds whose default says little about the others to try.
/// The other thresholds need no line here.
const CHOSEN: &[(&str, &[f64])] = &[
    ("stagnation.max_turns", &[20.0, 30.0, 40.0, 60.0, 80.0, 120.0]),
    ("stagnation.warn_at", &[10.0, 15.0, 20.0, 30.0, 40.0, 60.0]),
    ("camping.threshold", &[4.0, 5.0, 6.0, 8.0]),
    ("camping.window", &[8.0, 10.0, 15.0, 20.0]),
    ("signature.hard_at", &[3.0, 4.0, 5.0, 6.0]),
    ("similarity.threshold", &[0.85, 0.9, 0.95, 0.98]),
    ("similarity.hard_at", &[2.0, 3.0, 4.0]),
    ("errors.warn_at", &[3.0, 4.0, 5.0, 8.0]),
    // Off by default, so there is nothing to derive the values from.
    ("errors.hard_at", &[3.0, 4.0, 5.0, 8.0]),
    ("cycle.max_period", &[4.0, 8.0, 12.0]),
    ("cycle.warn_at", &[3.0, 4.0, 5.0, 6.0, 8.0]),
    ("cycle.hard_at", &[6.0, 8.0, 10.0, 12.0, 16.0]),
    ("recurrence.window", &[20.0, 30.0, 45.0, 60.0]),
    ("recurrence.warn_at", &[4.0, 6.0, 8.0, 10.0, 14.0]),
    ("recurrence.hard_at", &[8.0, 10.0, 12.0, 16.0, 20.0]),
    ("recurrence.again_warn_at", &[3.0, 4.0, 5.0, 6.0, 8.0]),
    ("recurrence.again_hard_at", &[6.0, 8.0, 10.0, 12.0, 16.0]),
    ("drift.warn_at", &[3.0, 4.0, 5.0, 6.0, 8.0]),
    ("drift.hard_at", &[6.0, 8.0, 10.0, 12.0, 16.0]),
    ("drift.likeness", &[0.5, 0.6, 0.7, 0.8]),
    ("failing_target.warn_at", &[3.0, 4.0, 5.0, 6.0, 8.0]),
    ("failing_target.hard_at", &[6.0, 8.0, 10.0, 12.0, 16.0]),
    ("failing_target.forget_after", &[10.0, 20.0, 40.0]),
    ("poll.warn_at", &[6.0, 10.0, 15.0]),
    ("poll.hard_at", &[15.0, 20.0, 30.0]),
];

/// Thresholds that are not tried, with the reason.
const NOT_TRIED: &[(&str, &str)] = &[
    ("budget.warn_at", "it is a share of a limit that the user sets"),
    ("restart.warn_at", "it counts runs, and a trial replays each run on its own"),
];

/// Values to try for a threshold without chosen values, as multiples of its default.
const MULTIPLES: [f64; 4] = [0.75, 1.0, 1.5, 2.0];

static SPACE: LazyLock<Vec<TuneDimension>> =
    LazyLock::new(|| options().iter().filter_map(TuneDimension::of_option).collect());

/// Returns the search space, in the order in which the options are declared. A new threshold of a detector is part of it
/// as soon as it is declared. The guide lists the space, and a state file for another space is refused.
pub fn space() -> &'static [TuneDimension] {
    &SPACE
}

impl TuneDimension {
    /// Returns the values to try for an option, or `None` if it is not tried.
    fn of_option(option: &'static OptionInfo) -> Option<Self> {
        let path = option.path.as_str();
        if let Some((_, values)) = CHOSEN.iter().find(|(chosen, _)| *chosen == path) {
            return Some(TuneDimension { option: path, values: values.to_vec() });
        }
        if !is_threshold(option) || NOT_TRIED.iter().any(|(other, _)| *other == path) {
            return None;
        }
        let default = option.default_in(Profile::default())?.as_integer()? as f64;
        let mut values = MULTIPLES.map(|multiple| within(path, (default * multiple).round())).to_vec();
        values.dedup();
        (values.len() > 1).then_some(TuneDimension { option: path, values })
    }
}

/// Returns whether an option is a number of turns or repetitions that gives a warning or triggers an intervention.
fn is_threshold(option: &OptionInfo) -> bool {
    let is_number = matches!(option.option_type, OptionType::Integer(_) | OptionType::Number(_));
    is_number && is_threshold_key(option.key())
}

fn is_threshold_key(key: &str) -> bool {
    key.ends_with("warn_at") || key.ends_with("hard_at")
}

/// An option and its value.
pub type OptionChange = (&'static str, f64);

/// Returns the value of an option, or `None` if it is not a number.
pub fn value_of(settings: &Value, option: &str) -> Option<f64> {
    settings.pointer(&pointer(option))?.as_f64()
}

/// Returns settings with some options changed, or `None` if they are not valid.
pub fn changed(settings: &Value, changes: &[OptionChange]) -> Option<Config> {
    let mut settings = settings.clone();
    for (option, value) in changes {
        *settings.pointer_mut(&pointer(option))? = number(*value);
    }
    Config::new(settings_json::from_value(settings).ok()?).ok()
}

/// Scales all limits of turns and repeats by a factor. Limits that are off stay off, none leaves its range, and a
/// detector that cannot have such limits keeps its own.
pub fn with_patience(config: &Config, factor: f64) -> Option<Config> {
    let settings = settings_json::to_value(config);
    let mut changes: Vec<OptionChange> = Vec::new();
    for TuneDimension { option, .. } in space() {
        let key = option.rsplit('.').next().unwrap_or(option);
        let is_limit = key == "max_turns" || is_threshold_key(key);
        let (Some(value), true) = (value_of(&settings, option), is_limit) else { continue };
        if value > 0.0 {
            changes.push((option, within(option, (value * factor).round())));
        }
    }
    // A warning must come first: rounding must not make both limits equal.
    for index in 0..changes.len() {
        let (option, value) = changes[index];
        let hard = option.replace("warn_at", "hard_at");
        if let Some(hard) = changes.iter_mut().find(|(other, _)| *other == hard && *other != option) {
            hard.1 = hard.1.max(value + 1.0);
        }
    }
    let table = |change: &OptionChange| change.0.split('.').next();
    let mut kept: Vec<OptionChange> = Vec::new();
    for together in changes.chunk_by(|one, other| table(one) == table(other)) {
        let before = kept.len();
        kept.extend(together);
        if changed(&settings, &kept).is_none() {
            kept.truncate(before);
        }
    }
    changed(&settings, &kept)
}

/// Returns the nearest value that the option takes.
fn within(option: &str, value: f64) -> f64 {
    let range = match find_option(option).map(|option| &option.option_type) {
        Some(OptionType::Integer(range) | OptionType::Number(range)) => *range,
        _ => return value,
    };
    let value = range.min.map_or(value, |min| value.max(min));
    range.max.map_or(value, |max| value.min(max))
}

fn pointer(option: &str) -> String {
    format!("/{}", option.replace('.', "/"))
}

/// Returns a whole number as an integer, because most options take no other.
fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value >= 0.0 { Value::from(value as u64) } else { Value::from(value) }
}

/// Formats a value as in a configuration file.
pub fn shown(value: f64) -> String {
    number(value).to_string()
}

#[cfg(test)]
mod tests {
    use loopbreak::Settings;

    use super::*;

    #[test]
    fn tune_changes_only_existing_options_to_valid_values() {
        let settings = settings_json::to_value(&Settings::default());
        for TuneDimension { option, values } in space() {
            assert!(value_of(&settings, option).is_some(), "{option}");
            assert!(values.is_sorted() && values.len() > 1, "{option}");
            for value in values {
                assert_eq!(within(option, *value).to_bits(), value.to_bits(), "{option} = {value}");
            }
            assert!(values.iter().any(|value| changed(&settings, &[(option, *value)]).is_some()), "{option}");
        }
    }

    #[test]
    fn every_threshold_is_tried_or_has_a_reason_not_to_be() {
        for option in options().iter().filter(|option| is_threshold(option)) {
            let tried = space().iter().any(|dimension| dimension.option == option.path);
            let reason = NOT_TRIED.iter().find(|(other, _)| *other == option.path).map(|(_, reason)| *reason);
            assert_eq!(tried, reason.is_none(), "{}: {reason:?}", option.path);
        }
        let listed =
            CHOSEN.iter().map(|(option, _)| *option).chain(NOT_TRIED.iter().map(|(option, _)| *option));
        for option in listed {
            assert!(find_option(option).is_some(), "{option}");
        }
    }

    #[test]
    fn a_threshold_without_chosen_values_gets_values_around_its_default() {
        let values = |option: &str| {
            let dimension = space().iter().find(|dimension| dimension.option == option);
            dimension.map(|dimension| dimension.values.clone()).unwrap_or_default()
        };
        assert_eq!(values("rework.warn_at"), [6.0, 8.0, 12.0, 16.0]);
        assert_eq!(values("side_effect.warn_at"), [2.0, 3.0, 4.0], "none is below the range of the option");
        assert_eq!(values("cycle.circuit_hard_at"), [9.0, 12.0, 18.0, 24.0]);
    }

    #[test]
    fn tune_refuses_invalid_combinations() {
        let settings = settings_json::to_value(&Settings::default());
        assert!(changed(&settings, &[("cycle.warn_at", 8.0), ("cycle.hard_at", 6.0)]).is_none());
        assert!(changed(&settings, &[("cycle.no_such", 8.0)]).is_none());
        let config = changed(&settings, &[("cycle.warn_at", 5.0), ("similarity.threshold", 0.95)]).unwrap();
        assert_eq!((config.cycle.warn_at, config.similarity.threshold), (5, 0.95));
    }

    #[test]
    fn tune_patience_moves_all_limits_together_and_stays_valid() {
        let config = Config::default();
        assert_eq!(*with_patience(&config, 1.0).unwrap(), *config);
        let twice = with_patience(&config, 2.0).unwrap();
        assert_eq!((twice.cycle.warn_at, twice.cycle.hard_at, twice.stagnation.max_turns), (6, 16, 80));
        assert_eq!(twice.errors.hard_at, 0, "it stays off");
        for factor in [0.25, 0.5, 0.75, 1.5, 3.0, 4.0] {
            assert!(with_patience(&config, factor).is_some(), "{factor}");
        }
    }
}
