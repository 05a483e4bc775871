//! Compares what a page shows with what was printed.

/// Replaces what differs from run to run: numbers, and the units of ages. Everything else has to be equal.
pub(super) fn without_figures(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        if !letter.is_ascii_digit() {
            out.push(letter);
        } else if !out.ends_with('#') {
            out.push('#');
        }
    }
    for unit in ["s", "min", "h"] {
        out = out.replace(&format!("# {unit} ago"), "# ago");
    }
    out
}

/// Returns whether lines appear in an output one below the other. A line that is only `…` stands for any number of lines, and
/// one that ends with it for any rest of the line.
pub(super) fn shows(output: &str, shown: &[String]) -> bool {
    let printed: Vec<&str> = output.lines().map(str::trim_end).collect();
    (0..=printed.len()).any(|at| begins(&printed[at..], shown))
}

fn begins(printed: &[&str], shown: &[String]) -> bool {
    match shown {
        [] => true,
        [first, rest @ ..] if first == "…" => (0..=printed.len()).any(|at| begins(&printed[at..], rest)),
        [first, rest @ ..] => {
            printed.first().is_some_and(|line| line == first) && begins(&printed[1..], rest)
        }
    }
}

#[test]
fn shown_lines_are_found_one_below_the_other() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    for (shown, found) in
        [("b\nc", true), ("a\n…\nd", true), ("a\nc", false), ("…\nd", true), ("d\ne", false), ("B", false)]
    {
        assert_eq!(shows("a\nb\nc\nd\n", &lines(shown)), found, "{shown}");
    }
    assert_eq!(without_figures("after 34 s, 17 tries, 8 min ago"), "after # s, # tries, # ago");
}
