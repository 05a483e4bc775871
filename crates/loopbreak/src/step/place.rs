//! Places of the agent.

use std::fmt;

use serde::de::{Error, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::{Label, StepText};

/// The place of the agent after the step.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transform = super::schema::allow_text))]
pub struct Place<'a> {
    /// Stable id of the place. If it is absent, the name identifies the place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Label<'a>>,
    /// Name of the place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<StepText<'a>>,
    /// Exits of the place that are known to the agent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<StepText<'a>>>"))]
    pub exits: Vec<StepText<'a>>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Place<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PlaceVisitor;
        impl<'de> Visitor<'de> for PlaceVisitor {
            type Value = Place<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or an object with an id or a name")
            }
            fn visit_borrowed_str<E: Error>(self, name: &'de str) -> Result<Place<'de>, E> {
                Ok(Place { name: Some(name.into()), ..Place::default() })
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<Place<'de>, E> {
                Ok(Place { name: Some(name.to_owned().into()), ..Place::default() })
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Place<'de>, A::Error> {
                let mut place = Place::default();
                while let Some(key) = map.next_key::<StepText<'de>>()? {
                    match &*key {
                        "id" => place.id = map.next_value()?,
                        "name" => place.name = map.next_value()?,
                        "exits" => {
                            place.exits = map.next_value::<Option<Vec<StepText<'de>>>>()?.unwrap_or_default();
                        }
                        _ => _ = map.next_value::<IgnoredAny>()?,
                    }
                }
                Ok(place)
            }
        }
        deserializer.deserialize_any(PlaceVisitor)
    }
}
