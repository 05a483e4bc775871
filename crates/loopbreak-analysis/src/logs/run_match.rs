//! Finds the run that a user means by the beginning of its name, or by a name with a mistake.

use loopbreak::text::nearest_name;

/// Number of runs that a message names.
const SHOWN_RUNS: usize = 5;

/// The runs that a name can mean.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunMatch {
    /// One run has this name in another case, or is the only one whose name begins with it.
    One(String),
    /// Several runs have names that begin with it: the first of them, for a message.
    Several(String),
    /// No run is meant. The most similar names, for a message, if there are runs at all.
    Unknown(Option<String>),
}

/// Compares a name with the names of runs, without regard to case.
pub(super) fn match_name(name: &str, mut known: Vec<&str>) -> RunMatch {
    known.sort_unstable();
    known.dedup();
    let wanted = name.to_lowercase();
    let lower = |name: &&&str| name.to_lowercase();
    let equal: Vec<&str> = known.iter().filter(|name| lower(name) == wanted).copied().collect();
    let starting: Vec<&str> = known.iter().filter(|name| lower(name).starts_with(&wanted)).copied().collect();
    match (equal.as_slice(), starting.as_slice()) {
        ([one], _) | ([], [one]) if !wanted.is_empty() => RunMatch::One((*one).to_owned()),
        ([], []) => RunMatch::Unknown(similar(name, &wanted, known)),
        ([], _) => RunMatch::Several(quote_first(starting)),
        _ => RunMatch::Several(quote_first(equal)),
    }
}

/// Lists the names that a name is contained in, or else the nearest one, or else the first ones.
fn similar(name: &str, wanted: &str, known: Vec<&str>) -> Option<String> {
    let containing: Vec<&str> =
        known.iter().filter(|name| name.to_lowercase().contains(wanted)).copied().collect();
    if !containing.is_empty() {
        return Some(format!("did you mean {}?", quote_first(containing)));
    }
    match nearest_name(name, known.iter().copied()) {
        Some(nearest) => Some(format!("did you mean {nearest:?}?")),
        None => match with_common_beginning(wanted, &known) {
            near if !near.is_empty() => Some(format!("did you mean {}?", quote_first(near))),
            _ => (!known.is_empty()).then(|| format!("the runs are {}", quote_first(known))),
        },
    }
}

/// Returns the names that have the longest beginning in common with a name, if that is more than one character: of an id, people
/// mistype one of the first characters.
fn with_common_beginning<'n>(wanted: &str, known: &[&'n str]) -> Vec<&'n str> {
    let common = |name: &str| {
        let pairs = name.chars().flat_map(char::to_lowercase).zip(wanted.chars());
        pairs.take_while(|(one, other)| one == other).count()
    };
    let longest = known.iter().map(|name| common(name)).max().unwrap_or(0);
    known.iter().filter(|name| longest > 1 && common(name) == longest).copied().collect()
}

/// Returns the first names in quotes, sorted and without duplicates.
pub(super) fn quote_first(mut names: Vec<&str>) -> String {
    names.sort_unstable();
    names.dedup();
    let more = if names.len() > SHOWN_RUNS { ", …" } else { "" };
    let quoted: Vec<String> = names.iter().take(SHOWN_RUNS).map(|name| format!("{name:?}")).collect();
    quoted.join(", ") + more
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUNS: [&str; 4] = ["dam", "3bd9cf18-3c9b", "repairagent/Jsoup_12", "repairagent/Jsoup_7"];

    fn matched(name: &str) -> RunMatch {
        match_name(name, RUNS.to_vec())
    }

    #[test]
    fn the_beginning_of_a_name_and_another_case_mean_a_run() {
        assert_eq!(matched("Dam"), RunMatch::One("dam".to_owned()));
        assert_eq!(matched("3bd9"), RunMatch::One("3bd9cf18-3c9b".to_owned()));
        assert_eq!(matched("RepairAgent/jsoup_1"), RunMatch::One("repairagent/Jsoup_12".to_owned()));
        assert_eq!(
            match_name("a", vec!["A", "ab"]),
            RunMatch::One("A".to_owned()),
            "a whole name comes first"
        );
    }

    #[test]
    fn several_runs_and_mistyped_names_are_named() {
        let several = r#""repairagent/Jsoup_12", "repairagent/Jsoup_7""#;
        assert_eq!(matched("repairagent/Jsoup"), RunMatch::Several(several.to_owned()));
        assert_eq!(matched("jsoup"), RunMatch::Unknown(Some(format!("did you mean {several}?"))));
        assert_eq!(matched("damn"), RunMatch::Unknown(Some("did you mean \"dam\"?".to_owned())));
        let RunMatch::Unknown(Some(first)) = matched("nothing like it") else { panic!("unknown") };
        assert!(first.starts_with("the runs are \"3bd9cf18-3c9b\", \"dam\""), "{first}");
        let ids = vec!["0ccf1a04", "3b1b6293", "3bd9cf18", "41aa77"];
        let RunMatch::Unknown(Some(near)) = match_name("3bz9", ids) else { panic!("unknown") };
        assert_eq!(near, r#"did you mean "3b1b6293", "3bd9cf18"?"#);
        assert_eq!(match_name("x", Vec::new()), RunMatch::Unknown(None));
        assert!(matches!(matched(""), RunMatch::Several(_)));
    }
}
