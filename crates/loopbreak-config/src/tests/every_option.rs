//! Checks of all options: each can be set, has a range, and is in the schema.

use loopbreak::{Config, Profile, Settings};

use super::*;
use crate::{LEGACY_KEYS, OptionType, options, schema, settings_tree, tables};

/// Returns valid values of an option as TOML, for the defaults of all other options.
fn valid(kind: &OptionType, path: &str) -> Vec<String> {
    match kind {
        OptionType::Boolean => vec!["true".into(), "false".into()],
        OptionType::Choice(choices) => choices.iter().map(|choice| format!("\"{}\"", choice.name)).collect(),
        OptionType::Duration => vec!["\"15m\"".into(), "900000".into()],
        OptionType::String => vec!["\"x\"".into()],
        OptionType::StringList => vec!["[\"x\", \"y z\"]".into(), "[]".into()],
        OptionType::StringTable => vec!["{ budget = \"x\" }".into()],
        OptionType::NumberTables(_) => vec!["{ \"m-1.5\" = { input = 2, output = 8.5 } }".into()],
        OptionType::TableList(_) if path == "tool" => {
            vec!["[{ name = \"x\", polls = true, volatile = [\"a\"], key = [] }]".into()]
        }
        OptionType::TableList(_) if path == "alert" => {
            vec![
                "[{ name = \"x\", kind = \"cost_per_day\", threshold = 5, quiet = \"2h\", slack = \"https://a.example\" }]"
                    .into(),
                "[{ name = \"x\", kind = \"new_loop\", project = \"p\" }]".into(),
            ]
        }
        OptionType::TableList(_) => vec!["[{ tool = \"x\" }]".into()],
        OptionType::Integer(_) | OptionType::Number(_) => {
            let defaults = settings_tree::defaults(Profile::Auto);
            vec![settings_tree::get(&defaults, path).unwrap().to_string()]
        }
        OptionType::Other => panic!("{path}: add a valid value to this list"),
    }
}

#[test]
fn every_option_can_be_set_in_a_file_a_variable_and_a_flag() {
    for option in options() {
        for value in valid(&option.option_type, &option.path) {
            let (path, key) = (&option.path, option.key());
            let head =
                if option.table().is_empty() { String::new() } else { format!("[{}]\n", option.table()) };
            let file = ok(own(&format!("{head}{key} = {value}\n")));
            let variable = ok(ConfigLayers::default().environment([(option.variable(), &value)]).load());
            let flag = ok(ConfigLayers::default().set(format!("{path}={value}")).load());
            assert_eq!(*file.config, *variable.config, "{path} = {value}");
            assert_eq!(*file.config, *flag.config, "{path} = {value}");
            let set = |loaded: &LoadedConfig| {
                loaded.origin(path).is_set()
                    || matches!(option.option_type, OptionType::StringTable | OptionType::NumberTables(_))
            };
            assert!(set(&file) && set(&variable) && set(&flag), "{path}");
        }
    }
}

#[test]
fn every_value_of_the_settings_is_an_option() {
    fn leaves(prefix: &str, table: &toml::Table, found: &mut Vec<String>) {
        for (key, value) in table {
            let path = settings_tree::join_path(prefix, key);
            match value {
                toml::Value::Table(inner) if path != "advice.texts" && path != "prices" => {
                    leaves(&path, inner, found);
                }
                _ => found.push(path),
            }
        }
    }
    let mut found = Vec::new();
    leaves("", &settings_tree::defaults(Profile::Auto), &mut found);
    let mut known: Vec<String> = options().iter().map(|option| option.path.clone()).collect();
    known.sort();
    found.sort();
    assert_eq!(found, known);
    for option in options() {
        assert!(!option.description.is_empty(), "{} has no description", option.path);
        assert!(tables().iter().any(|table| table.path == option.table()));
    }
    assert_eq!(options()[0].path, "profile");
    assert_eq!(
        tables().iter().take(3).map(|table| table.path.as_str()).collect::<Vec<_>>(),
        ["", "stagnation", "revisit"]
    );
}

#[test]
fn the_documented_range_is_the_checked_range() {
    let problem = |path: &str, value: toml::Value| {
        let mut table = settings_tree::defaults(Profile::Auto);
        settings_tree::set(&mut table, path, value);
        let problems =
            Config::new(table.try_into::<Settings>().unwrap()).err().map_or(Vec::new(), |all| all.0);
        // A value in range may still break a rule between two options.
        problems.iter().any(|it| {
            it.path == path
                && (it.message.contains("out of range") || it.message.contains("is not an amount"))
        })
    };
    for option in options() {
        let (range, step, whole) = match &option.option_type {
            OptionType::Integer(range) => (range, 1.0, true),
            OptionType::Number(range) => (range, 0.001, false),
            _ => continue,
        };
        let value = |number: f64| if whole { toml::Value::Integer(number as i64) } else { number.into() };
        if let Some(min) = range.min {
            assert!(!problem(&option.path, value(min)), "{} {min}", option.path);
            if min > 0.0 || !whole {
                assert!(problem(&option.path, value(min - step)), "{} below {min}", option.path);
            }
        }
        if let Some(max) = range.max.filter(|max| *max < f64::from(u32::MAX)) {
            assert_eq!(problem(&option.path, value(max)), range.excludes_max, "{} {max}", option.path);
            assert!(problem(&option.path, value(max + step)), "{} above {max}", option.path);
        }
    }
}

#[test]
fn the_schema_has_lists_of_strings() {
    let schema = schema();
    let edit = schema.pointer("/$defs/ActionSettings/properties/edit").unwrap();
    assert_eq!((&edit["type"], &edit["items"]["type"]), (&"array".into(), &"string".into()));
    let lists: Vec<&str> = options()
        .iter()
        .filter(|option| option.option_type == OptionType::StringList)
        .map(|option| option.path.as_str())
        .collect();
    let actions = "edit read run search wait page jobs job_checks say changing_commands targets mutate mutating_commands";
    let actions = actions.split(' ').map(|key| format!("actions.{key}"));
    let expected: Vec<String> = ["failing_target.refusals".to_owned()].into_iter().chain(actions).collect();
    assert_eq!(lists, expected);
}

#[test]
fn the_schema_has_the_legacy_keys() {
    let schema = schema();
    let keys = schema
        .pointer("/properties/tool/anyOf/1/properties/zorkgpt/properties/loop_break/properties")
        .unwrap();
    assert_eq!(keys["max_turns_stuck"]["maximum"], 1000);
    assert_eq!(keys["location_revisit_penalty"]["exclusiveMaximum"], 0.0);
    assert_eq!(keys["enable_loop_detection"]["type"], "boolean");
    assert_eq!(keys["max_runtime"]["$ref"], "#/$defs/Duration");
    assert!(keys["maxAttempts"].get("default").is_none());
    assert_eq!(schema.pointer("/$defs/TaskSettings/properties/maxAttempts").unwrap(), &keys["maxAttempts"]);
    assert_eq!(keys.as_object().unwrap().len(), LEGACY_KEYS.len());
}
