//! Lines and columns of a text.

use std::ops::Range;
use std::sync::Arc;

use super::{ConfigSource, SourceLocation};

/// The line starts of a text, to convert many byte offsets to lines and columns.
pub(crate) struct LinePositions<'t> {
    file: Arc<str>,
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> LinePositions<'t> {
    pub(crate) fn new(source: &'t ConfigSource) -> Self {
        let newlines = source.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(newlines.map(|(at, _)| at + 1)).collect();
        LinePositions { file: Arc::from(source.name.as_str()), text: &source.text, starts }
    }

    pub(crate) fn location(&self, span: Range<usize>, legacy_key: Option<&'static str>) -> SourceLocation {
        let line = self.line(span.start);
        let before = self.text.get(self.starts[line - 1]..span.start).unwrap_or_default();
        let column = before.chars().count() + 1;
        SourceLocation { file: self.file.clone(), line, column, span, legacy_key }
    }

    /// Returns the line of a byte, counted from 1.
    fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset)
    }

    /// Returns the bytes of the line that contains a byte.
    pub(crate) fn line_span(&self, offset: usize) -> Range<usize> {
        let line = self.line(offset);
        self.starts[line - 1]..self.starts.get(line).copied().unwrap_or(self.text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_counts_characters_and_not_bytes() {
        let source = ConfigSource::new("loopbreak.toml", "a = 1\nb = \"ä\" # ö\n");
        let positions = LinePositions::new(&source);
        let at = |offset: usize| {
            let location = positions.location(offset..offset, None);
            (location.line, location.column)
        };
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(4), (1, 5));
        assert_eq!(at(6), (2, 1));
        assert_eq!(at(source.text.find('#').unwrap()), (2, 9));
        assert_eq!(at(source.text.len()), (3, 1));
    }
}
