//! The rules for a file of a project that the user has not trusted: it may tighten and tune the guard, but not loosen it, put words
//! into its mouth, or end sessions nearly at once.

use loopbreak::settings::TimeSpan;
use serde::Deserialize as _;
use toml::Value;

use crate::options::{OptionInfo, OptionType};

/// The smallest limits that an untrusted file may set. Lower ones would end a session nearly at once.
const LEAST_ITERATIONS: f64 = 100.0;
const LEAST_RUNTIME_MS: f64 = 10.0 * 60.0 * 1000.0;
const LEAST_COST: f64 = 1.0;
/// The smallest threshold that an untrusted file may set where the option is off without it.
const LEAST_THRESHOLD: f64 = 3.0;

/// A rule that says what an untrusted file may do with an option.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ProjectRule {
    /// Anything.
    Any,
    /// Nothing.
    UserOnly,
    /// Choose a later one of these names than the one that applies without the file.
    Stricter(&'static [&'static str]),
    /// Set this value.
    Switch(bool),
    /// Set a number from half to twice the one that applies without the file. A number that the user has set cannot be raised.
    Tuned,
    /// Lower the number, to no less than half.
    Lowered,
    /// Make a penalty heavier, or a bonus smaller.
    Heavier,
    /// Set or lower a limit, to no less than this. 0 means that there is none.
    Limit(f64),
    /// Add declarations of tools that exempt no call.
    Declarations,
}

impl ProjectRule {
    /// Returns the rule of an option. An option that no rule names and that is not a number is the user's.
    pub(crate) fn from_option(option: &OptionInfo) -> Self {
        let path = option.path.as_str();
        match (path, option.key()) {
            (_, "mode") => ProjectRule::Stricter(&["off", "observe", "enforce"]),
            ("stagnation.progress", _) => ProjectRule::Stricter(&["any_change", "increase", "high_water"]),
            ("stagnation.patience", _) => ProjectRule::Stricter(&["exploring", "fixed"]),
            ("policy.on_loop", _) => ProjectRule::Stricter(&["advise", "escalate", "stop"]),
            ("stagnation.warnings", _) => ProjectRule::Switch(true),
            (path, _) if path.starts_with("policy.ladder.") => ProjectRule::Switch(true),
            ("stagnation.objectives" | "task.auto_unblock" | "policy.spare_only_way", _) => {
                ProjectRule::Switch(false)
            }
            ("novelty.unexplored_exits" | "policy.repeat_advice" | "report.calls_per_step", _) => {
                ProjectRule::Any
            }
            ("policy.accept_at" | "policy.score_min" | "policy.score_max" | "policy.holdout", _) => {
                ProjectRule::UserOnly
            }
            // Without them `max_turns` applies, so a number of turns may be looser than none.
            ("stagnation.score_turns" | "stagnation.objective_turns", _) => ProjectRule::UserOnly,
            (
                "similarity.threshold"
                | "drift.likeness"
                | "stagnation.score_weight"
                | "stagnation.objective_weight",
                _,
            ) => ProjectRule::Lowered,
            (_, key) if ["penalty", "bonus", "penalty_growth"].iter().any(|end| key.ends_with(end)) => {
                ProjectRule::Heavier
            }
            // A repository must not send the steps of its users to a server of its own.
            (path, _) if path.starts_with("server.") => ProjectRule::UserOnly,
            ("budget.max_iterations", _) => ProjectRule::Limit(LEAST_ITERATIONS),
            ("budget.max_runtime", _) => ProjectRule::Limit(LEAST_RUNTIME_MS),
            (path, _) if path.starts_with("budget.max_cost") => ProjectRule::Limit(LEAST_COST),
            ("tool", _) => ProjectRule::Declarations,
            _ => match option.option_type {
                OptionType::Integer(_) | OptionType::Number(_) | OptionType::Duration => ProjectRule::Tuned,
                _ => ProjectRule::UserOnly,
            },
        }
    }

