//! The changed lines between two texts.

/// Number of unchanged lines shown around a change.
const CONTEXT: usize = 3;

/// Returns the removed and added lines, with some context.
pub(crate) fn diff(old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let first = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let rest = old.len().min(new.len()) - first;
    let last = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(old, new)| old == new).count();
    let mut text = String::new();
    let mut show = |sign: char, lines: &[&str]| {
        for line in lines {
            text.push(sign);
            text.push_str(line);
            text.push('\n');
        }
    };
    show(' ', &old[first.saturating_sub(CONTEXT)..first]);
    show('-', &old[first..old.len() - last]);
    show('+', &new[first..new.len() - last]);
    show(' ', &old[old.len() - last..(old.len() - last + CONTEXT).min(old.len())]);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_lines_are_shown_with_three_lines_of_context() {
        let lines = |middle: &str| format!("1\n2\n3\n4\n{middle}\n5\n6\n7\n8\n");
        assert_eq!(diff(&lines("a"), &lines("b")), " 2\n 3\n 4\n-a\n+b\n 5\n 6\n 7\n");
        assert_eq!(diff("", "a\n"), "+a\n");
        assert_eq!(diff("a\n", "a\na\n"), " a\n+a\n");
    }
}
