//! The origin of a page: the time, the command line and the version.

use std::fmt::Write as _;

use loopbreak::step::EpochMillis;
use loopbreak::text::mask_secrets;
use loopbreak_analysis::recording::visible_text;

use crate::markup::escape;

/// Maximum length of the command line, in bytes.
const COMMAND: usize = 600;

/// The time and the command line that a page was made by, for its last lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageOrigin {
    made_at: Option<EpochMillis>,
    command: Option<String>,
}

impl PageOrigin {
    /// Creates the origin of a page that a program makes now. Secrets in the arguments are masked, and the home folder
    /// becomes `~`: pages are sent to others.
    pub fn new(made_at: EpochMillis, arguments: &[String], home: Option<&str>) -> Self {
        let words: Vec<String> = arguments.iter().map(|word| quoted(&without_home(word, home))).collect();
        let command = visible_text(&mask_secrets(&words.join(" ")), COMMAND);
        PageOrigin { made_at: Some(made_at), command: Some(command).filter(|text| !text.is_empty()) }
    }

    /// Renders the paragraph.
    pub(super) fn render(&self) -> String {
        let mut text = format!("<p class=\"dim\" id=\"origin\">Loopbreak {}", env!("CARGO_PKG_VERSION"));
        if let Some(time) = self.made_at.and_then(EpochMillis::rfc3339) {
            let (date, clock) = (time.get(..10).unwrap_or(&time), time.get(11..16).unwrap_or_default());
            let _ = write!(text, ", made on <time datetime=\"{time}\">{date} at {clock} UTC</time>");
        }
        if let Some(command) = &self.command {
            let _ = write!(text, " by <code class=\"log\">{}</code>", escape(command));
        }
        text + ".</p>\n"
    }
}

/// Replaces the home folder, where it is a whole folder of a path.
fn without_home(word: &str, home: Option<&str>) -> String {
    let Some(home) = home.map(|home| home.trim_end_matches('/')).filter(|home| home.len() > 1) else {
        return word.to_owned();
    };
    let mut text = String::new();
    let mut rest = word;
    while let Some(at) = rest.find(home) {
        let (before, after) = (&rest[..at], &rest[at + home.len()..]);
        let begins = !before.ends_with(|char: char| char.is_alphanumeric() || "/._-".contains(char));
        let ends = !after.starts_with(|char: char| char.is_alphanumeric() || "._-".contains(char));
        text += before;
        text += if begins && ends { "~" } else { home };
        rest = after;
    }
    text + rest
}

/// Quotes a word for a shell, if it needs that.
fn quoted(word: &str) -> String {
    let is_plain = |char: char| char.is_alphanumeric() || "-_=+:,./@%~\\".contains(char);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(arguments: &[&str]) -> String {
        let arguments: Vec<String> = arguments.iter().map(|word| (*word).to_owned()).collect();
        PageOrigin::new(EpochMillis(0), &arguments, Some("/home/ada")).command.unwrap()
    }

    #[test]
    fn the_home_folder_is_not_named() {
        assert_eq!(
            command(&["loopbreak", "analyze", "/home/ada/logs", "--html", "a b.html"]),
            "loopbreak analyze ~/logs --html 'a b.html'"
        );
        assert_eq!(command(&["--html=/home/ada"]), "--html=~");
        assert_eq!(command(&["/home/adam/x", "/srv/home/ada/x"]), "/home/adam/x /srv/home/ada/x");
    }

    #[test]
    fn a_secret_in_the_command_line_is_masked() {
        let key = "Bearer abcdefghijklmnopqrstuvwxyz0123456789";
        let shown = command(&["loopbreak", "--set", &format!("x=Authorization: {key}")]);
        assert!(!shown.contains("ghijklmnop"), "{shown}");
    }

    #[test]
    fn the_paragraph_has_the_time_the_command_and_the_version_as_text() {
        let origin = PageOrigin::new(EpochMillis(1_762_248_924_000), &["a<b".to_owned()], None);
        let text = origin.render();
        assert!(text.contains("2025-11-04 at 09:35 UTC") && text.contains("&#39;a&lt;b&#39;"), "{text}");
        assert!(text.contains(env!("CARGO_PKG_VERSION")));
        assert!(!PageOrigin::default().render().contains("made on"));
    }
}
