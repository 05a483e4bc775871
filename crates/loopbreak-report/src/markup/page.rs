//! The frame of every page: its head, its styles, and its policy.

use std::fmt::Write as _;

use super::escape::escape;
use super::hash;

/// The styles of every page.
const STYLE: &str = include_str!("page.css");

/// A page for a browser that loads nothing.
#[derive(Clone, Copy, Debug)]
pub struct HtmlPage<'p> {
    /// The title, as text.
    pub title: &'p str,
    /// Further styles.
    pub style: &'p str,
    /// The only script that may run.
    pub script: Option<&'p str>,
    /// The content of the body, as markup.
    pub body: &'p str,
}

impl HtmlPage<'_> {
    /// Renders the file. Only this style and this script are allowed, by their hashes: even if a text of a log became
    /// a tag, the browser would not run it, and it could not send anything.
    pub fn write(&self) -> String {
        let style = format!("\n{STYLE}{}", self.style);
        let mut allowed = format!("default-src 'none'; style-src '{}'", hash::source(&style));
        let script = self.script.map(|script| format!("\n{script}"));
        if let Some(script) = &script {
            let _ = write!(allowed, "; script-src '{}'", hash::source(script));
        }
        allowed += "; base-uri 'none'; form-action 'none'";
        let script = script.map(|script| format!("<script>{script}</script>\n")).unwrap_or_default();
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{allowed}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n\
             <title>{}</title>\n<style>{style}</style>\n</head>\n<body>\n{}{script}</body>\n</html>\n",
            escape(self.title),
            self.body
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_without_a_script_lets_none_run() {
        let page = HtmlPage { title: "A & B", style: "", script: None, body: "" }.write();
        assert!(page.contains("<title>A &amp; B</title>"));
        assert!(page.contains("default-src 'none'; style-src 'sha256-") && !page.contains("script-src"));
    }
}
