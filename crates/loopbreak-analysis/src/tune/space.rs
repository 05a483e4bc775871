//! The search space: every option that is a threshold or a window of a detector, with the values to try.

use loopbreak::Config;
use loopbreak_config::{OptionType, find_option, settings_json};
use serde_json::Value;

/// An option, and the values to try.
#[derive(Clone, Copy, Debug)]
pub struct TuneDimension {
    /// Its path, such as `cycle.warn_at`.
    pub option: &'static str,
    /// The values, lowest first.
    pub values: &'static [f64],
}

const fn dimension(option: &'static str, values: &'static [f64]) -> TuneDimension {
    TuneDimension { option, values }
}

/// The search space. The guide lists it, and a state file for another space is refused.
pub const SPACE: &[TuneDimension] = &[
    dimension("stagnation.max_turns", &[20.0, 30.0, 40.0, 60.0, 80.0, 120.0]),
    dimension("stagnation.warn_at", &[10.0, 15.0, 20.0, 30.0, 40.0, 60.0]),
    dimension("camping.threshold", &[4.0, 5.0, 6.0, 8.0]),
    dimension("camping.window", &[8.0, 10.0, 15.0, 20.0]),
    dimension("signature.hard_at", &[3.0, 4.0, 5.0, 6.0]),
    dimension("similarity.threshold", &[0.85, 0.9, 0.95, 0.98]),
    dimension("similarity.hard_at", &[2.0, 3.0, 4.0]),
    dimension("errors.warn_at", &[3.0, 4.0, 5.0, 8.0]),
    dimension("cycle.max_period", &[4.0, 8.0, 12.0]),
    dimension("cycle.warn_at", &[3.0, 4.0, 5.0, 6.0, 8.0]),
    dimension("cycle.hard_at", &[6.0, 8.0, 10.0, 12.0, 16.0]),
    dimension("recurrence.window", &[20.0, 30.0, 45.0, 60.0]),
    dimension("recurrence.warn_at", &[4.0, 6.0, 8.0, 10.0, 14.0]),
    dimension("recurrence.hard_at", &[8.0, 10.0, 12.0, 16.0, 20.0]),
    dimension("recurrence.again_warn_at", &[3.0, 4.0, 5.0, 6.0, 8.0]),
    dimension("recurrence.again_hard_at", &[6.0, 8.0, 10.0, 12.0, 16.0]),
    dimension("drift.warn_at", &[3.0, 4.0, 5.0, 6.0, 8.0]),
    dimension("drift.hard_at", &[6.0, 8.0, 10.0, 12.0, 16.0]),
    dimension("drift.likeness", &[0.5, 0.6, 0.7, 0.8]),
    dimension("failing_target.warn_at", &[3.0, 4.0, 5.0, 6.0, 8.0]),
    dimension("failing_target.hard_at", &[6.0, 8.0, 10.0, 12.0, 16.0]),
    dimension("failing_target.forget_after", &[10.0, 20.0, 40.0]),
    dimension("poll.warn_at", &[6.0, 10.0, 15.0]),
    dimension("poll.hard_at", &[15.0, 20.0, 30.0]),
];

/// Options that are scaled together by a change of patience.
const PATIENCE: [&str; 5] = ["max_turns", "warn_at", "hard_at", "again_warn_at", "again_hard_at"];

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
    for TuneDimension { option, .. } in SPACE {
        let key = option.rsplit('.').next().unwrap_or(option);
        let (Some(value), true) = (value_of(&settings, option), PATIENCE.contains(&key)) else { continue };
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
        for TuneDimension { option, values } in SPACE {
            assert!(value_of(&settings, option).is_some(), "{option}");
            assert!(values.is_sorted() && values.len() > 1, "{option}");
            for value in *values {
                assert_eq!(within(option, *value).to_bits(), value.to_bits(), "{option} = {value}");
            }
            assert!(values.iter().any(|value| changed(&settings, &[(option, *value)]).is_some()), "{option}");
        }
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
