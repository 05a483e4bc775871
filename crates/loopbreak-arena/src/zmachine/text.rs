//! Text: packed letters to characters, and words of the player to packed letters.

use super::fault::{FaultKind, FaultResult};
use super::machine::InstructionBudget;
use super::memory::MachineMemory;

/// The third alphabet, from letter 6 on; the first two places have other meanings.
const PUNCTUATION: &[u8; 26] = b"\0\n0123456789.,!?_#'\"/\\-:()";
/// Letters of an encoded word of the dictionary.
pub(super) const WORD_LETTERS: usize = 6;

/// The characters from 155 on that stories may use beyond ASCII.
const BEYOND_ASCII: &str = "äöüÄÖÜß»«ëïÿËÏáéíóúýÁÉÍÓÚÝàèìòùÀÈÌÒÙâêîôûÂÊÎÔÛåÅøØãñõÃÑÕæÆçÇþðÞÐ£œŒ¡¿";

/// A character code of the machine as a character; nothing for 0, which prints nothing.
pub(super) fn character(code: u16) -> Option<char> {
    match code {
        0 => None,
        13 => Some('\n'),
        32..=126 => char::from_u32(code.into()),
        155..=223 => BEYOND_ASCII.chars().nth(usize::from(code - 155)),
        _ => Some('?'),
    }
}

/// What the next letter is part of.
#[derive(Clone, Copy)]
enum LetterState {
    Letter { alphabet: u8 },
    Abbreviation { bank: u8 },
    CodeHigh,
    CodeLow { high: u8 },
}

const PLAIN: LetterState = LetterState::Letter { alphabet: 0 };

/// Unpacks the text at an address to the end of `out`, and gives the address behind it. Every word of text is paid for
/// from the budget: abbreviations can make a short text long.
pub(super) fn unpack(
    memory: &MachineMemory,
    at: u32,
    budget: &mut InstructionBudget,
    out: &mut String,
) -> FaultResult<u32> {
    unpack_text(memory, at, budget, out, true)
}

fn unpack_text(
    memory: &MachineMemory,
    mut at: u32,
    budget: &mut InstructionBudget,
    out: &mut String,
    abbreviations: bool,
) -> FaultResult<u32> {
    let mut next = PLAIN;
    loop {
        budget.spend(1)?;
        let word = memory.word(at)?;
        at += 2;
        for shift in [10, 5, 0] {
            let letter = (word >> shift & 31) as u8;
            next = match next {
                LetterState::Abbreviation { bank } => {
                    let table = u32::from(memory.story.abbreviations);
                    let entry = 32 * u32::from(bank - 1) + u32::from(letter);
                    // The table has word addresses: half of the real ones.
                    let text = 2 * u32::from(memory.word(table + 2 * entry)?);
                    unpack_text(memory, text, budget, out, false)?;
                    PLAIN
                }
                LetterState::CodeHigh => LetterState::CodeLow { high: letter },
                LetterState::CodeLow { high } => {
                    out.extend(character(u16::from(high) << 5 | u16::from(letter)));
                    PLAIN
                }
                LetterState::Letter { alphabet } => match letter {
                    0 => {
                        out.push(' ');
                        PLAIN
                    }
                    1..=3 if abbreviations => LetterState::Abbreviation { bank: letter },
                    1..=3 => return Err(FaultKind::NestedAbbreviation),
                    4 => LetterState::Letter { alphabet: 1 },
                    5 => LetterState::Letter { alphabet: 2 },
                    6 if alphabet == 2 => LetterState::CodeHigh,
                    _ => {
                        out.push(char::from(match alphabet {
                            0 => b'a' + letter - 6,
                            1 => b'A' + letter - 6,
                            _ => PUNCTUATION[usize::from(letter - 6)],
                        }));
                        PLAIN
                    }
                },
            };
        }
        if word & 0x8000 != 0 {
            return Ok(at);
        }
    }
}

/// A word as the dictionary has it: six letters in four bytes, the last ones filled up.
pub(super) fn pack(word: &[u8]) -> [u8; 4] {
    let mut letters = [5; WORD_LETTERS];
    let mut places = letters.iter_mut();
    let mut put = |letter: u8| {
        if let Some(place) = places.next() {
            *place = letter;
        }
    };
    for byte in word.iter().map(u8::to_ascii_lowercase) {
        // The first two places of the third alphabet are no characters.
        let mark = PUNCTUATION[2..].iter().position(|mark| *mark == byte);
        match (byte, mark) {
            (b'a'..=b'z', _) => put(byte - b'a' + 6),
            (_, Some(mark)) => {
                put(5);
                put(mark as u8 + 8);
            }
            _ => [5, 6, byte >> 5, byte & 31].into_iter().for_each(&mut put),
        }
    }
    let word = |three: &[u8]| three.iter().fold(0_u16, |word, letter| word << 5 | u16::from(*letter));
    let [a, b] = word(&letters[..3]).to_be_bytes();
    let [c, d] = (word(&letters[3..]) | 0x8000).to_be_bytes();
    [a, b, c, d]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_packed_as_the_standard_shows_it() {
        // Standard 3.8 and 13.4: letters from 6 on, filled up with 5, the last word marked.
        assert_eq!(pack(b"i"), [0x38, 0xa5, 0x94, 0xa5]);
        assert_eq!(pack(b"I"), pack(b"i"));
        // Only six letters count.
        assert_eq!(pack(b"lantern"), pack(b"lanternx"));
        assert_eq!(pack(b"lanter"), pack(b"lantern"));
        assert_ne!(pack(b"lante"), pack(b"lanter"));
    }

    #[test]
    fn marks_and_other_characters_are_packed_with_a_shift() {
        let letters = |packed: [u8; 4]| {
            let words =
                [u16::from_be_bytes([packed[0], packed[1]]), u16::from_be_bytes([packed[2], packed[3]])];
            words
                .into_iter()
                .flat_map(|word| [word >> 10 & 31, word >> 5 & 31, word & 31])
                .collect::<Vec<_>>()
        };
        assert_eq!(letters(pack(b",")), [5, 19, 5, 5, 5, 5]);
        assert_eq!(letters(pack(b"a1")), [6, 5, 9, 5, 5, 5]);
        assert_eq!(letters(pack(b"$")), [5, 6, 1, 4, 5, 5]);
    }

    #[test]
    fn codes_become_characters() {
        assert_eq!(character(0), None);
        assert_eq!(character(13), Some('\n'));
        assert_eq!(character(65), Some('A'));
        assert_eq!(character(155), Some('ä'));
        assert_eq!(character(161), Some('ß'));
        assert_eq!(character(223), Some('¿'));
        assert_eq!(character(300), Some('?'));
    }
}
