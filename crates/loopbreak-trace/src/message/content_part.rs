//! Parts of messages as the Gemini API writes them: texts, calls of functions, and their results.

use loopbreak::step::StepText;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::MessageContent;

/// A part of a message.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ContentPart<'a> {
    /// Text.
    #[serde(borrow)]
    pub(crate) text: Option<StepText<'a>>,
    /// True if the text is a thought.
    pub(crate) thought: Option<bool>,
    /// A call.
    #[serde(borrow, rename = "functionCall")]
    pub(crate) call: Option<FunctionCall<'a>>,
    /// The result of a call.
    #[serde(borrow, rename = "functionResponse")]
    pub(crate) response: Option<FunctionResponse<'a>>,
}

/// The call of a function.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct FunctionCall<'a> {
    #[serde(borrow)]
    pub(crate) id: Option<StepText<'a>>,
    #[serde(borrow)]
    pub(crate) name: Option<StepText<'a>>,
    #[serde(borrow)]
    pub(crate) args: Option<&'a RawValue>,
}

/// The result of a call.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct FunctionResponse<'a> {
    #[serde(borrow)]
    pub(crate) id: Option<StepText<'a>>,
    #[serde(borrow)]
    pub(crate) response: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ResponseKeys<'a> {
    #[serde(borrow)]
    output: Option<MessageContent<'a>>,
    #[serde(borrow)]
    error: Option<MessageContent<'a>>,
}

impl<'a> ContentPart<'a> {
    /// Returns the text of a part of a result: the response of the function, or the text.
    pub(crate) fn into_result_text(self) -> Option<StepText<'a>> {
        let Some(response) = self.response.and_then(|function| function.response) else { return self.text };
        match serde_json::from_str::<ResponseKeys<'_>>(response.get()) {
            Ok(ResponseKeys { output: None, error: None }) | Err(_) => Some(response.get().into()),
            Ok(known) => known.error.or(known.output).and_then(MessageContent::into_text),
        }
    }
}

/// Returns the text of a result: that of its parts, or the content itself.
pub(crate) fn result_text(json: &RawValue) -> Option<StepText<'_>> {
    let Ok(parts) = serde_json::from_str::<Vec<ContentPart<'_>>>(json.get()) else {
        return serde_json::from_str::<MessageContent<'_>>(json.get())
            .ok()
            .and_then(MessageContent::into_text);
    };
    join_texts(parts.into_iter().filter_map(ContentPart::into_result_text))
}

/// Joins texts with line breaks.
pub(crate) fn join_texts<'a>(texts: impl Iterator<Item = StepText<'a>>) -> Option<StepText<'a>> {
    let mut texts: Vec<StepText<'a>> = texts.collect();
    if texts.len() < 2 {
        return texts.pop();
    }
    Some(texts.iter().map(|text| &**text).collect::<Vec<_>>().join("\n").into())
}
