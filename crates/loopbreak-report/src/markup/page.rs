//! What every page has: its head, its styles, and what it may load.

use std::fmt::Write as _;

use super::escape::escape;
use super::hash;

/// Colours, letters, tables, paper: the same on every page.
const STYLE: &str = include_str!("page.css");

/// A page for a browser, without anything from elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct HtmlPage<'p> {
    /// Its name, as text.
    pub title: &'p str,
    /// Beyond the styles that every page has.
    pub style: &'p str,
    /// The only program that may run in it.
    pub script: Option<&'p str>,
    /// What stands between the tags of the body.
    pub body: &'p str,
}

impl HtmlPage<'_> {
    /// The whole file. Nothing but this style and this script is let in, by their hashes: even if a text of a log became
    /// a tag, the browser would not run it, and there is nowhere it could send anything.
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
