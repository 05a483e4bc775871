//! Reads flags: `--profile NAME` and `--set stagnation.max_turns=30`.

use super::assign::assign;
use super::located::{Located, quoted};
use super::origin::Origin;
use super::walk::{Reading, Walk, unknown};

/// Takes what flags say.
pub(crate) fn read(profile: Option<&str>, assignments: &[String]) -> Reading {
    let mut reading = Reading::default();
    if let Some(profile) = profile {
        flag(&mut reading, format!("--profile {profile}"), "profile", profile);
    }
    for assignment in assignments {
        let text = format!("--set {assignment}");
        if let Some((key, value)) = assignment.split_once('=') {
            flag(&mut reading, text, key.trim(), value);
        } else {
            let message = format!("{} sets nothing", quoted(&text));
            let hint = "write it like --set stagnation.max_turns=30";
            reading.problems.push(Located::new(message, hint, Origin::Flag(text)));
        }
    }
    reading
}

fn flag(reading: &mut Reading, text: String, key: &str, value: &str) {
    let origin = Origin::Flag(text);
    let locate = |_, _| origin.clone();
    let mut walk = Walk { locate: &locate, reading };
    let (prefix, name) = key.rsplit_once('.').unwrap_or(("", key));
    let path = super::legacy::alias(prefix, name).unwrap_or(key);
    if !assign(&mut walk, path, value) {
        let (message, hint) = unknown(prefix, name);
        walk.problem(Located::new(message, hint, origin.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(assignment: &str) -> Reading {
        read(None, &[assignment.to_owned()])
    }

    #[test]
    fn a_value_is_toml_or_else_a_text() {
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
    fn what_cannot_be_set_is_told_with_the_flag() {
        for (assignment, told) in [
            ("x", "--set x: \"--set x\" sets nothing; write it like --set stagnation.max_turns=30"),
            (
                "stagnation.max_turn=3",
                "--set stagnation.max_turn=3: unknown key \"max_turn\" in [stagnation]; did you mean max_turns?",
            ),
            (
                "stagnation=3",
                "--set stagnation=3: stagnation: expected a table, found the whole number 3; write its options under [stagnation]",
            ),
            ("=3", "--set =3: unknown key \"\"; the keys known here are: "),
        ] {
            assert!(
                set(assignment).problems[0].to_string().starts_with(told),
                "{}",
                set(assignment).problems[0]
            );
        }
        let reading = read(Some("gmae"), &[]);
        assert!(reading.problems[0].to_string().ends_with("did you mean \"game\"?"), "{reading:?}");
    }
}
