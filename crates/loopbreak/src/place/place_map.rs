//! The map, learned from the steps: the destinations of exits, and the exits that were not tried.

use serde::{Deserialize, Serialize};

use crate::memory::{HashKey, LruMap, key_of};
use crate::step::Place;
use crate::text::clip::{clip_escaped, escaped_len};

/// Maximum number of places that a guard remembers. The size of the snapshot may allow fewer. The least
/// recently used places are dropped first.
const MOST_PLACES: usize = 4_096;
/// Length limit of a name, in bytes. Names are only displayed.
const NAME_BYTES: usize = 48;
const EXITS_PER_PLACE: usize = 16;

/// Places and the exits between them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct PlaceMap {
    rooms: LruMap<MappedPlace>,
    bytes: usize,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct MappedPlace {
    #[serde(rename = "i", default, skip_serializing_if = "Option::is_none")]
    number: Option<i64>,
    #[serde(rename = "n")]
    name: String,
    #[serde(rename = "x", default, skip_serializing_if = "Vec::is_empty")]
    exits: Vec<PlaceExit>,
    /// True if the steps list the exits of the place. Then there are no others.
    #[serde(rename = "l", default, skip_serializing_if = "std::ops::Not::not")]
    told: bool,
}

/// An exit of a place: listed by a step, or tried.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct PlaceExit {
    #[serde(rename = "w")]
    way: String,
    #[serde(rename = "t", default, skip_serializing_if = "Option::is_none")]
    to: Option<HashKey>,
    /// True if it was tried, with any result. A locked door is not unexplored, and has no known destination.
    #[serde(rename = "y", default, skip_serializing_if = "std::ops::Not::not")]
    tried: bool,
}

impl PlaceMap {
    /// Returns the key of a place: of its id, or of its name if it has no id.
    pub(crate) fn key(place: &Place<'_>) -> Option<HashKey> {
        match (&place.id, &place.name) {
            (Some(id), _) => Some(key_of(&id.as_text())),
            (None, Some(name)) => Some(key_of(name)),
            (None, None) => None,
        }
    }

    /// Records that the agent is at a place, and the exits that the step lists.
    pub(crate) fn arrive(&mut self, place: &Place<'_>) -> Option<HashKey> {
        let key = PlaceMap::key(place)?;
        let number = match &place.id {
            Some(crate::step::Label::Number(number)) => Some(*number),
            _ => None,
        };
        let mut grown = 0;
        let room = self.rooms.touch_or_insert(key, || {
            let name = match (&place.name, &place.id) {
                (Some(name), _) => clip_escaped(name, NAME_BYTES).to_owned(),
                (None, Some(crate::step::Label::Text(id))) => clip_escaped(id, NAME_BYTES).to_owned(),
                _ => String::new(),
            };
            let room = MappedPlace { number, name, exits: Vec::new(), told: false };
            grown += room.bytes();
            room
        });
        room.told |= !place.exits.is_empty();
        for exit in &place.exits {
            grown += room.learn(exit, None, false);
        }
        self.grow(grown);
        Some(key)
    }

    /// Records that an exit of `from` was tried and led to `to`.
    pub(crate) fn walked(&mut self, from: HashKey, way: &str, to: HashKey) {
        let Some(room) = self.rooms.touch(from) else { return };
        // The same place is not a destination, because the door may open later.
        let grown = room.learn(way, (from != to).then_some(to), true);
        self.grow(grown);
        // The destination stays the most recently used place.
        self.rooms.touch(to);
    }

    /// Returns the last known destination of an exit of `from`, if it is still remembered.
    pub(crate) fn leads_to(&self, from: HashKey, way: &str) -> Option<HashKey> {
        let exit = self.rooms.peek(from)?.exits.iter().find(|exit| exit.way == way)?;
        exit.to.filter(|to| self.rooms.peek(*to).is_some())
    }

    /// Returns whether the only known exit of `from` leads to this place. An untried exit may lead elsewhere.
    /// An exit that led nowhere does not count. Returns `false` if the steps do not list the exits.
    pub(crate) fn is_only_way(&self, from: HashKey, to: HashKey) -> bool {
        let Some(room) = self.rooms.peek(from).filter(|room| room.told) else { return false };
        room.exits.iter().all(|exit| exit.to == Some(to) || (exit.tried && exit.to.is_none()))
    }

    /// Returns the listed exits of a place that were not tried.
    pub(crate) fn unexplored(&self, from: HashKey) -> Vec<&str> {
        let room = self.rooms.peek(from);
        room.map_or_else(Vec::new, |room| {
            room.exits.iter().filter(|exit| !exit.tried).map(|exit| exit.way.as_str()).collect()
        })
    }