    /// Returns the value to apply. `without` is the value that applies without the file, and `is_set` tells whether the user
    /// has set it. The error is the reason why the value is not applied.
    pub(crate) fn judge(self, value: &Value, without: Option<&Value>, is_set: bool) -> Result<Value, String> {
        let is_same = without.is_some_and(|without| is_equal(value, without));
        let number = number(value).zip(without.and_then(number));
        let allowed = match self {
            _ if is_same => Ok(()),
            ProjectRule::Any => Ok(()),
            ProjectRule::UserOnly => Err("only you can set it".to_owned()),
            ProjectRule::Stricter(names) => {
                let rank = |value: &Value| names.iter().position(|name| value.as_str() == Some(name));
                let is_stricter = without.and_then(rank) < rank(value);
                is_stricter.then_some(()).ok_or_else(|| "it would loosen the guard".to_owned())
            }
            ProjectRule::Switch(strict) => {
                let is_strict = value.as_bool() == Some(strict);
                is_strict.then_some(()).ok_or_else(|| "it would loosen the guard".to_owned())
            }
            ProjectRule::Declarations => return add_declarations(value, without),
            ProjectRule::Tuned | ProjectRule::Lowered | ProjectRule::Heavier | ProjectRule::Limit(_) => {
                let Some((new, old)) = number else { return Err("only you can set it".to_owned()) };
                let (least, most) = self.bounds(old, is_set);
                if (least..=most).contains(&new) { Ok(()) } else { Err(describe_bounds(value, least, most)) }
            }
        };
        allowed.map(|()| value.clone())
    }

    /// Returns the smallest and the largest number that may be set in place of another one.
    fn bounds(self, old: f64, is_set: bool) -> (f64, f64) {
        let twice = if is_set { old } else { 2.0 * old };
        match self {
            ProjectRule::Heavier => (f64::NEG_INFINITY, old),
            ProjectRule::Lowered => (old / 2.0, old),
            ProjectRule::Limit(least) if old == 0.0 => (least, f64::INFINITY),
            ProjectRule::Limit(least) => (least, old),
            // The option is off: any threshold is stricter, but a low one would act at once.
            _ if old == 0.0 => (LEAST_THRESHOLD, f64::INFINITY),
            _ => (old / 2.0, twice),
        }
    }
}

fn describe_bounds(value: &Value, least: f64, most: f64) -> String {
    let show = |bound: f64| match value {
        Value::String(_) => TimeSpan { millis: bound as u64 }.to_string(),
        Value::Integer(_) => bound.ceil().to_string(),
        _ => bound.to_string(),
    };
    match (least.is_finite(), most.is_finite()) {
        _ if least > most => "it may not be changed".to_owned(),
        (true, true) => format!("it may be set from {} to {}", show(least), show(most)),
        (true, false) => format!("it may not be below {}", show(least)),
        _ => format!("it may not be above {}", show(most)),
    }
}

/// Adds the declarations of a file to those that apply without it, which come first and therefore decide.
fn add_declarations(value: &Value, without: Option<&Value>) -> Result<Value, String> {
    let list = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
    let added = list(Some(value));
    if !added.iter().all(exempts_nothing) {
        return Err(
            "a declaration that exempts calls or changes how they are compared is yours to make".to_owned()
        );
    }
    Ok(Value::Array(list(without).into_iter().chain(added).collect()))
}

/// Returns whether a declaration only says that one tool has side effects, or does not wait.
fn exempts_nothing(declaration: &Value) -> bool {
    declaration.as_table().is_some_and(|keys| {
        keys.iter().all(|(key, value)| match key.as_str() {
            "name" => value.as_str().is_some_and(|name| !name.contains('*')),
            "mutates" => value.as_bool() == Some(true),
            "polls" => value.as_bool() == Some(false),
            _ => false,
        })
    })
}

/// Returns a number, or a duration in milliseconds.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        Value::String(_) => TimeSpan::deserialize(value.clone()).ok().map(|span| span.millis as f64),
        _ => None,
    }
}

