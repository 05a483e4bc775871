//! Says where a problem between settings comes from: the checks know options, people know lines.
//!
//! A check calls options by their keys. If its words name another option of the same table, the problem lies between
//! the two. It is shown at the one that was set in the highest layer; if both are set in the file, at both.

use toml::Table;

use super::checks::Problem;
use super::layers::Merge;
use super::legacy::documents_keys_of;
use super::located::{Located, MOST, Mark};
use super::options::options;
use super::origin::Origin;
use super::{Settings, tree};

/// An option that plays a part in a problem.
struct Part<'p> {
    path: &'p str,
    key: &'p str,
    origin: Origin,
}

/// Everything that is wrong with the settings as a whole, each with its place.
pub(crate) fn locate(settings: &Settings, table: &Table, merge: &Merge<'_>, broken: bool) -> Vec<Located> {
    let problems = settings.problems();
    let others: Vec<Vec<&str>> = problems.iter().map(others).collect();
    // A value that is wrong by itself makes all that depends on it wrong: only the first is news. And where lines of
    // the file could not be read, what they set is not known.
    let alone = problems.iter().zip(&others).filter(|(_, others)| others.is_empty());
    let mut spoilt: Vec<&str> = alone.map(|(problem, _)| problem.path.as_str()).collect();
    spoilt.extend(merge.spoilt.iter().map(String::as_str));
    problems
        .iter()
        .zip(&others)
        .filter(|(problem, others)| {
            others.is_empty()
                || !broken
                    && !spoilt.contains(&problem.path.as_str())
                    && !others.iter().any(|other| spoilt.contains(other))
        })
        .take(MOST)
        .map(|(problem, others)| one(problem, others, settings, table, merge))
        .collect()
}

/// The other options of its table that a problem names.
fn others(problem: &Problem) -> Vec<&'static str> {
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
    text.split(|letter: char| !is_of_word(letter))
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn one(
    problem: &Problem,
    others: &[&'static str],
    settings: &Settings,
    table: &Table,
    merge: &Merge<'_>,
) -> Located {
    let part = |path| Part {
        path,
        key: path.rsplit('.').next().unwrap_or(path),
        origin: merge.origin(path, settings.profile),
    };
    let mut parts: Vec<Part<'_>> = vec![part(&problem.path)];
    parts.extend(others.iter().map(|path| part(path)));
    // Stable: of equals, the option that the check is about stays first.
    parts.sort_by_key(|part| std::cmp::Reverse(part.origin.rank()));
    let in_documents_words = parts[0].origin.documents_key().is_some();
    let name = |part: &Part<'_>| -> Option<&'static str> {
        part.origin.documents_key().or_else(|| {
            let known = documents_keys_of(part.path).next().map(|key| key.name);
            known.filter(|_| in_documents_words && !part.origin.is_set())
        })
    };
    let (mut message, mut hint) = (problem.message.clone(), problem.hint.clone());
    for part in &parts {
        if let Some(name) = name(part) {
            message = with_name(&message, part.key, name);
            hint = with_name(&hint, part.key, name);
        }
    }
    let first = &parts[0];
    let about = match (name(first), others.is_empty()) {
        (Some(name), true) => format!("{name}: "),
        (None, true) => format!("{}: ", problem.path),
        (Some(_), false) => String::new(),
        (None, false) => format!("{}: ", first.path.rsplit_once('.').map_or("", |(table, _)| table)),
    };
    let mut located =
        Located::new(format!("{about}{message}"), hint, first.origin.clone()).about(&problem.path);
    if !others.is_empty() {
        located.marks.clear();
        for part in &parts {
            let shown = name(part).unwrap_or(part.key);
            if part.origin.is_set() {
                located
                    .marks
                    .push(Mark { origin: part.origin.clone(), label: format!("{shown} is set here") });
            } else if let Some(value) = tree::get(table, part.path) {
                located.notes.push(format!("{shown} = {value} comes from the {}", part.origin));
            }
        }
    }
    located
}

/// The text with another name for an option, wherever the whole word stands.
fn with_name(text: &str, key: &str, name: &str) -> String {
    let mut named = String::with_capacity(text.len());
    for piece in text.split_inclusive(|letter| !is_of_word(letter)) {
        let word = piece.trim_end_matches(|letter| !is_of_word(letter));
        named.push_str(if word == key { name } else { word });
        named.push_str(&piece[word.len()..]);
    }
    named
}
