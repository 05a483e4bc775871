//! Reads flags: `--profile NAME` and `--set stagnation.max_turns=30`.

use super::assignment::assign;
use super::unknown_key::describe_unknown_key;
use super::{LayerReading, TableReader};
use crate::legacy_key::alias;
use crate::problem::{ConfigProblem, quote};
use crate::source::ValueOrigin;

/// Reads a profile and assignments as given by flags.
pub(crate) fn read_flags(profile: Option<&str>, assignments: &[String]) -> LayerReading {
    let mut reading = LayerReading::default();
    if let Some(profile) = profile {
        read_flag(&mut reading, format!("--profile {profile}"), "profile", profile);
    }
    for assignment in assignments {
        let text = format!("--set {assignment}");
        if let Some((key, value)) = assignment.split_once('=') {
            read_flag(&mut reading, text, key.trim(), value);
        } else {
            let message = format!("{} has no value", quote(&text));
            let hint = "use KEY=VALUE, for example --set stagnation.max_turns=30";
            reading.problems.push(ConfigProblem::new(message, hint, ValueOrigin::Flag(text)));
        }
    }
    reading
}

fn read_flag(reading: &mut LayerReading, text: String, key: &str, value: &str) {
    let origin = ValueOrigin::Flag(text);
    let locate = |_, _| origin.clone();
    let mut reader = TableReader { locate: &locate, reading };
    let (table, name) = key.rsplit_once('.').unwrap_or(("", key));
    let path = alias(table, name).unwrap_or(key);
    if !assign(&mut reader, path, value) {
        let (message, hint) = describe_unknown_key(table, name);
        reader.report(ConfigProblem::new(message, hint, origin.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(assignment: &str) -> LayerReading {
        read_flags(None, &[assignment.to_owned()])
    }

    #[test]
    fn a_value_is_toml_or_plain_text() {
        for (assignment, path, expected) in [
            ("stagnation.max_turns=30", "stagnation.max_turns", toml::Value::from(30)),
            ("stagnation.max_turns = 30 ", "stagnation.max_turns", 30.into()),
            ("mode=off", "mode", "off".into()),
            ("mode=\"off\"", "mode", "off".into()),
            ("budget.max_runtime=1h30m", "budget.max_runtime", "1h30m".into()),
            ("budget.max_runtime=900000", "budget.max_runtime", 900_000.into()),
            ("task.maxAttempts=4", "task.max_attempts", 4.into()),
            ("advice.texts.budget=a = b", "advice.texts.budget", "a = b".into()),
            ("stagnation={max_turns=30}", "stagnation.max_turns", 30.into()),
        ] {
            let reading = set(assignment);
            assert_eq!(reading.problems, [], "{assignment}");
            assert_eq!((reading.entries[0].path.as_str(), &reading.entries[0].value), (path, &expected));
        }
        assert_eq!(set("allow=[{tool='x'}]").entries[0].items.len(), 1);
    }

    #[test]
    fn a_problem_names_the_flag() {
        for (assignment, expected) in [
            (
                "x",
                "--set x: \"--set x\" has no value; use KEY=VALUE, for example --set stagnation.max_turns=30",
            ),
            (
                "stagnation.max_turn=3",
                "--set stagnation.max_turn=3: unknown key \"max_turn\" in [stagnation]; did you mean max_turns?",
            ),
            (
                "stagnation=3",
                "--set stagnation=3: stagnation: expected a table, found the integer 3; put its options under [stagnation]",
            ),
            ("=3", "--set =3: unknown key \"\"; valid keys here: "),
        ] {
            assert!(
                set(assignment).problems[0].to_string().starts_with(expected),
                "{}",
                set(assignment).problems[0]
            );
        }
        let reading = read_flags(Some("gmae"), &[]);
        assert!(reading.problems[0].to_string().ends_with("did you mean \"game\"?"), "{reading:?}");
    }
}
