//! The keys that a watch knows.

/// A key that the user pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WatchKey {
    /// Selects the run above.
    Up,
    /// Selects the run below.
    Down,
    /// Writes a report of the run and opens it.
    Report,
    /// Allows the last call of the run that was refused.
    Allow,
    /// Pauses the agent.
    Pause,
    /// Resumes the agent.
    Resume,
    /// Asks the agent to end.
    Stop,
    /// Confirms.
    Yes,
    /// Ends the watch.
    Quit,
    /// Suspends the watch, as Ctrl-Z does.
    Suspend,
    /// Anything else. It denies a question.
    Other,
}

/// Returns the keys in what a terminal sent. Arrows are sequences of three bytes.
pub fn parse_keys(bytes: &[u8]) -> Vec<WatchKey> {
    let mut keys = Vec::new();
    let mut rest = bytes;
    while let Some((first, tail)) = rest.split_first() {
        let (key, next) = match (first, tail) {
            (0x1b, [b'[' | b'O', b'A', next @ ..]) => (WatchKey::Up, next),
            (0x1b, [b'[' | b'O', b'B', next @ ..]) => (WatchKey::Down, next),
            (0x1b, [b'[' | b'O', next @ ..]) => {
                // Another sequence, up to its last letter.
                let end = next.iter().position(|byte| (0x40..0x7f).contains(byte));
                (WatchKey::Other, end.map_or(&[][..], |end| &next[end + 1..]))
            }
            (byte, next) => (letter(*byte), next),
        };
        keys.push(key);
        rest = next;
    }
    keys
}

fn letter(byte: u8) -> WatchKey {
    match byte {
        b'k' => WatchKey::Up,
        b'j' => WatchKey::Down,
        b'o' | b'\r' | b'\n' => WatchKey::Report,
        b'a' => WatchKey::Allow,
        b'p' => WatchKey::Pause,
        b'r' => WatchKey::Resume,
        b's' => WatchKey::Stop,
        b'y' | b'Y' => WatchKey::Yes,
        // Ctrl-\ as well.
        b'q' | 0x1c => WatchKey::Quit,
        0x1a => WatchKey::Suspend,
        _ => WatchKey::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_letters_and_other_sequences_are_told_apart() {
        let keys = parse_keys(b"\x1b[A\x1bOBjq\x1b[15~p\x1b\x1a");
        assert_eq!(
            keys,
            [
                WatchKey::Up,
                WatchKey::Down,
                WatchKey::Down,
                WatchKey::Quit,
                WatchKey::Other,
                WatchKey::Pause,
                WatchKey::Other,
                WatchKey::Suspend
            ]
        );
        assert_eq!(parse_keys(b"\x1b["), [WatchKey::Other]);
        assert!(parse_keys(b"").is_empty());
    }
}
