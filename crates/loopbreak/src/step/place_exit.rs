//! Exits of a place.

use std::fmt;

use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{PlaceRef, StepText};

/// An exit of a place. In JSON it is a name, or an object with a name and a destination.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlaceExit<'a> {
    /// Name of the exit: a direction, or what the agent has to do, such as `enter window`.
    pub name: StepText<'a>,
    /// Destination of the exit, if the caller's map has it. It takes precedence over the destination that the guard
    /// learns from the moves of the agent.
    pub to: Option<PlaceRef<'a>>,
}

impl<'a> PlaceExit<'a> {
    /// Creates an exit with a known destination.
    pub fn new(name: impl Into<StepText<'a>>, to: PlaceRef<'a>) -> Self {
        PlaceExit { name: name.into(), to: Some(to) }
    }
}

impl<'a> From<StepText<'a>> for PlaceExit<'a> {
    fn from(name: StepText<'a>) -> Self {
        PlaceExit { name, to: None }
    }
}

impl<'a> From<&'a str> for PlaceExit<'a> {
    fn from(name: &'a str) -> Self {
        StepText::from(name).into()
    }
}

impl From<String> for PlaceExit<'_> {
    fn from(name: String) -> Self {
        StepText::from(name).into()
    }
}

impl Serialize for PlaceExit<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(to) = &self.to else { return self.name.serialize(serializer) };
        let mut exit = serializer.serialize_struct("PlaceExit", 2)?;
        exit.serialize_field("name", &self.name)?;
        exit.serialize_field("to", to)?;
        exit.end()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for PlaceExit<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ExitVisitor;
        impl<'de> Visitor<'de> for ExitVisitor {
            type Value = PlaceExit<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or an object with a name")
            }
            fn visit_borrowed_str<E: Error>(self, name: &'de str) -> Result<PlaceExit<'de>, E> {
                Ok(name.into())
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<PlaceExit<'de>, E> {
                Ok(name.to_owned().into())
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<PlaceExit<'de>, A::Error> {
                let mut exit = PlaceExit::default();
                while let Some(key) = map.next_key::<StepText<'de>>()? {
                    match &*key {
                        "name" => exit.name = map.next_value::<Option<_>>()?.unwrap_or_default(),
                        "to" => exit.to = map.next_value()?,
                        _ => _ = map.next_value::<IgnoredAny>()?,
                    }
                }
                Ok(exit)
            }
        }
        deserializer.deserialize_any(ExitVisitor)
    }
}

/// Reads the exits of a place: a list, an object from names to destinations, or `null`.
pub(super) struct ExitsSeed;

impl<'de> DeserializeSeed<'de> for ExitsSeed {
    type Value = Vec<PlaceExit<'de>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ExitsSeed {
    type Value = Vec<PlaceExit<'de>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of exits, or an object with their destinations")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Vec::new())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut exits = Vec::new();
        while let Some(exit) = list.next_element()? {
            exits.push(exit);
        }
        Ok(exits)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut exits = Vec::new();
        while let Some((name, to)) = map.next_entry()? {
            exits.push(PlaceExit { name, to });
        }
        Ok(exits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::Place;

    fn exits(json: &str) -> Vec<PlaceExit<'_>> {
        serde_json::from_str::<Place<'_>>(json).unwrap().exits
    }

    #[test]
    fn exits_are_a_list_of_names_or_objects_or_an_object_with_destinations() {
        let north = PlaceExit::new("north", PlaceRef::from_id(15));
        let south = PlaceExit::from("south");
        assert_eq!(exits(r#"{"exits":["north","south"]}"#), ["north".into(), south.clone()]);
        let both = [north, south];
        assert_eq!(exits(r#"{"exits":[{"name":"north","to":15},"south"]}"#), both);
        assert_eq!(
            exits(r#"{"exits":[{"name":"north","to":{"id":15},"door":1},{"name":"south","to":null}]}"#),
            both
        );
        assert_eq!(exits(r#"{"exits":{"north":15,"south":null}}"#), both);
        assert_eq!(exits(r#"{"exits":{}}"#), []);
        assert_eq!(exits(r#"{"exits":null}"#), []);
        for json in [r#"{"exits":"north"}"#, r#"{"exits":[1]}"#, r#"{"exits":{"north":[]}}"#] {
            assert!(serde_json::from_str::<Place<'_>>(json).is_err(), "{json}");
        }
    }

    #[test]
    fn exits_are_written_as_they_were_before_unless_they_have_a_destination() {
        let json = r#"{"id":20,"exits":["north",{"name":"up","to":"Attic"}]}"#;
        let place: Place<'_> = serde_json::from_str(json).unwrap();
        assert_eq!(serde_json::to_string(&place.into_owned()).unwrap(), json);
    }
}
