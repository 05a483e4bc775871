//! The shape of an action on a page element. The id of an element changes with every load of the page, so the
//! same click looks different each time.

use std::borrow::Cow;

use super::arguments::{fields, items, text};
use super::normalized_json::read_json;
use crate::memory::{HashKey, key_of_lower, key_of_parts};
use crate::step::Action;

/// An action without the ids of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ActionShape {
    pub(crate) key: HashKey,
    /// True if an id was left out.
    pub(crate) masked: bool,
    /// True if something distinguishes it from others of its shape, such as a typed text or an address.
    pub(crate) telling: bool,
}

/// Names of arguments that hold the id of an element.
const ELEMENTS: [&str; 9] =
    ["bid", "element", "element_id", "elementid", "ref", "index", "node", "node_id", "uid"];
/// Length limit of an id.
const LONGEST_ID: usize = 8;
/// Number of letters besides the ids that distinguish an action from others of its shape.
const TELLING: usize = 3;

impl ActionShape {
    /// Returns the shape of an action in its canonical form.
    pub(crate) fn from_action(action: &Action<'_>) -> Self {
        let mut shape = ShapeBuilder { key: key_of_lower(&action.name), ids: 0, letters: 0 };
        if let Some(args) = &action.args {
            shape.arguments(args.json());
        }
        ActionShape { key: shape.key, masked: shape.ids > 0, telling: shape.letters >= TELLING }
    }
}

/// A shape under construction.
struct ShapeBuilder {
    key: HashKey,
    ids: u32,
    letters: usize,
}

impl ShapeBuilder {
    fn add(&mut self, piece: &str, is_id: bool) {
        self.ids += u32::from(is_id);
        let piece = if is_id { "" } else { piece };
        self.letters += piece.chars().filter(|c| c.is_alphabetic()).count();
        self.key = key_of_parts(&[self.key, key_of_lower(piece)]);
    }

    fn arguments(&mut self, json: &str) {
        match json.as_bytes().first() {
            // Numbers without quotes are amounts, never ids.
            Some(b'[') => items(json).for_each(|item| match text(item) {
                Some(text) => self.add(&text, is_id(&text)),
                None => self.add(item, false),
            }),
            Some(b'"') => {
                let text = text(json).unwrap_or_default();
                self.add(&text, is_id(&text));
            }
            Some(b'{') => self.object(json),
            _ => self.add(json, false),
        }
    }

    fn object(&mut self, json: &str) {
        let mut args: Vec<_> = fields(json).collect();
        args.sort_by(|(left, _), (right, _)| left.cmp(right));
        for (name, value) in args {
            if value.starts_with(['{', '[']) {
                self.key = key_of_parts(&[self.key, key_of_lower(&name), read_json(value, &[]).key]);
                self.letters += value.bytes().filter(u8::is_ascii_alphabetic).count();
                continue;
            }
            let text = text(value).unwrap_or(Cow::Borrowed(value));
            // A number is the position of an argument without a name.
            let is_element = is_element_name(&name) || name.bytes().all(|byte| byte.is_ascii_digit());
            self.key = key_of_parts(&[self.key, key_of_lower(&name)]);
            self.add(&text, is_element && is_id(&text));
        }
    }
}

/// Returns whether an argument with this name holds the id of an element.
fn is_element_name(name: &str) -> bool {
    ELEMENTS.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Names of arguments, besides those of elements, that hold the field that a value is put into.
const FIELDS: [&str; 4] = ["0", "selector", "field", "label"];
/// Words in the names of tools that put a value into a field.
const FILLING: [&str; 6] = ["fill", "type", "input", "select", "set", "enter"];

/// Returns the key of the field that an action puts a value into: its tool and its first argument, which is the id of
/// the element. `None` if the action does something else.
pub(crate) fn element_key(action: &Action<'_>) -> Option<HashKey> {
    let fills = super::words_of(&action.name)
        .any(|word| FILLING.iter().any(|known| word.eq_ignore_ascii_case(known)));
    if !fills {
        return None;
    }
    let json = action.args.as_ref()?.json();
    let element = if json.starts_with('[') {
        let mut list = items(json);
        let first = list.next().and_then(text)?;
        list.next()?;
        first
    } else {
        // The first name in alphabetical order wins, so that the order of the arguments does not matter.
        let is_field = |name: &str| is_element_name(name) || FIELDS.contains(&name);
        let named = fields(json).filter(|(name, _)| is_field(name));
        let (_, value) = named.min_by(|(left, _), (right, _)| left.cmp(right))?;
        fields(json).nth(1)?;
        Cow::Borrowed(value)
    };
    Some(key_of_parts(&[key_of_lower(&action.name), key_of_lower(&element)]))
}

/// Returns whether a piece is the id of an element: `237`, `a51`, `e23`.
fn is_id(piece: &str) -> bool {
    let letters = piece.bytes().take_while(u8::is_ascii_alphabetic).count();
    let digits = piece.len() - letters;
    piece.len() <= LONGEST_ID
        && letters <= 2
        && digits > 0
        && piece.bytes().skip(letters).all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::canonical_action;
    use proptest::prelude::*;

    fn shape(action: &str) -> ActionShape {
        let action: Action<'_> = serde_json::from_str(action).unwrap();
        ActionShape::from_action(canonical_action(&action).as_ref().unwrap_or(&action))
    }

    #[test]
    fn ids_of_elements_are_ignored() {
        for (left, right) in [
            (r#""click('237')""#, r#""click('a51')""#),
            (r#""fill('12', 'red shoes')""#, r#""fill('9031', 'red shoes')""#),
            (r#""type [130] [red shoes] [1]""#, r#""type [7] [red shoes] [1]""#),
            (r#"{"name":"click","args":{"bid":"237"}}"#, r#"{"name":"click","args":{"bid":"a9"}}"#),
            (
                r#"{"name":"type","args":{"index":3,"text":"shoes"}}"#,
                r#"{"name":"type","args":{"text":"shoes","index":31}}"#,
            ),
        ] {
            assert!(shape(left).masked, "{left}");
            assert_eq!(shape(left), shape(right), "{left} {right}");
        }
    }

    #[test]
    fn typed_text_and_tool_are_part_of_the_shape() {
        let all = [
            r#""click('237')""#,
            r#""hover('237')""#,
            r#""click('237', button='right')""#,
            r#""fill('237', 'red shoes')""#,
            r#""fill('237', 'blue shoes')""#,
            r#"{"name":"type","args":{"index":3,"text":"shoes"}}"#,
            r#"{"name":"type","args":{"index":3,"text":"socks"}}"#,
        ];
        for (index, left) in all.iter().enumerate() {
            for right in &all[index + 1..] {
                assert_ne!(shape(left), shape(right), "{left} {right}");
            }
        }
        assert!(shape(all[3]).telling && !shape(all[0]).telling);
    }

    #[test]
    fn an_action_without_an_element_is_unchanged() {
        for action in [
            r#""scroll(0, 200)""#,
            r#""goto('https://example.org/a1')""#,
            r#""north""#,
            r#""noop(1000)""#,
            r#"{"name":"read","args":{"path":"a.rs","offset":40}}"#,
        ] {
            assert!(!shape(action).masked, "{action}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(name in ".{0,60}", args in ".{0,60}") {
            for action in [Action::new(name.as_str()), Action::new(format!("click({args})"))] {
                ActionShape::from_action(canonical_action(&action).as_ref().unwrap_or(&action));
            }
        }
    }
}
