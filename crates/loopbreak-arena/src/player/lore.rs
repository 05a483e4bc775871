//! Common knowledge about text adventures: words that suggest a command.

/// Words and the commands that they suggest.
const LORE: [(&str, &str); 9] = [
    ("window", "open window"),
    ("mailbox", "open mailbox"),
    ("trap door", "open trap door"),
    ("rug", "move rug"),
    ("lantern", "take lantern"),
    ("sword", "take sword"),
    ("case", "open case"),
    ("sack", "open sack"),
    ("leaflet", "take leaflet"),
];

/// Words in a description, the object that is needed (or none), and the command.
const USES: [(&str, &str, &str); 9] = [
    ("door", "key", "unlock door with key"),
    ("door", "oil", "oil door"),
    ("fuse box", "fuse", "put fuse in fuse box"),
    ("wheel", "crank", "turn wheel with crank"),
    ("bolt", "wrench", "turn bolt with wrench"),
    ("lever", "", "pull lever"),
    ("troll", "sword", "kill troll with sword"),
    ("case", "bell", "put bell in case"),
    ("case", "egg", "put egg in case"),
];

/// Returns the commands that a description suggests, with the object that each needs.
pub(super) fn uses(description: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    USES.iter().filter(|(word, ..)| has_word(description, word)).map(|(_, tool, command)| (*tool, *command))
}

/// Returns the commands that a text suggests.
pub(super) fn ideas(text: &str) -> impl Iterator<Item = &'static str> {
    LORE.iter().filter(|(word, _)| has_word(text, word)).map(|(_, idea)| *idea)
}

/// Returns whether a text contains a whole word: "rug", but not "drug".
fn has_word(text: &str, word: &str) -> bool {
    let ends = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    text.match_indices(word)
        .any(|(at, _)| ends(text[..at].chars().next_back()) && ends(text[at + word.len()..].chars().next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_words_suggest_commands() {
        let found = |text| ideas(text).collect::<Vec<_>>();
        assert_eq!(found("There is a window, slightly ajar."), ["open window"]);
        assert_eq!(found("drugs and windows"), [""; 0]);
        assert_eq!(found("A rug. A trap door."), ["open trap door", "move rug"]);
        let wheel: Vec<_> = uses("A panel, beside a great wheel.").collect();
        assert_eq!(wheel, [("crank", "turn wheel with crank")]);
    }
}
