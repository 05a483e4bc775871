//! Texts with a limit.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Deserializer, Serialize};

use super::SnapshotSize;
use crate::text::clip::{clip_escaped, escaped_len};

/// The beginning of a text that takes at most `N` bytes in a snapshot. It counts as `N` bytes, unless it is
/// `MEASURED`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(crate) struct ClippedText<const N: usize, const MEASURED: bool = false>(String);

/// A clipped text that counts with its own length, because there are very many of them.
pub(crate) type MeasuredText<const N: usize> = ClippedText<N, true>;

impl<const N: usize, const MEASURED: bool> From<&str> for ClippedText<N, MEASURED> {
    fn from(text: &str) -> Self {
        ClippedText(clip_escaped(text, N).to_owned())
    }
}

impl<const N: usize, const MEASURED: bool> From<String> for ClippedText<N, MEASURED> {
    fn from(mut text: String) -> Self {
        text.truncate(clip_escaped(&text, N).len());
        ClippedText(text)
    }
}

impl<const N: usize, const MEASURED: bool> Deref for ClippedText<N, MEASURED> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<const N: usize, const MEASURED: bool> Borrow<str> for ClippedText<N, MEASURED> {
    fn borrow(&self) -> &str {
        self
    }
}

impl<const N: usize, const MEASURED: bool> fmt::Display for ClippedText<N, MEASURED> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl<'de, const N: usize, const MEASURED: bool> Deserialize<'de> for ClippedText<N, MEASURED> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(ClippedText::from)
    }
}

impl<const N: usize, const MEASURED: bool> SnapshotSize for ClippedText<N, MEASURED> {
    const VARIES: bool = MEASURED;

    fn max_bytes(_: usize) -> usize {
        N + "\"\"".len()
    }

    fn snapshot_bytes(&self, digits: usize) -> usize {
        if MEASURED { escaped_len(self) + "\"\"".len() } else { Self::max_bytes(digits) }
    }
}
