//! What every page has: its head, its styles, what it may load, and how a text gets into it.

use std::fmt::Write as _;

use super::hash;

/// Colours, letters, tables, paper: the same on every page.
const STYLE: &str = include_str!("frame.css");

/// A page for a browser, without anything from elsewhere.
pub(crate) struct Page<'p> {
    pub(crate) title: &'p str,
    /// Beyond the styles that every page has.
    pub(crate) style: &'p str,
    /// The only program that may run in it.
    pub(crate) script: Option<&'p str>,
    /// What stands between the tags of the body.
    pub(crate) body: &'p str,
}

impl Page<'_> {
    /// The whole file. Nothing but this style and this script is let in, by their hashes: even if a text of a log became
    /// a tag, the browser would not run it, and there is nowhere it could send anything.
    pub(crate) fn write(&self) -> String {
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

/// Text in a page.
pub(crate) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => safe += "&amp;",
            '<' => safe += "&lt;",
            '>' => safe += "&gt;",
            '"' => safe += "&quot;",
            '\'' => safe += "&#39;",
            control if control.is_control() => safe.push(' '),
            other => safe.push(other),
        }
    }
    safe
}

/// JSON inside a page. Signs that could end its element, or begin another, stand only in texts, where JSON knows another
/// way to write them.
pub(super) fn escape_json(json: &str) -> String {
    let mut safe = String::with_capacity(json.len() + json.len() / 50);
    for char in json.chars() {
        match char {
            '<' => safe += "\\u003c",
            '>' => safe += "\\u003e",
            '&' => safe += "\\u0026",
            '\u{2028}' => safe += "\\u2028",
            '\u{2029}' => safe += "\\u2029",
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_show_logs_as_text_and_not_as_page() {
        assert_eq!(escape("<b a='1'>&\"\u{1b}"), "&lt;b a=&#39;1&#39;&gt;&amp;&quot; ");
    }

    #[test]
    fn json_in_a_page_cannot_end_its_element_and_stays_the_same_json() {
        let texts =
            ["</script><script>alert(1)</script>", "<!--<script>", "a\"b\\u003c'&amp;", "\u{2028}\u{0}"];
        for text in texts {
            let json = serde_json::to_string(text).unwrap();
            let safe = escape_json(&json);
            assert!(!safe.contains(['<', '>', '&', '\u{2028}']), "{safe}");
            assert_eq!(serde_json::from_str::<String>(&safe).unwrap(), text);
        }
    }

    #[test]
    fn a_page_without_a_script_lets_none_run() {
        let page = Page { title: "A & B", style: "", script: None, body: "" }.write();
        assert!(page.contains("<title>A &amp; B</title>"));
        assert!(page.contains("default-src 'none'; style-src 'sha256-") && !page.contains("script-src"));
    }
}
