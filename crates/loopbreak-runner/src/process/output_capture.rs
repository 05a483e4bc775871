//! Captures the head and the tail of an output of any length.

use std::collections::VecDeque;

/// The number of bytes of the head and of the tail that are kept.
const HEAD_BYTES: usize = 256 * 1024;
const TAIL_BYTES: usize = 256 * 1024;

/// The head and the tail of an output.
#[derive(Debug, Default)]
pub(crate) struct OutputCapture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    /// The number of bytes of the whole output.
    pub(crate) total: u64,
}

impl OutputCapture {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let (first, rest) = bytes.split_at(bytes.len().min(HEAD_BYTES - self.head.len()));
        self.head.extend(first);
        self.tail.extend(rest);
        let surplus = self.tail.len().saturating_sub(TAIL_BYTES);
        self.tail.drain(..surplus);
    }

    /// Returns the output as text. Invalid UTF-8 is replaced. A gap is marked, without its size.
    pub(crate) fn text(&self) -> String {
        let mut bytes = self.head.clone();
        if self.total > (HEAD_BYTES + TAIL_BYTES) as u64 {
            bytes.extend(b"\n[...]\n");
        }
        bytes.extend(&self.tail);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_head_and_tail_of_a_long_output_are_kept() {
        let mut capture = OutputCapture::default();
        capture.push(b"begin ");
        for _ in 0..1000 {
            capture.push(&[b'x'; 10_000]);
        }
        capture.push(b" end");
        let text = capture.text();
        assert!(text.starts_with("begin x") && text.ends_with("x end") && text.contains("[...]"));
        assert!(text.len() <= HEAD_BYTES + TAIL_BYTES + 10 && capture.total > 10_000_000);
    }

    #[test]
    fn a_short_output_is_kept_whole() {
        let mut capture = OutputCapture::default();
        capture.push(b"a\xffb");
        assert_eq!(capture.text(), "a\u{fffd}b");
    }
}
