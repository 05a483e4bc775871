//! What can be read out of the text of a game, by anyone who sees nothing but the text.

/// The ways that players try where a game does not list them.
pub(crate) const DIRECTIONS: [&str; 12] = [
    "north",
    "south",
    "east",
    "west",
    "up",
    "down",
    "northeast",
    "northwest",
    "southeast",
    "southwest",
    "in",
    "out",
];
/// Their short forms, where they have one.
const SHORT: [&str; 10] = ["n", "s", "e", "w", "u", "d", "ne", "nw", "se", "sw"];

/// The way as the full word, if the command is one.
pub(crate) fn direction_of(command: &str) -> Option<&'static str> {
    // Models like to write "North".
    let command = command.trim().to_ascii_lowercase();
    let word = command.strip_prefix("go ").unwrap_or(&command);
    let short = SHORT.iter().position(|short| *short == word);
    DIRECTIONS.into_iter().find(|way| *way == word).or_else(|| short.map(|index| DIRECTIONS[index]))
}

/// The way back.
pub(crate) fn opposite(way: &str) -> &'static str {
    match way {
        "north" => "south",
        "south" => "north",
        "east" => "west",
        "west" => "east",
        "up" => "down",
        "northeast" => "southwest",
        "northwest" => "southeast",
        "southeast" => "northwest",
        "southwest" => "northeast",
        "in" => "out",
        "out" => "in",
        _ => "up",
    }
}

/// The exits, where a line of the text lists them: `Exits: north, up.`
pub(crate) fn listed_exits(text: &str) -> Option<Vec<String>> {
    let listed = text.lines().find_map(|line| line.strip_prefix("Exits: "))?;
    Some(listed.trim_end_matches('.').split(", ").map(str::to_owned).collect())
}

/// A text on one line, with at most so many characters.
pub(crate) fn one_line(text: &str, longest: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(longest) {
        Some((end, _)) => format!("{} …", line[..end].trim_end()),
        None => line,
    }
}

/// The ways that a description speaks of, where it lists none.
pub(crate) fn mentioned_directions(text: &str) -> Vec<&'static str> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
    // Nobody means the way by the word "in".
    DIRECTIONS.into_iter().filter(|way| !matches!(*way, "in" | "out") && words.contains(way)).collect()
}

/// The name of the place that the text shows: the first line of the paragraph with the exits, or, where there are none,
/// a first line that is short and no sentence.
pub(crate) fn place_title(text: &str) -> Option<&str> {
    let paragraph =
        text.split("\n\n").find(|paragraph| paragraph.lines().any(|line| line.starts_with("Exits: ")));
    let line = paragraph.unwrap_or(text).lines().find(|line| !line.is_empty())?;
    let sentence = line.ends_with(['.', '!', '?', '"', ']']) || line.len() > 40;
    (paragraph.is_some() || !sentence).then_some(line)
}

/// The things that the text says are there: `There is a lantern here.`, `In the tin box is a fuse.`
pub(crate) fn listed_things(text: &str) -> Vec<&str> {
    let mut things = Vec::new();
    for line in text.lines() {
        let thing = if let Some(rest) = line.strip_prefix("There is a") {
            rest.strip_suffix(" here.")
        } else if line.starts_with("In the ") {
            line.split_once(" is a").and_then(|(_, rest)| rest.strip_suffix('.'))
        } else {
            None
        };
        // "a" or "an", then a space.
        let thing = thing.and_then(|rest| rest.strip_prefix("n ").or_else(|| rest.strip_prefix(' ')));
        things.extend(thing.filter(|thing| thing.len() < 30));
    }
    things
}

/// Nouns of a description: what follows an article, up to the end of the phrase.
pub(crate) fn nouns(text: &str) -> Vec<String> {
    let mut nouns: Vec<String> = Vec::new();
    let words: Vec<&str> = text.split_whitespace().collect();
    for (index, word) in words.iter().enumerate() {
        if !matches!(word.to_lowercase().as_str(), "a" | "an" | "the") {
            continue;
        }
        // The last word before a verb or a mark is the noun; with one word before it at most.
        let phrase: Vec<&str> = words[index + 1..].iter().take(2).copied().collect();
        let Some(first) = phrase.first() else { continue };
        let ends = |word: &str| word.ends_with(['.', ',', ';', ':']);
        let clean = |word: &str| word.trim_matches(|c: char| !c.is_ascii_alphanumeric()).to_lowercase();
        let mut noun = clean(first);
        if !ends(first)
            && let Some(second) = phrase.get(1)
            && !matches!(
                clean(second).as_str(),
                "is" | "of" | "in" | "on" | "and" | "that" | "to" | "goes" | "from"
            )
        {
            noun = clean(second);
        }
        if noun.len() > 2 && direction_of(&noun).is_none() && !nouns.contains(&noun) {
            nouns.push(noun);
        }
    }
    nouns
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAM: &str = "Dam\nYou are on the crest. A control panel stands here, beside a great wheel.\nExits: north, down.\n\
                       There is a crank here.\nThere is an oil can here.\n\nA heron goes over, slowly.";

    #[test]
    fn a_text_tells_the_place_its_exits_and_what_is_there() {
        assert_eq!(place_title(DAM), Some("Dam"));
        assert_eq!(listed_exits(DAM), Some(vec!["north".to_owned(), "down".to_owned()]));
        assert_eq!(listed_things(DAM), ["crank", "oil can"]);
        assert_eq!(listed_things("Opened.\nIn the tin box is a fuse."), ["fuse"]);
        assert_eq!(nouns(DAM)[..3], ["crest", "panel", "wheel"]);
        assert_eq!(place_title("You walk for a while.\n\nPine Wood\nExits: west."), Some("Pine Wood"));
        assert_eq!(place_title("Taken."), None);
        assert_eq!(place_title("Back Yard\nYou stand among nettles."), Some("Back Yard"));
    }

    #[test]
    fn ways_are_found_in_prose() {
        let text = "Back Yard\nA track runs off to the east. In one wall there is a window.";
        assert_eq!(mentioned_directions(text), ["east"]);
        assert_eq!(mentioned_directions("A path goes Northwest, and down."), ["down", "northwest"]);
        assert_eq!(mentioned_directions("Westward, ho!"), [""; 0]);
    }

    #[test]
    fn commands_that_go_somewhere_are_known() {
        assert_eq!(
            (direction_of("n"), direction_of("go north"), direction_of(" down ")),
            (Some("north"), Some("north"), Some("down"))
        );
        assert_eq!(
            (direction_of("sw"), direction_of("in"), direction_of("i")),
            (Some("southwest"), Some("in"), None)
        );
        assert_eq!((direction_of("look"), direction_of("nest"), direction_of("")), (None, None, None));
        assert_eq!(DIRECTIONS.map(|way| opposite(opposite(way))), DIRECTIONS);
    }
}
