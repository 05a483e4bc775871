//! The sentence about items of logs that could not be read.

use crate::number::plural;

/// Returns the sentence about items that could not be read, if there are any. Every report has it: what was not read may be
/// a loop.
pub fn unread_items(items: u64) -> Option<String> {
    (items > 0).then(|| format!("{} could not be read, and may be part of a loop", plural(items, "item")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_said_if_everything_was_read() {
        assert_eq!(unread_items(0), None);
        assert_eq!(unread_items(1).unwrap(), "1 item could not be read, and may be part of a loop");
        assert_eq!(unread_items(1200).unwrap(), "1,200 items could not be read, and may be part of a loop");
    }
}
