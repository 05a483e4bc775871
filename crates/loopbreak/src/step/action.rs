//! Actions of an agent.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Error, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use super::{StepText, ToolAnnotations};

/// An action of the agent: a tool call, a shell command, a game command.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transform = super::schema::allow_text))]
pub struct Action<'a> {
    /// Name of the tool, or the whole command if there are no arguments.
    pub name: StepText<'a>,
    /// Arguments of the tool, any JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args: Option<ActionArgs<'a>>,
    /// Kind of action: `edit`, `read`, `run`, `search`, `wait`, `move` or `say`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<StepText<'a>>,
    /// Target of the action: a file, a test, a thing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<StepText<'a>>,
    /// Annotations of the tool, as its MCP server declares them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<ToolAnnotations>,
}

/// The arguments of an action, as the JSON text of the log.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct ActionArgs<'a>(Cow<'a, RawValue>);

impl<'a> Action<'a> {
    /// Creates an action without arguments.
    pub fn new(name: impl Into<StepText<'a>>) -> Self {
        Action { name: name.into(), ..Action::default() }
    }

    /// Returns whether the action has named or listed arguments, as opposed to a command in natural language.
    pub(crate) fn is_structured(&self) -> bool {
        let json = self.args.as_ref().map_or("", |args| args.json());
        json.starts_with(['{', '[']) && json != "{}"
    }

    /// Sets the arguments.
    #[must_use]
    pub fn with_args(mut self, args: &serde_json::Value) -> Self {
        self.args = serde_json::value::to_raw_value(args).ok().map(|raw| ActionArgs(Cow::Owned(raw)));
        self
    }

    /// Returns the action as one line of text: the name, then the arguments. A string argument is unquoted, other JSON is
    /// unchanged.
    pub fn line(&self) -> Cow<'_, str> {
        let args = self.args.as_ref().map_or(Cow::Borrowed(""), ActionArgs::as_text);
        if args.is_empty() {
            Cow::Borrowed(&self.name)
        } else if self.name.is_empty() {
            args
        } else {
            Cow::Owned(format!("{} {args}", self.name))
        }
    }

    /// Converts the action into one that owns its texts.
    pub fn into_owned(self) -> Action<'static> {
        Action {
            name: self.name.into_owned(),
            args: self.args.map(|args| ActionArgs(Cow::Owned(args.0.into_owned()))),
            kind: self.kind.map(StepText::into_owned),
            target: self.target.map(StepText::into_owned),
            annotations: self.annotations,
        }
    }
}

impl<'a> From<&'a RawValue> for ActionArgs<'a> {
    fn from(json: &'a RawValue) -> Self {
        ActionArgs(Cow::Borrowed(json))
    }
}

impl From<Box<RawValue>> for ActionArgs<'_> {
    fn from(json: Box<RawValue>) -> Self {
        ActionArgs(Cow::Owned(json))
    }
}

impl ActionArgs<'_> {
    /// Returns the JSON text.
    pub fn json(&self) -> &str {
        self.0.get()
    }

    /// Returns a string argument without quotes, an empty text for `null` and `{}`, and other JSON unchanged.
    pub fn as_text(&self) -> Cow<'_, str> {
        let json = self.json();
        match json.as_bytes() {
            b"null" | b"{}" => Cow::Borrowed(""),
            [b'"', middle @ .., b'"'] if !middle.contains(&b'\\') => Cow::Borrowed(&json[1..json.len() - 1]),
            [b'"', ..] => serde_json::from_str::<String>(json).map_or(Cow::Borrowed(json), Cow::Owned),
            _ => Cow::Borrowed(json),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Action<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ActionVisitor;
        impl<'de> Visitor<'de> for ActionVisitor {
            type Value = Action<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or an object with a name")
            }
            fn visit_borrowed_str<E: Error>(self, name: &'de str) -> Result<Action<'de>, E> {
                Ok(Action::new(name))
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<Action<'de>, E> {
                Ok(Action::new(name.to_owned()))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Action<'de>, A::Error> {
                let mut action = Action::default();
                while let Some(key) = map.next_key::<StepText<'de>>()? {
                    match &*key {
                        "name" => {
                            action.name = map.next_value::<Option<StepText<'de>>>()?.unwrap_or_default();
                        }
                        "args" => {
                            let raw: &'de RawValue = map.next_value()?;
                            action.args = (raw.get() != "null").then_some(ActionArgs(Cow::Borrowed(raw)));
                        }
                        "kind" => action.kind = map.next_value()?,
                        "target" => action.target = map.next_value()?,
                        "annotations" => action.annotations = map.next_value()?,
                        _ => _ = map.next_value::<IgnoredAny>()?,
                    }
                }
                Ok(action)
            }
        }
        deserializer.deserialize_any(ActionVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(json: &str) -> String {
        serde_json::from_str::<Action<'_>>(json).unwrap().line().into_owned()
    }

    #[test]
    fn an_action_is_a_string_or_an_object() {
        assert_eq!(line(r#""north""#), "north");
        assert_eq!(line(r#"{"name":"go","args":"north"}"#), "go north");
        assert_eq!(line(r#"{"name":"look","args":""}"#), "look");
        assert_eq!(line(r#"{"name":"look","args":{}}"#), "look");
        assert_eq!(line(r#"{"name":"look","args":null}"#), "look");
        assert_eq!(line(r#"{"name":"bash","args":{"command":"ls"}}"#), r#"bash {"command":"ls"}"#);
        assert_eq!(line(r#"{"args":"a\nb"}"#), "a\nb");
    }
}
