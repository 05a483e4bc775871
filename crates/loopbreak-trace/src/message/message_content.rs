//! The content of a message, in the forms that chat services share: a text, or a list of blocks.

use std::fmt;

use loopbreak::step::StepText;
use serde::de::{Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use xxhash_rust::xxh3::xxh3_64;

/// A text, a list of blocks, or one block.
#[derive(Debug, Default)]
pub(crate) enum MessageContent<'a> {
    /// No content.
    #[default]
    None,
    /// A text.
    Text(StepText<'a>),
    /// Blocks.
    Blocks(Vec<ContentBlock<'a>>),
}

/// A content block of any kind, with the keys of all kinds.
#[derive(Debug, Default)]
pub(crate) struct ContentBlock<'a> {
    /// Kind of the block.
    pub(crate) kind: StepText<'a>,
    /// Text.
    pub(crate) text: Option<StepText<'a>>,
    /// Id of a call.
    pub(crate) id: Option<StepText<'a>>,
    /// Name of the called tool.
    pub(crate) name: Option<StepText<'a>>,
    /// Arguments of the call.
    pub(crate) input: Option<&'a RawValue>,
    /// Id of the call that a result belongs to.
    pub(crate) tool_use_id: Option<StepText<'a>>,
    /// Content of a result.
    pub(crate) content: MessageContent<'a>,
    /// True if the call failed, false if it succeeded.
    pub(crate) is_error: Option<bool>,
    /// Image or file, as data or as an address.
    pub(crate) source: Option<&'a RawValue>,
}

impl<'a> MessageContent<'a> {
    /// Returns the content as blocks.
    pub(crate) fn into_blocks(self) -> Vec<ContentBlock<'a>> {
        match self {
            MessageContent::None => Vec::new(),
            MessageContent::Text(text) => {
                vec![ContentBlock { kind: "text".into(), text: Some(text), ..ContentBlock::default() }]
            }
            MessageContent::Blocks(blocks) => blocks,
        }
    }

    /// Returns the content as one text. An image is represented by its kind, size and checksum, so that equal images
    /// give equal texts.
    pub(crate) fn into_text(self) -> Option<StepText<'a>> {
        match self {
            MessageContent::None => None,
            MessageContent::Text(text) => Some(text),
            MessageContent::Blocks(mut blocks) if blocks.len() == 1 => {
                blocks.pop().and_then(ContentBlock::into_text)
            }
            MessageContent::Blocks(blocks) => {
                let mut all = String::new();
                for text in blocks.into_iter().filter_map(ContentBlock::into_text) {
                    if !all.is_empty() {
                        all.push('\n');
                    }
                    all.push_str(&text);
                }
                Some(all.into())
            }
        }
    }
}

impl<'a> ContentBlock<'a> {
    /// Returns the text of the block.
    fn into_text(self) -> Option<StepText<'a>> {
        if let Some(text) = self.text {
            return Some(text);
        }
        if let Some(source) = self.source {
            let data = source.get();
            let sum = xxh3_64(data.as_bytes()) % 100_000;
            return Some(format!("[{} of {} bytes, sum {sum}]", self.kind, data.len()).into());
        }
        self.content.into_text()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for MessageContent<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ContentVisitor;
        impl<'de> Visitor<'de> for ContentVisitor {
            type Value = MessageContent<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or a list of blocks")
            }
            fn visit_unit<E: Error>(self) -> Result<MessageContent<'de>, E> {
                Ok(MessageContent::None)
            }
            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<MessageContent<'de>, E> {
                Ok(MessageContent::Text(text.into()))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<MessageContent<'de>, E> {
                Ok(MessageContent::Text(text.to_owned().into()))
            }
            fn visit_bool<E: Error>(self, value: bool) -> Result<MessageContent<'de>, E> {
                Ok(MessageContent::Text(value.to_string().into()))
            }
            fn visit_i64<E: Error>(self, value: i64) -> Result<MessageContent<'de>, E> {
                Ok(MessageContent::Text(value.to_string().into()))
            }
            fn visit_u64<E: Error>(self, value: u64) -> Result<MessageContent<'de>, E> {
                Ok(MessageContent::Text(value.to_string().into()))
            }
            fn visit_f64<E: Error>(self, value: f64) -> Result<MessageContent<'de>, E> {
                Ok(MessageContent::Text(value.to_string().into()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<MessageContent<'de>, A::Error> {
                let mut blocks = Vec::new();
                while let Some(block) = list.next_element::<MessageContent<'de>>()? {
                    blocks.extend(block.into_blocks());
                }
                Ok(MessageContent::Blocks(blocks))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<MessageContent<'de>, A::Error> {
                Ok(MessageContent::Blocks(vec![block(map)?]))
            }
        }
        deserializer.deserialize_any(ContentVisitor)
    }
}

fn block<'de, A: MapAccess<'de>>(mut map: A) -> Result<ContentBlock<'de>, A::Error> {
    let mut block = ContentBlock::default();
    while let Some(key) = map.next_key::<StepText<'de>>()? {
        match &*key {
            "type" => block.kind = map.next_value::<Option<_>>()?.unwrap_or_default(),
            "text" => block.text = map.next_value()?,
            "id" => block.id = map.next_value()?,
            "name" => block.name = map.next_value()?,
            "input" => block.input = Some(map.next_value()?),
            "tool_use_id" => block.tool_use_id = map.next_value()?,
            "content" => block.content = map.next_value()?,
            "is_error" => block.is_error = map.next_value()?,
            "source" | "image_url" => block.source = Some(map.next_value()?),
            _ => _ = map.next_value::<IgnoredAny>()?,
        }
    }
    Ok(block)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(json: &str) -> Option<String> {
        serde_json::from_str::<MessageContent<'_>>(json).unwrap().into_text().map(|text| text.0.into_owned())
    }

    #[test]
    fn every_form_becomes_a_text() {
        assert_eq!(text("null"), None);
        assert_eq!(text(r#""a\nb""#).unwrap(), "a\nb");
        assert_eq!(text("3").unwrap(), "3");
        assert_eq!(text(r#"[{"type":"text","text":"a"},{"type":"text","text":"b"}]"#).unwrap(), "a\nb");
        assert_eq!(text(r#"["a","b"]"#).unwrap(), "a\nb");
        assert_eq!(text(r#"{"type":"text","text":"a","cache_control":null}"#).unwrap(), "a");
        assert_eq!(
            text(r#"[{"type":"tool_result","content":[{"type":"text","text":"in"}]}]"#).unwrap(),
            "in"
        );
        assert_eq!(text("[]").unwrap(), "");
    }

    #[test]
    fn images_are_equal_if_their_data_is() {
        let picture = |data: &str| {
            text(&format!(r#"[{{"type":"image","source":{{"type":"base64","data":"{data}"}}}}]"#)).unwrap()
        };
        assert_eq!(picture("AAAA"), picture("AAAA"));
        assert_ne!(picture("AAAA"), picture("AAAB"));
        assert!(picture("AAAA").starts_with("[image of "), "{}", picture("AAAA"));
    }
}
