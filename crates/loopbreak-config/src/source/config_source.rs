//! The text of a configuration file.

use std::ops::Range;

use super::{LinePositions, SourceLocation};

/// The text of a configuration file, with its name.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConfigSource {
    /// Name of the file, as shown in problems.
    pub name: String,
    /// Content of the file.
    pub text: String,
    /// Position of the options in the file.
    pub layout: ConfigFileLayout,
}

/// Position of the options in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfigFileLayout {
    /// The options are at the top level, as in `loopbreak.toml`.
    TopLevel,
    /// The options are in `[tool.loopbreak]`, as in `pyproject.toml`. Other tables are ignored.
    Pyproject,
}

impl ConfigSource {
    /// Creates a source. Its name decides the layout.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let name = name.into();
        let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
        let layout =
            if last == "pyproject.toml" { ConfigFileLayout::Pyproject } else { ConfigFileLayout::TopLevel };
        let mut text = text.into();
        // Some editors write a byte order mark, which is not part of the first line.
        if text.starts_with('\u{feff}') {
            text.remove(0);
        }
        ConfigSource { name, text, layout }
    }

    /// Returns the location of some bytes of the text.
    pub fn location(&self, span: Range<usize>) -> SourceLocation {
        LinePositions::new(self).location(span, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_decides_its_layout() {
        let layout = |name: &str| ConfigSource::new(name, "").layout;
        assert_eq!(layout("../pyproject.toml"), ConfigFileLayout::Pyproject);
        assert_eq!(layout("a\\pyproject.toml"), ConfigFileLayout::Pyproject);
        assert_eq!(layout("loopbreak.toml"), ConfigFileLayout::TopLevel);
        assert_eq!(layout("my-pyproject.toml"), ConfigFileLayout::TopLevel);
    }
}
