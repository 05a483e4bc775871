//! Where a setting came from, to the letter.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::Profile;

/// The text of a configuration file. Whoever has the file gives it: the engine reads none.
#[derive(Clone, Debug)]
pub struct Source {
    /// The file's name, as problems are to show it.
    pub name: String,
    /// What is in it.
    pub text: String,
    /// How the options stand in it.
    pub shape: Shape,
}

/// How the options stand in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The whole file is about Loopbreak, as a `loopbreak.toml`.
    Own,
    /// They are in `[tool.loopbreak]`, as in a `pyproject.toml`; everything else there is not ours.
    Pyproject,
}

impl Source {
    /// A file of its own, or a `pyproject.toml`: its name tells.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let name = name.into();
        let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
        let shape = if last == "pyproject.toml" { Shape::Pyproject } else { Shape::Own };
        let mut text = text.into();
        // Some editors put a mark there that is no letter of the first line.
        if text.starts_with('\u{feff}') {
            text.remove(0);
        }
        Source { name, text, shape }
    }
}

/// Where a setting came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The defaults of a profile.
    Profile(Profile),
    /// A preset for tasks, by its name.
    Preset(String),
    /// A file.
    File(Spot),
    /// An environment variable.
    Environment {
        /// Its name.
        variable: String,
        /// What it is set to.
        value: String,
    },
    /// A flag on the command line, as it was given.
    Flag(String),
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The file's name.
    pub file: Arc<str>,
    /// The line, from 1 on.
    pub line: usize,
    /// The column in letters, from 1 on.
    pub column: usize,
    /// The bytes of the file that are meant.
    pub span: Range<usize>,
    /// The key that was used, where it is one of the documents' and not ours.
    pub documents_key: Option<&'static str>,
}

impl Origin {
    /// Which of two origins has the last word.
    pub(crate) fn rank(&self) -> u8 {
        match self {
            Origin::Profile(_) => 0,
            Origin::Preset(_) => 1,
            Origin::File(spot) if spot.documents_key.is_some() => 2,
            Origin::File(_) => 3,
            Origin::Environment { .. } => 4,
            Origin::Flag(_) => 5,
        }
    }

    /// Whether somebody set the value, in a file or elsewhere.
    pub fn is_set(&self) -> bool {
        !matches!(self, Origin::Profile(_) | Origin::Preset(_))
    }

    /// The place in the file, if it is in one.
    pub fn spot(&self) -> Option<&Spot> {
        if let Origin::File(spot) = self { Some(spot) } else { None }
    }

    /// The documents' key that set it, if one did.
    pub(crate) fn documents_key(&self) -> Option<&'static str> {
        self.spot().and_then(|spot| spot.documents_key)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Profile(profile) => write!(f, "profile {}", profile.as_str()),
            Origin::Preset(preset) => write!(f, "preset {preset}"),
            Origin::File(spot) => write!(f, "{spot}"),
            Origin::Environment { variable, .. } => f.write_str(variable),
            Origin::Flag(flag) => f.write_str(flag),
        }
    }
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)?;
        self.documents_key.map_or(Ok(()), |key| write!(f, " ({key})"))
    }
}

/// Finds lines and columns in a text, however many are asked for.
pub(crate) struct Positions<'t> {
    file: Arc<str>,
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Positions<'t> {
    pub(crate) fn of(source: &'t Source) -> Self {
        let newlines = source.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(newlines.map(|(at, _)| at + 1)).collect();
        Positions { file: Arc::from(source.name.as_str()), text: &source.text, starts }
    }

    pub(crate) fn spot(&self, span: Range<usize>, documents_key: Option<&'static str>) -> Spot {
        let line = self.line(span.start);
        let before = self.text.get(self.starts[line - 1]..span.start).unwrap_or_default();
        Spot { file: self.file.clone(), line, column: before.chars().count() + 1, span, documents_key }
    }

    /// The line, from 1 on.
    fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset)
    }

    /// The bytes of the line that a byte is in.
    pub(crate) fn line_span(&self, offset: usize) -> Range<usize> {
        let line = self.line(offset);
        self.starts[line - 1]..self.starts.get(line).copied().unwrap_or(self.text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_counts_letters_and_not_bytes() {
        let source = Source::new("loopbreak.toml", "a = 1\nb = \"ä\" # ö\n");
        let positions = Positions::of(&source);
        let at = |offset: usize| {
            let spot = positions.spot(offset..offset, None);
            (spot.line, spot.column)
        };
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(4), (1, 5));
        assert_eq!(at(6), (2, 1));
        assert_eq!(at(source.text.find('#').unwrap()), (2, 9));
        assert_eq!(at(source.text.len()), (3, 1));
    }

    #[test]
    fn the_name_of_a_file_tells_how_the_options_stand_in_it() {
        assert_eq!(Source::new("../pyproject.toml", "").shape, Shape::Pyproject);
        assert_eq!(Source::new("a\\pyproject.toml", "").shape, Shape::Pyproject);
        assert_eq!(Source::new("loopbreak.toml", "").shape, Shape::Own);
        assert_eq!(Source::new("my-pyproject.toml", "").shape, Shape::Own);
    }
}
