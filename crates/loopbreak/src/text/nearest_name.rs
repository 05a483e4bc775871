//! Suggests the known name that a mistyped name was probably meant to be.

/// Longest word that is compared, in bytes. A longer one is not a typo, and comparing it would take long.
const MAX_WORD_BYTES: usize = 64;

/// Returns the name that is most similar to `word`, if at most a third of the letters differ.
pub fn nearest_name<'n>(word: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    if word.is_empty() || word.len() > MAX_WORD_BYTES {
        return None;
    }
    let word: Vec<char> = word.to_lowercase().chars().collect();
    let allowed = (word.len() / 3).clamp(1, 4);
    names
        .into_iter()
        .map(|name| (edit_distance(&word, &name.to_lowercase().chars().collect::<Vec<_>>()), name))
        .filter(|(distance, _)| *distance <= allowed)
        // Takes the first of several equally near names, so that the result only depends on the order of `names`.
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Returns the number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let (mut older, mut above): (Vec<usize>, Vec<usize>) = (Vec::new(), (0..=b.len()).collect());
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut least = (above[j] + usize::from(x != y)).min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                least = least.min(older[j - 1] + 1);
            }
            row.push(least);
        }
        older = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_name_behind_a_typo() {
        let names = ["max_turns", "check_interval", "warn_at", "mode"];
        for (word, meant) in [
            ("max_turn", Some("max_turns")),
            ("max-turns", Some("max_turns")),
            ("MAX_TURNS", Some("max_turns")),
            ("chekc_interval", Some("check_interval")),
            ("mdoe", Some("mode")),
            ("patience", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest_name(word, names), meant, "{word}");
        }
        assert_eq!(nearest_name(&"m".repeat(1_000_000), names), None);
    }

    #[test]
    fn a_swap_of_neighbours_counts_as_one_edit() {
        let letters = |text: &str| text.chars().collect::<Vec<_>>();
        assert_eq!(edit_distance(&letters("mdoe"), &letters("mode")), 1);
        assert_eq!(edit_distance(&letters(""), &letters("mode")), 4);
        assert_eq!(edit_distance(&letters("kitten"), &letters("sitting")), 3);
    }
}
