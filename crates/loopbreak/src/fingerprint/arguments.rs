//! Single arguments of an action, read without keeping the rest.

use std::borrow::Cow;
use std::fmt;

use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// Longer texts are no names of anything.
const LONGEST: usize = 4096;

/// The first text among the arguments, in the order of the names given, that stands under one of these names.
pub(super) fn text_under(json: &str, names: &[impl AsRef<str>]) -> Option<String> {
    if !json.starts_with('{') {
        return None;
    }
    let texts: Texts<'_> = serde_json::from_str(json).ok()?;
    names.iter().find_map(|name| {
        let known = texts.0.iter().find(|(key, _)| key.eq_ignore_ascii_case(name.as_ref()));
        known.map(|(_, text)| text.to_string())
    })
}

/// How many arguments are looked at.
const ARGUMENTS: usize = 32;

/// The short texts that stand directly among the arguments, with their names.
struct Texts<'j>(Vec<(Cow<'j, str>, Cow<'j, str>)>);

/// A text, or anything else.
#[derive(Deserialize)]
#[serde(untagged)]
enum Argument<'j> {
    Text(#[serde(borrow)] Cow<'j, str>),
    Other(IgnoredAny),
}

impl<'de> Deserialize<'de> for Texts<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Texts<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Texts<'de>, A::Error> {
                let mut texts = Vec::new();
                while let Some(key) = map.next_key::<Cow<'de, str>>()? {
                    if let Argument::Text(text) = map.next_value()?
                        && texts.len() < ARGUMENTS
                        && text.len() <= LONGEST
                    {
                        texts.push((key, text));
                    }
                }
                Ok(Texts(texts))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_name_that_has_a_text_decides() {
        let json = r#"{"limit":3,"path":"src","file_path":"a\n.rs","nested":{"url":"x"}}"#;
        assert_eq!(text_under(json, &["file_path", "path"]).as_deref(), Some("a\n.rs"));
        assert_eq!(text_under(json, &["path"]).as_deref(), Some("src"));
        assert_eq!(text_under(json, &["Path"]).as_deref(), Some("src"));
        assert_eq!(text_under(json, &["limit", "url"]), None);
        for odd in ["", "{", "\"path\"", "[1]", "null", "{\"path\":"] {
            assert_eq!(text_under(odd, &["path"]), None, "{odd}");
        }
    }
}
