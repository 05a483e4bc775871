//! What is kept of an output: its head and its tail, however long it is.

use std::collections::VecDeque;

/// How much of the head and of the tail is kept.
const HEAD: usize = 256 * 1024;
const TAIL: usize = 256 * 1024;

/// An output as it comes.
#[derive(Debug, Default)]
pub(crate) struct OutputCapture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    /// How many bytes there were.
    pub(crate) total: u64,
}

impl OutputCapture {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let (first, rest) = bytes.split_at(bytes.len().min(HEAD - self.head.len()));
        self.head.extend(first);
        self.tail.extend(rest);
        let surplus = self.tail.len().saturating_sub(TAIL);
        self.tail.drain(..surplus);
    }

    /// As text, whatever the bytes were. A gap is marked, without its size: that is of no meaning to anybody.
    pub(crate) fn text(&self) -> String {
        let mut bytes = self.head.clone();
        if self.total > (HEAD + TAIL) as u64 {
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
    fn a_long_output_keeps_its_ends_and_no_more() {
        let mut capture = OutputCapture::default();
        capture.push(b"begin ");
        for _ in 0..1000 {
            capture.push(&[b'x'; 10_000]);
        }
        capture.push(b" end");
        let text = capture.text();
        assert!(text.starts_with("begin x") && text.ends_with("x end") && text.contains("[...]"));
        assert!(text.len() <= HEAD + TAIL + 10 && capture.total > 10_000_000);
    }

    #[test]
    fn a_short_output_is_kept_whole() {
        let mut capture = OutputCapture::default();
        capture.push(b"a\xffb");
        assert_eq!(capture.text(), "a\u{fffd}b");
    }
}
