//! Reads environment variables: `LOOPBREAK_STAGNATION__MAX_TURNS=30`, `LOOPBREAK_MODE=observe`, `LOOPBREAK=off`.

use super::assignment::assign;
use super::{LayerReading, TableReader};
use crate::nearest::nearest_name;
use crate::options::{OptionInfo, options};
use crate::problem::ConfigProblem;
use crate::source::ValueOrigin;

/// Prefix of all variables.
pub(crate) const VARIABLE_PREFIX: &str = "LOOPBREAK_";

/// Variable that sets the global mode, as in `LOOPBREAK=off`.
const MODE_VARIABLE: &str = "LOOPBREAK";

/// Reads the variables of Loopbreak and ignores all others. An empty variable counts as unset, because a
/// shell unsets a variable for one command this way.
pub(crate) fn read_environment(variables: &[(String, String)]) -> LayerReading {
    let mut reading = LayerReading::default();
    let mut named: Vec<_> = variables.iter().filter(|(_, value)| !value.is_empty()).collect();
    named.sort();
    // `LOOPBREAK` sorts before all others, but overrides `LOOPBREAK_MODE`.
    let (mode, named): (Vec<_>, Vec<_>) = named.into_iter().partition(|(name, _)| name == MODE_VARIABLE);
    for (variable, value) in named.into_iter().chain(mode) {
        let path = match variable.strip_prefix(VARIABLE_PREFIX) {
            Some(rest) => rest.to_lowercase().replace("__", "."),
            None if variable == MODE_VARIABLE => "mode".to_owned(),
            None => continue,
        };
        let origin = ValueOrigin::Environment { variable: variable.clone(), value: value.clone() };
        let locate = |_, _| origin.clone();
        let mut reader = TableReader { locate: &locate, reading: &mut reading };
        if assign(&mut reader, &path, value) {
            continue;
        }
        let known: Vec<String> = options().iter().map(OptionInfo::variable).collect();
        let nearest = nearest_name(variable, known.iter().map(String::as_str));
        // A name with a table in it can only be an option. One without may belong to another program, unless it is
        // nearly the name of an option.
        let is_typo = nearest.is_some_and(|nearest| is_near(variable, nearest));
        if !is_typo && !path.contains('.') {
            continue;
        }
        let hint = match nearest {
            Some(nearest) => format!("did you mean {nearest}?"),
            None => "`loopbreak config explain` lists all options".to_owned(),
        };
        reader.report(ConfigProblem::new(
            format!("unknown option in the environment variable {variable}"),
            hint,
            origin.clone(),
        ));
    }
    reading
}

/// Returns whether two names are similar without their common prefix.
fn is_near(variable: &str, known: &str) -> bool {
    let bare = |name: &str| name.strip_prefix(VARIABLE_PREFIX).unwrap_or(name).to_owned();
    nearest_name(&bare(variable), [bare(known).as_str()]).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_one(variable: &str, value: &str) -> LayerReading {
        read_environment(&[(variable.to_owned(), value.to_owned())])
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
    fn the_mode_variable_overrides_the_mode_option() {
        let variables = [("LOOPBREAK", "off"), ("LOOPBREAK_MODE", "enforce")];
        let reading = read_environment(&variables.map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert_eq!(reading.entries.last().unwrap().value, "off".into());
    }

    #[test]
    fn reports_a_misspelled_variable_and_ignores_unrelated_ones() {
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
    fn an_invalid_value_names_the_variable() {
        let reading = read_one("LOOPBREAK_STAGNATION__MAX_TURNS", "many");
        assert_eq!(
            reading.problems[0].to_string(),
            "LOOPBREAK_STAGNATION__MAX_TURNS: stagnation.max_turns: expected an integer from 1 to 1000, \
             found the string \"many\"; for example: max_turns = 40"
        );
    }
}
