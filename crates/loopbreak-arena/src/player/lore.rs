//! What every player of such games knows: words that ask for a command.

/// A word of the game, and what it asks for.
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

/// What a place speaks of, what one has to have in hand for it (or nothing), and what is done then.
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

/// What a description gives to do sooner or later: what has to be in hand, and the command.
pub(super) fn uses(description: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    USES.iter().filter(|(word, ..)| has_word(description, word)).map(|(_, tool, command)| (*tool, *command))
}

/// What this text asks for.
pub(super) fn ideas(text: &str) -> impl Iterator<Item = &'static str> {
    LORE.iter().filter(|(word, _)| has_word(text, word)).map(|(_, idea)| *idea)
}

/// Whether a text has a word, as a word: a rug, but no drug.
fn has_word(text: &str, word: &str) -> bool {
    let ends = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    text.match_indices(word)
        .any(|(at, _)| ends(text[..at].chars().next_back()) && ends(text[at + word.len()..].chars().next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_ask_for_commands_where_they_are_words() {
        let found = |text| ideas(text).collect::<Vec<_>>();
        assert_eq!(found("There is a window, slightly ajar."), ["open window"]);
        assert_eq!(found("drugs and windows"), [""; 0]);
        assert_eq!(found("A rug. A trap door."), ["open trap door", "move rug"]);
        let wheel: Vec<_> = uses("A panel, beside a great wheel.").collect();
        assert_eq!(wheel, [("crank", "turn wheel with crank")]);
    }
}
