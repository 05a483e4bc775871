//! Recognizes refusals in natural-language replies, because a game does not mark failures.

use super::word_index::WordIndex;
use crate::text::clip::clip;

/// The meaning of a natural-language reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReplyMeaning {
    /// The action was refused.
    Refusal,
    /// The reply is a question or empty: nothing was tried yet.
    Nothing,
    /// The action had a result.
    Success,
}

/// Length limit of a refusal. A longer reply describes an event.
const LONGEST: usize = 240;

/// The words and phrases that refuse.
#[derive(Clone, Debug)]
pub(crate) struct RefusalTable {
    /// Each phrase between two spaces, as it is searched for in a sentence.
    phrases: Vec<String>,
    /// First words of the phrases. Most sentences contain none of them.
    first_words: WordIndex,
}

impl From<&[String]> for RefusalTable {
    fn from(refusals: &[String]) -> Self {
        let known = refusals.iter().map(|refusal| refusal.trim()).filter(|refusal| !refusal.is_empty());
        let first = |refusal: &str| refusal.split(' ').next().unwrap_or_default().to_owned();
        let first_words: Vec<String> = known.clone().map(first).collect();
        RefusalTable {
            phrases: known.map(|refusal| format!(" {refusal} ")).collect(),
            first_words: WordIndex::from_lists(&[&first_words]),
        }
    }
}

impl RefusalTable {
    /// Classifies a reply. A refusal contains one of the phrases in its first sentence.
    pub(crate) fn reply(&self, text: &str) -> ReplyMeaning {
        let text = text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '>' | '[' | ']' | '*'));
        if text.is_empty() {
            return ReplyMeaning::Nothing;
        }
        let (sentence, mark) = first_sentence(clip(text, LONGEST + 1));
        if mark == Some(b'?') {
            return ReplyMeaning::Nothing;
        }
        if text.len() <= LONGEST && self.is_in(sentence) {
            ReplyMeaning::Refusal
        } else {
            ReplyMeaning::Success
        }
    }

    fn is_in(&self, sentence: &str) -> bool {
        // Conversion to lower case is more complex for characters that are not ASCII. Then every phrase is
        // searched for.
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'\'';
        let mut words = sentence
            .as_bytes()
            .split(|byte| !is_part(*byte))
            .filter_map(|word| std::str::from_utf8(word).ok());
        if sentence.is_ascii() && !words.any(|word| self.first_words.lists_with(word) != 0) {
            return false;
        }
        // Every word gets a space before and after it.
        let mut words = String::with_capacity(sentence.len() + 2);
        words.push(' ');
        for word in sentence.split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '’'))) {
            if !word.is_empty() {
                words.extend(
                    word.chars().flat_map(char::to_lowercase).map(|c| if c == '’' { '\'' } else { c }),
                );
                words.push(' ');
            }
        }
        self.phrases.iter().any(|phrase| words.contains(phrase))
    }
}

/// Returns the first sentence and its final punctuation.
fn first_sentence(text: &str) -> (&str, Option<u8>) {
    let end = text.bytes().position(|byte| matches!(byte, b'.' | b'!' | b'?' | b'\n'));
    end.map_or((text, None), |end| (&text[..end], text.as_bytes().get(end).copied()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::FailingTargetSettings;

    #[test]
    fn refusals_are_recognized_by_their_first_sentence() {
        let table = RefusalTable::from(&FailingTargetSettings::default().refusals[..]);
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
            assert_eq!(table.reply(text), ReplyMeaning::Refusal, "{text}");
        }
        for text in [
            "Taken.",
            "Ok",
            "With great effort you open the window. It will not close again.",
            "The troll is disarmed by a subtle feint past his guard.",
            "Notable carvings knot around nobody.",
        ] {
            assert_eq!(table.reply(text), ReplyMeaning::Success, "{text}");
        }
        let long = format!("You cannot believe your eyes {}", "and look again ".repeat(20));
        assert_eq!(table.reply(&long), ReplyMeaning::Success);
        for text in
            ["", " > ", "What do you want to open it with?", "[Which do you mean, the red or the blue?]"]
        {
            assert_eq!(table.reply(text), ReplyMeaning::Nothing, "{text}");
        }
        assert_eq!(RefusalTable::from(&[][..]).reply("You can't open that."), ReplyMeaning::Success);
    }
}
