//! Whether a reply in words refuses what was tried: a game sets no mark on a failure.

use crate::text::clip::clip;

/// What a reply in words says about what was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// It did not work.
    Refusal,
    /// It asks back, or says nothing: nothing was tried yet.
    Nothing,
    /// Something came of it.
    Success,
}

/// A refusal is short; a longer reply tells of something that happened.
const LONGEST: usize = 240;

/// Reads a reply. A refusal says so in its first sentence, by one of these words or by how it begins with them.
pub(crate) fn reply(text: &str, refusals: &[String]) -> Reply {
    let text = text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '>' | '[' | ']' | '*'));
    if text.is_empty() {
        return Reply::Nothing;
    }
    let (sentence, mark) = first_sentence(clip(text, LONGEST + 1));
    if mark == Some('?') {
        return Reply::Nothing;
    }
    // Blanks around it make every word stand between two of them.
    let mut words = String::with_capacity(sentence.len() + 2);
    words.push(' ');
    for word in sentence.split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '’'))) {
        if !word.is_empty() {
            words.extend(word.chars().flat_map(char::to_lowercase).map(|c| if c == '’' { '\'' } else { c }));
            words.push(' ');
        }
    }
    let says =
        |refusal: &String| !refusal.trim().is_empty() && words.contains(&format!(" {} ", refusal.trim()));
    if text.len() <= LONGEST && refusals.iter().any(says) { Reply::Refusal } else { Reply::Success }
}

/// The first sentence, and the mark it ends with.
fn first_sentence(text: &str) -> (&str, Option<char>) {
    let end = text.find(['.', '!', '?', '\n']);
    end.map_or((text, None), |end| (&text[..end], text[end..].chars().next()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::failing_target::FailingTargetSettings;

    #[test]
    fn refusals_are_known_by_what_their_first_sentence_says() {
        let refusals = FailingTargetSettings::default().refusals;
        for text in [
            "You can't open that.",
            "\nThe grating is locked.\n\n>",
            "> I don’t know the word \"frob\".",
            "Nothing happens.",
            "There is no grating here.",
            "It won't budge!",
            "The grating does not seem to move.",
            "That's not something you can pry.",
            "Pushing the bubble doesn't do anything.",
        ] {
            assert_eq!(reply(text, &refusals), Reply::Refusal, "{text}");
        }
        for text in [
            "Taken.",
            "Ok",
            "With great effort you open the window. It will not close again.",
            "The troll is disarmed by a subtle feint past his guard.",
            "Notable carvings knot around nobody.",
        ] {
            assert_eq!(reply(text, &refusals), Reply::Success, "{text}");
        }
        let long = format!("You cannot believe your eyes {}", "and look again ".repeat(20));
        assert_eq!(reply(&long, &refusals), Reply::Success);
        for text in
            ["", " > ", "What do you want to open it with?", "[Which do you mean, the red or the blue?]"]
        {
            assert_eq!(reply(text, &refusals), Reply::Nothing, "{text}");
        }
        assert_eq!(reply("You can't open that.", &[]), Reply::Success);
    }
}
