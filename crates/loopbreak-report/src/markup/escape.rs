//! Escaping of text in a page.

use loopbreak::text::is_invisible;

/// Escapes text in a page.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => safe += "&amp;",
            '<' => safe += "&lt;",
            '>' => safe += "&gt;",
            '"' => safe += "&quot;",
            '\'' => safe += "&#39;",
            hidden if is_invisible(hidden) => safe.push(' '),
            other => safe.push(other),
        }
    }
    safe
}

/// Escapes JSON in a page. Characters that could end its element or start another occur only in strings, where JSON
/// can escape them.
pub(crate) fn escape_json(json: &str) -> String {
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
}