    /// Returns the display name of a place, or `Location_<id>` for one that has only a number.
    pub(crate) fn name(&self, key: HashKey) -> String {
        match self.rooms.peek(key) {
            Some(MappedPlace { name, .. }) if !name.is_empty() => name.clone(),
            Some(MappedPlace { number: Some(number), .. }) => format!("Location_{number}"),
            _ => format!("Location_{}", key.0),
        }
    }

    /// Returns the id of a place for display: its number, or else its name.
    pub(crate) fn id(&self, key: HashKey) -> serde_json::Value {
        match self.rooms.peek(key) {
            Some(MappedPlace { number: Some(number), .. }) => (*number).into(),
            _ => self.name(key).into(),
        }
    }

    fn grow(&mut self, bytes: usize) {
        self.bytes += bytes;
        while self.rooms.len() > MOST_PLACES {
            self.forget_oldest();
        }
    }

    /// Returns the upper bound of the snapshot size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        40 + self.bytes
    }

    /// Drops places until the map fits into this many bytes of a snapshot. Keeps the current place.
    pub(crate) fn fit(&mut self, bytes: usize) {
        while self.bytes() > bytes && self.rooms.len() > 1 {
            self.forget_oldest();
        }
    }

    fn forget_oldest(&mut self) {
        if let Some((_, room)) = self.rooms.pop_oldest() {
            self.bytes = self.bytes.saturating_sub(room.bytes());
        }
    }
}

impl MappedPlace {
    /// Records an exit. Returns the bytes that it adds.
    fn learn(&mut self, way: &str, to: Option<HashKey>, tried: bool) -> usize {
        // The usual case: the steps list the same exits in the same words each time.
        if to.is_none() && !tried && self.exits.iter().any(|exit| exit.way == way) {
            return 0;
        }
        let way = super::movement_direction(way)
            .unwrap_or_else(|| crate::text::normalize::normalize_whitespace_case(way));
        let way = clip_escaped(&way, NAME_BYTES);
        if let Some(exit) = self.exits.iter_mut().find(|exit| exit.way == way) {
            exit.tried |= tried;
            exit.to = to.or(exit.to);
            return 0;
        }
        if self.exits.len() == EXITS_PER_PLACE {
            return 0;
        }
        let exit = PlaceExit { way: way.to_owned(), to, tried };
        let bytes = exit.bytes();
        self.exits.push(exit);
        bytes
    }

    /// Returns the upper bound of the snapshot size in bytes.
    fn bytes(&self) -> usize {
        69 + escaped_len(&self.name) + self.exits.iter().map(PlaceExit::bytes).sum::<usize>()
    }
}

impl PlaceExit {
    fn bytes(&self) -> usize {
        44 + escaped_len(&self.way)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(json: &str) -> Place<'_> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn a_used_exit_predicts_its_destination_and_an_untried_one_is_unexplored() {
        let mut map = PlaceMap::default();
        let dam = map.arrive(&place(r#"{"id":20,"name":"Dam","exits":["north","s","east"]}"#)).unwrap();
        let lobby = map.arrive(&place(r#"{"id":15,"name":"Lobby"}"#)).unwrap();
        map.walked(dam, "north", lobby);
        assert_eq!(map.leads_to(dam, "north"), Some(lobby));
        assert_eq!(map.leads_to(dam, "south"), None);
        assert_eq!(map.unexplored(dam), ["south", "east"]);
    }

    #[test]
    fn an_exit_that_led_nowhere_is_tried_but_has_no_destination() {
        let mut map = PlaceMap::default();
        let dam = map.arrive(&place(r#"{"id":20,"exits":["north"]}"#)).unwrap();
        map.walked(dam, "north", dam);
        assert_eq!(map.leads_to(dam, "north"), None);
        assert!(map.unexplored(dam).is_empty());
    }

    #[test]
    fn a_number_and_its_digits_are_one_place_and_a_place_without_a_name_is_named_by_its_id() {
        let mut map = PlaceMap::default();
        let number = map.arrive(&place(r#"{"id":20}"#)).unwrap();
        assert_eq!(map.arrive(&place(r#"{"id":"20"}"#)), Some(number));
        assert_eq!(map.name(number), "Location_20");
        assert_eq!(map.id(number), 20);
    }

    #[test]
    fn the_map_stays_inside_its_bytes_and_forgets_the_least_recently_used() {
        let mut map = PlaceMap::default();
        let first = map.arrive(&place(r#"{"id":0}"#)).unwrap();
        let mut last = first;
        for id in 1..20_000 {
            let text =
                format!(r#"{{"id":{id},"name":"room \"{id}\" of many","exits":["north","south","up"]}}"#);
            let here = map.arrive(&place(&text)).unwrap();
            map.walked(last, "north", here);
            map.fit(20_000);
            last = here;
        }
        assert!(serde_json::to_string(&map).unwrap().len() <= 20_000);
        assert!(map.rooms.peek(first).is_none());
        assert!(map.rooms.peek(last).is_some());
        assert!(map.rooms.len() > 80, "{}", map.rooms.len());
    }
}
