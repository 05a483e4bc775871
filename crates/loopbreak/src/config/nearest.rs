//! The nearest known name, for whoever mistyped one.

/// Longer words are no mistyped names, and comparing them would take long.
const LONGEST: usize = 64;

/// The known name that was most likely meant: at most a third of its letters are wrong.
pub fn nearest<'n>(word: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    if word.is_empty() || word.len() > LONGEST {
        return None;
    }
    let word: Vec<char> = word.to_lowercase().chars().collect();
    let allowed = (word.len() / 3).clamp(1, 4);
    names
        .into_iter()
        .map(|name| (distance(&word, &name.to_lowercase().chars().collect::<Vec<_>>()), name))
        .filter(|(distance, _)| *distance <= allowed)
        // The first of equals, so that the answer does not depend on anything but the order of the names.
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// How many letters must be put in, left out, replaced or swapped with their neighbour.
fn distance(a: &[char], b: &[char]) -> usize {
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
    fn a_slip_of_the_finger_finds_the_name_that_was_meant() {
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
            assert_eq!(nearest(word, names), meant, "{word}");
        }
        assert_eq!(nearest(&"m".repeat(1_000_000), names), None);
    }

    #[test]
    fn a_swap_of_neighbours_is_one_slip() {
        let letters = |text: &str| text.chars().collect::<Vec<_>>();
        assert_eq!(distance(&letters("mdoe"), &letters("mode")), 1);
        assert_eq!(distance(&letters(""), &letters("mode")), 4);
        assert_eq!(distance(&letters("kitten"), &letters("sitting")), 3);
    }
}
