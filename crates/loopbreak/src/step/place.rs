//! Places of the agent.

use std::fmt;

use serde::de::{Error, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::place_exit::ExitsSeed;
use super::{Label, PlaceExit, StepText};

/// The place of the agent after the step.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transform = super::schema::allow_label))]
pub struct Place<'a> {
    /// Stable id of the place. If it is absent, the name identifies the place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Label<'a>>,
    /// Name of the place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<StepText<'a>>,
    /// Exits of the place that are known to the agent, with their destinations if the caller has a map.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "super::schema::exits"))]
    pub exits: Vec<PlaceExit<'a>>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Place<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PlaceVisitor;
        impl<'de> Visitor<'de> for PlaceVisitor {
            type Value = Place<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name, a number, or an object with an id or a name")
            }
            fn visit_borrowed_str<E: Error>(self, name: &'de str) -> Result<Place<'de>, E> {
                Ok(Place { name: Some(name.into()), ..Place::default() })
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<Place<'de>, E> {
                Ok(Place { name: Some(name.to_owned().into()), ..Place::default() })
            }
            fn visit_i64<E: Error>(self, id: i64) -> Result<Place<'de>, E> {
                Ok(Place { id: Some(id.into()), ..Place::default() })
            }
            fn visit_u64<E: Error>(self, id: u64) -> Result<Place<'de>, E> {
                Ok(Place { id: Some(Label::from_number(id)), ..Place::default() })
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Place<'de>, A::Error> {
                let mut place = Place::default();
                while let Some(key) = map.next_key::<StepText<'de>>()? {
                    match &*key {
                        "id" => place.id = map.next_value()?,
                        "name" => place.name = map.next_value()?,
                        "exits" => place.exits = map.next_value_seed(ExitsSeed)?,
                        _ => _ = map.next_value::<IgnoredAny>()?,
                    }
                }
                Ok(place)
            }
        }
        deserializer.deserialize_any(PlaceVisitor)
    }
}

/// Another place than the current one, such as the destination of a move. In JSON it is a name, a number that is its
/// id, or an object with both.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlaceRef<'a> {
    /// Id of the place. If it is absent, the name identifies the place.
    pub id: Option<Label<'a>>,
    /// Name of the place.
    pub name: Option<StepText<'a>>,
}

impl<'a> PlaceRef<'a> {
    /// Refers to a place by its id.
    pub fn from_id(id: impl Into<Label<'a>>) -> Self {
        PlaceRef { id: Some(id.into()), name: None }
    }

    /// Refers to a place by its name.
    pub fn from_name(name: impl Into<StepText<'a>>) -> Self {
        PlaceRef { id: None, name: Some(name.into()) }
    }
}

impl<'a> From<Place<'a>> for PlaceRef<'a> {
    fn from(place: Place<'a>) -> Self {
        PlaceRef { id: place.id, name: place.name }
    }
}

impl Serialize for PlaceRef<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (&self.id, &self.name) {
            (None, Some(name)) => name.serialize(serializer),
            (Some(Label::Number(number)), None) => serializer.serialize_i64(*number),
            (id, name) => {
                let place = Place { id: id.clone(), name: name.clone(), exits: Vec::new() };
                place.serialize(serializer)
            }
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for PlaceRef<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Place::deserialize(deserializer).map(PlaceRef::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_name_a_number_or_an_object() {
        let read = |json: &'static str| PlaceRef::from(serde_json::from_str::<Place<'_>>(json).unwrap());
        assert_eq!(read(r#""Dam""#), PlaceRef::from_name("Dam"));
        assert_eq!(read("20"), PlaceRef::from_id(20));
        assert_eq!(read("-1"), PlaceRef::from_id(-1));
        assert_eq!(read(r#"{"id":20,"name":null}"#), PlaceRef::from_id(20));
        assert!(serde_json::from_str::<Place<'_>>("1.5").is_err());
    }

    #[test]
    fn a_reference_is_written_in_its_shortest_form() {
        for json in [r#""Dam""#, "20", r#"{"id":"20"}"#, r#"{"id":20,"name":"Dam"}"#] {
            let place: PlaceRef<'_> = serde_json::from_str(json).unwrap();
            assert_eq!(serde_json::to_string(&place).unwrap(), json);
        }
    }
}
