//! Finds the places that cause a problem between settings.
//!
//! A check refers to options by their keys. If its message or hint names another option of the same table, both are
//! involved. The problem is shown at the one that was set in the highest layer; if the file sets both, at both.

use loopbreak::Settings;
use loopbreak::settings::SettingsProblem;
use toml::Table;

use super::config_problem::MAX_PROBLEMS;
use super::{ConfigProblem, ProblemLabel};
use crate::layers::LayerMerge;
use crate::legacy_key::legacy_keys_of;
use crate::options::options;
use crate::settings_tree::{self, last_key};
use crate::source::ValueOrigin;

/// An option that is involved in a problem.
struct InvolvedOption<'p> {
    path: &'p str,
    key: &'p str,
    origin: ValueOrigin,
}

/// Checks the settings as a whole and returns the problems with their places. `incomplete` means that part of
/// the file could not be read.
pub(crate) fn locate_problems(
    settings: &Settings,
    table: &Table,
    merge: &LayerMerge<'_>,
    incomplete: bool,
) -> Vec<ConfigProblem> {
    let problems = settings.problems();
    let others: Vec<Vec<&str>> = problems.iter().map(other_options).collect();
    // A value that is invalid on its own also breaks every rule that it is part of, so only the first problem
    // is reported. If lines of the file could not be read, the values they set are not known.
    let alone = problems.iter().zip(&others).filter(|(_, others)| others.is_empty());
    let mut invalid: Vec<&str> = alone.map(|(problem, _)| problem.path.as_str()).collect();
    invalid.extend(merge.invalid.iter().map(String::as_str));
    problems
        .iter()
        .zip(&others)
        .filter(|(problem, others)| {
            others.is_empty()
                || !incomplete
                    && !invalid.contains(&problem.path.as_str())
                    && !others.iter().any(|other| invalid.contains(other))
        })
        .take(MAX_PROBLEMS)
        .map(|(problem, others)| locate_problem(problem, others, settings, table, merge))
        .collect()
}

/// Returns the other options of its table that a problem names.
fn other_options(problem: &SettingsProblem) -> Vec<&'static str> {
    let Some((table, own)) = problem.path.rsplit_once('.') else { return Vec::new() };
    let named = |key: &str| words(&problem.message).chain(words(&problem.hint)).any(|word| word == key);
    options()
        .iter()
        .filter(|option| option.table() == table && option.key() != own && option.key() != "mode")
        .filter(|option| named(option.key()))
        .map(|option| option.path.as_str())
        .collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !is_word_char(letter))
}

fn is_word_char(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn locate_problem(
    problem: &SettingsProblem,
    others: &[&'static str],
    settings: &Settings,
    table: &Table,
    merge: &LayerMerge<'_>,
) -> ConfigProblem {
    let involved =
        |path| InvolvedOption { path, key: last_key(path), origin: merge.origin(path, settings.profile) };
    let mut parts: Vec<InvolvedOption<'_>> = vec![involved(&problem.path)];
    parts.extend(others.iter().map(|path| involved(path)));
    // The sort is stable: of equally ranked options, the one that the check is about stays first.
    parts.sort_by_key(|part| std::cmp::Reverse(part.origin.rank()));
    let uses_legacy_names = parts[0].origin.legacy_key().is_some();
    let legacy_name = |part: &InvolvedOption<'_>| -> Option<&'static str> {
        part.origin.legacy_key().or_else(|| {
            let known = legacy_keys_of(part.path).next().map(|key| key.name);
            known.filter(|_| uses_legacy_names && !part.origin.is_set())
        })
    };
    let (mut message, mut hint) = (problem.message.clone(), problem.hint.clone());
    for part in &parts {
        if let Some(name) = legacy_name(part) {
            message = replace_word(&message, part.key, name);
            hint = replace_word(&hint, part.key, name);
        }
    }
    let first = &parts[0];
    let prefix = match (legacy_name(first), others.is_empty()) {
        (Some(name), true) => format!("{name}: "),
        (None, true) => format!("{}: ", problem.path),
        (Some(_), false) => String::new(),
        (None, false) => format!("{}: ", first.path.rsplit_once('.').map_or("", |(table, _)| table)),
    };
    let mut located = ConfigProblem::new(format!("{prefix}{message}"), hint, first.origin.clone())
        .with_option(&problem.path);
    if !others.is_empty() {
        located.labels.clear();
        for part in &parts {
            let name = legacy_name(part).unwrap_or(part.key);
            if part.origin.is_set() {
                let text = format!("{name} is set here");
                located.labels.push(ProblemLabel { origin: part.origin.clone(), text });
            } else if let Some(value) = settings_tree::get(table, part.path) {
                located.notes.push(format!("{name} = {value} comes from the {}", part.origin));
            }
        }
    }
    located
}

/// Replaces every whole word `key` by `name`.
fn replace_word(text: &str, key: &str, name: &str) -> String {
    let mut replaced = String::with_capacity(text.len());
    for piece in text.split_inclusive(|letter| !is_word_char(letter)) {
        let word = piece.trim_end_matches(|letter| !is_word_char(letter));
        replaced.push_str(if word == key { name } else { word });
        replaced.push_str(&piece[word.len()..]);
    }
    replaced
}