fn is_equal(one: &Value, other: &Value) -> bool {
    one == other || number(one).zip(number(other)).is_some_and(|(one, other)| one.total_cmp(&other).is_eq())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{find_option, options};

    fn judge(
        path: &str,
        value: impl Into<Value>,
        without: impl Into<Value>,
        is_set: bool,
    ) -> Result<(), String> {
        let rule = ProjectRule::from_option(find_option(path).unwrap());
        rule.judge(&value.into(), Some(&without.into()), is_set).map(|_| ())
    }

    #[test]
    fn a_mode_may_only_become_stricter() {
        for path in ["mode", "cycle.mode", "budget.mode"] {
            for (value, without, is_allowed) in [
                ("off", "enforce", false),
                ("observe", "enforce", false),
                ("off", "observe", false),
                ("enforce", "observe", true),
                ("observe", "off", true),
                ("enforce", "enforce", true),
            ] {
                assert_eq!(
                    judge(path, value, without, false).is_ok(),
                    is_allowed,
                    "{path} {value} {without}"
                );
            }
        }
    }

    #[test]
    fn a_threshold_stays_between_half_and_twice() {
        for (value, is_allowed) in
            [(0, false), (3, false), (4, true), (16, true), (17, false), (4_000_000, false)]
        {
            assert_eq!(judge("cycle.hard_at", value, 8, false).is_ok(), is_allowed, "{value}");
        }
        assert!(judge("cycle.hard_at", 6, 5, true).is_err(), "what the user has set cannot be raised");
        assert!(judge("cycle.hard_at", 3, 5, true).is_ok());
        assert_eq!(judge("cycle.hard_at", 99, 8, false), Err("it may be set from 4 to 16".to_owned()));
    }

    #[test]
    fn a_limit_that_ends_a_session_nearly_at_once_is_refused() {
        assert!(judge("budget.max_iterations", 1, 0, false).is_err());
        assert!(judge("budget.max_iterations", 100, 0, false).is_ok());
        assert!(judge("budget.max_iterations", 0, 500, true).is_err(), "no limit is looser");
        assert!(judge("budget.max_iterations", 400, 500, true).is_ok());
        assert!(judge("budget.max_runtime", "10s", "0", false).is_err());
        assert!(judge("budget.max_runtime", "1h", "0", false).is_ok());
        assert!(judge("budget.max_cost", 0.01, 0.0, false).is_err());
        assert!(judge("errors.hard_at", 1, 0, false).is_err());
        assert!(judge("errors.hard_at", 3, 0, false).is_ok());
    }

    #[test]
    fn a_penalty_may_only_become_heavier() {
        assert!(judge("policy.repeat_penalty", -0.1, -0.6, false).is_err());
        assert!(judge("policy.repeat_penalty", -0.9, -0.6, false).is_ok());
        assert!(judge("camping.penalty_growth", -0.2, 0.0, false).is_ok());
        assert!(judge("camping.penalty_growth", 0.0, -0.2, true).is_err());
        assert!(judge("similarity.threshold", 1.0, 0.9, false).is_err());
        assert!(judge("similarity.threshold", 0.8, 0.9, false).is_ok());
        for weight in ["stagnation.score_weight", "stagnation.objective_weight"] {
            assert!(judge(weight, 0.6, 1.0, false).is_ok());
            assert!(judge(weight, 1.0, 0.6, false).is_err(), "more turns for the same progress is looser");
        }
        for turns in ["stagnation.score_turns", "stagnation.objective_turns"] {
            assert!(judge(turns, 500, 0, false).is_err());
        }
    }

    #[test]
    fn a_declaration_may_add_a_side_effect_and_exempt_nothing() {
        let declare = |text: &str| toml::from_str::<toml::Table>(text).unwrap()["tool"].clone();
        let none = Value::Array(Vec::new());
        let allowed = declare("[[tool]]\nname = 'deploy_site'\nmutates = true\npolls = false\n");
        assert!(judge("tool", allowed, none.clone(), false).is_ok());
        for keys in ["polls = true", "mutates = false", "volatile = ['x']", "key = ['x']"] {
            let exempt = declare(&format!("[[tool]]\nname = 'deploy'\n{keys}\n"));
            assert!(judge("tool", exempt, none.clone(), false).is_err(), "{keys}");
        }
        assert!(judge("tool", declare("[[tool]]\nname = '*'\nmutates = true\n"), none, false).is_err());
    }

    /// A new option is the user's unless a rule says otherwise.
    #[test]
    fn lists_texts_and_names_are_only_the_users() {
        for option in options() {
            let rule = ProjectRule::from_option(option);
            let is_text = matches!(
                option.option_type,
                OptionType::String
                    | OptionType::StringList
                    | OptionType::StringTable
                    | OptionType::TableList(_)
                    | OptionType::NumberTables(_)
                    | OptionType::Other
            );
            assert!(
                !is_text || matches!(rule, ProjectRule::UserOnly | ProjectRule::Declarations),
                "{}",
                option.path
            );
        }
    }
}
