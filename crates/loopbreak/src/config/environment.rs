//! Reads environment variables: `LOOPBREAK_STAGNATION__MAX_TURNS=30`, `LOOPBREAK_MODE=observe`, `LOOPBREAK=off`.

use super::assign::assign;
use super::located::Located;
use super::nearest::nearest;
use super::options::{OptionInfo, options};
use super::origin::Origin;
use super::walk::{Reading, Walk};

/// What the names of all variables begin with.
pub(crate) const PREFIX: &str = "LOOPBREAK_";

/// The variable that is the mode of the whole, so that `LOOPBREAK=off` is enough in a hurry.
const PLAIN: &str = "LOOPBREAK";

/// Takes what variables say. Those that are not ours are left alone, and so are empty ones: that is how a shell unsets
/// a variable for one command.
pub(crate) fn read(variables: &[(String, String)]) -> Reading {
    let mut reading = Reading::default();
    let mut named: Vec<_> = variables.iter().filter(|(_, value)| !value.is_empty()).collect();
    // Sorted by name, the plain one stands before all others; it shall have the last word.
    named.sort();
    let (plain, named): (Vec<_>, Vec<_>) = named.into_iter().partition(|(name, _)| name == PLAIN);
    for (variable, value) in named.into_iter().chain(plain) {
        let path = match variable.strip_prefix(PREFIX) {
            Some(rest) => rest.to_lowercase().replace("__", "."),
            None if variable == PLAIN => "mode".to_owned(),
            None => continue,
        };
        let origin = Origin::Environment { variable: variable.clone(), value: value.clone() };
        let locate = |_, _| origin.clone();
        let mut walk = Walk { locate: &locate, reading: &mut reading };
        if assign(&mut walk, &path, value) {
            continue;
        }
        let known: Vec<String> = options().iter().map(OptionInfo::variable).collect();
        let meant = nearest(variable, known.iter().map(String::as_str));
        // A name with a table in it can only be meant for us; one without may be anybody's, unless it is nearly ours.
        let near = meant.filter(|meant| is_near(variable, meant));
        if near.is_none() && !path.contains('.') {
            continue;
        }
        let hint = match meant {
            Some(meant) => format!("did you mean {meant}?"),
            None => "`loopbreak config explain` lists all options".to_owned(),
        };
        walk.problem(Located::new(
            format!("unknown option in the variable {variable}"),
            hint,
            origin.clone(),
        ));
    }
    reading
}

/// Whether a name without a table is a slip: the prefix, which is always right, must not make it look near.
fn is_near(variable: &str, meant: &str) -> bool {
    let bare = |name: &str| name.strip_prefix(PREFIX).unwrap_or(name).to_owned();
    nearest(&bare(variable), [bare(meant).as_str()]).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_one(variable: &str, value: &str) -> Reading {
        read(&[(variable.to_owned(), value.to_owned())])
    }

    #[test]
    fn a_variable_sets_the_option_it_names() {
        for (variable, value, path, expected) in [
            ("LOOPBREAK_STAGNATION__MAX_TURNS", "30", "stagnation.max_turns", toml::Value::from(30)),
            ("LOOPBREAK_MODE", "observe", "mode", "observe".into()),
            ("LOOPBREAK", "off", "mode", "off".into()),
            ("LOOPBREAK_BUDGET__MAX_RUNTIME", "15m", "budget.max_runtime", "15m".into()),
            ("LOOPBREAK_POLICY__LADDER__STOP", "false", "policy.ladder.stop", false.into()),
            ("LOOPBREAK_ADVICE__TEXTS__BUDGET", "42", "advice.texts.budget", "42".into()),
        ] {
            let reading = read_one(variable, value);
            assert_eq!(reading.problems, [], "{variable}");
            assert_eq!(reading.entries[0].path, path);
            assert_eq!(reading.entries[0].value, expected);
            assert_eq!(reading.entries[0].origin.to_string(), variable);
        }
    }

    #[test]
    fn the_plain_switch_has_the_last_word() {
        let variables = [("LOOPBREAK", "off"), ("LOOPBREAK_MODE", "enforce")];
        let reading = read(&variables.map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert_eq!(reading.entries.last().unwrap().value, "off".into());
    }

    #[test]
    fn a_variable_that_is_nearly_ours_is_a_mistake_and_any_other_is_not_ours() {
        for (variable, hint) in [
            ("LOOPBREAK_STAGNATION__MAX_TURN", "did you mean LOOPBREAK_STAGNATION__MAX_TURNS?"),
            ("LOOPBREAK_STAGNATION_MAX_TURNS", "did you mean LOOPBREAK_STAGNATION__MAX_TURNS?"),
            ("LOOPBREAK_MDOE", "did you mean LOOPBREAK_MODE?"),
            ("LOOPBREAK_QUITE__ELSE", "`loopbreak config explain` lists all options"),
        ] {
            let reading = read_one(variable, "1");
            assert_eq!(reading.problems.len(), 1, "{variable}");
            assert_eq!(reading.problems[0].hint, hint);
        }
        for variable in ["LOOPBREAK_LOG", "LOOPBREAK_HOME", "LOOPBREAKER", "PATH", "LOOPBREAK_"] {
            let reading = read_one(variable, "1");
            assert_eq!(reading.problems, [], "{variable}");
            assert!(reading.entries.is_empty());
        }
        assert!(read_one("LOOPBREAK_MODE", "").entries.is_empty(), "empty is unset");
    }

    #[test]
    fn a_wrong_value_names_the_variable() {
        let reading = read_one("LOOPBREAK_STAGNATION__MAX_TURNS", "many");
        assert_eq!(
            reading.problems[0].to_string(),
            "LOOPBREAK_STAGNATION__MAX_TURNS: stagnation.max_turns: expected a whole number from 1 to 1000, \
             found the text \"many\"; write it like max_turns = 40"
        );
    }
}
