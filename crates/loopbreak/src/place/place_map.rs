//! The map, learned from the steps or told by them: the destinations of exits, and the exits that were not tried.

use serde::{Deserialize, Serialize};

use super::exit_marks::ExitMarks;
use crate::memory::{
    BoundedList, HashKey, LruMap, MeasuredText, SnapshotSize, key_of, key_of_lower, snapshot_type,
};
use crate::step::{Label, Place, PlaceRef};
use crate::text::clip::clip_escaped;
use crate::text::clip_masked;

/// Maximum number of places that a guard remembers. The size of the snapshot may allow fewer. The least
/// recently used places are dropped first.
const MOST_PLACES: usize = 4_096;
/// Length limit of a name, in bytes. Names are only displayed.
const NAME_BYTES: usize = 48;
const EXITS_PER_PLACE: usize = 16;

type MappedPlaces = LruMap<MappedPlace, MOST_PLACES>;

/// Places and the exits between them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct PlaceMap {
    rooms: MappedPlaces,
    /// Upper bound of the snapshot size of the places. There are too many of them to measure all at each step.
    bytes: usize,
}

snapshot_type! {
    #[derive(Clone, Debug)]
    struct MappedPlace {
        #[serde(rename = "i", default, skip_serializing_if = "Option::is_none")]
        number: Option<i64>,
        #[serde(rename = "n")]
        name: MeasuredText<NAME_BYTES>,
        #[serde(rename = "x", default, skip_serializing_if = "<[_]>::is_empty")]
        exits: BoundedList<MappedExit, EXITS_PER_PLACE>,
        /// True if the steps list the exits of the place. Then there are no others.
        #[serde(rename = "l", default, skip_serializing_if = "std::ops::Not::not")]
        told: bool,
    }
}

snapshot_type! {
    /// An exit of a place: listed by a step, or tried.
    #[derive(Clone, Debug)]
    struct MappedExit {
        #[serde(rename = "w")]
        way: MeasuredText<NAME_BYTES>,
        #[serde(rename = "t", default, skip_serializing_if = "Option::is_none")]
        to: Option<HashKey>,
        #[serde(rename = "y", default, skip_serializing_if = "ExitMarks::is_empty")]
        marks: ExitMarks,
    }
}

impl PlaceMap {
    /// Returns the key of a place: of its id, or of its name if it has no id. Names are compared without regard to case and
    /// surrounding blanks.
    pub(crate) fn key(&self, place: &Place<'_>) -> Option<HashKey> {
        self.key_by(place.id.as_ref(), place.name.as_deref())
    }

    /// Returns the key of the place that a step or a proposal refers to.
    pub(crate) fn key_of_reference(&self, place: &PlaceRef<'_>) -> Option<HashKey> {
        self.key_by(place.id.as_ref(), place.name.as_deref())
    }

    fn key_by(&self, id: Option<&Label<'_>>, name: Option<&str>) -> Option<HashKey> {
        match (id, name) {
            (Some(id), _) => Some(key_of(&id.as_text())),
            (None, Some(name)) => {
                // Snapshots of earlier versions know a place by the spelling of its name.
                let spelled = key_of(name);
                Some(if self.rooms.peek(spelled).is_some() { spelled } else { key_of_lower(name) })
            }
            (None, None) => None,
        }
    }

    /// Records that the agent is at a place, and the exits that the step lists.
    pub(crate) fn arrive(&mut self, place: &Place<'_>) -> Option<HashKey> {
        let key = self.key(place)?;
        let number = match &place.id {
            Some(Label::Number(number)) => Some(*number),
            _ => None,
        };
        if self.rooms.is_full() && self.rooms.peek(key).is_none() {
            self.forget_oldest();
        }
        let given = self.given_destinations(place, key);
        let mut grown = 0;
        let room = self.rooms.touch_or_insert(key, || {
            let name = match (&place.name, &place.id) {
                (Some(name), _) => MeasuredText::from(&*clip_masked(name, NAME_BYTES)),
                (None, Some(Label::Text(id))) => MeasuredText::from(&*clip_masked(id, NAME_BYTES)),
                _ => MeasuredText::default(),
            };
            let room = MappedPlace { number, name, exits: BoundedList::default(), told: false };
            grown += entry_bytes(&room);
            room
        });
        room.told |= !place.exits.is_empty();
        for (index, exit) in place.exits.iter().enumerate() {
            let to = given.get(index).copied().flatten();
            grown += room.learn(&exit.name, to, false, to.is_some());
        }
        self.bytes += grown;
        Some(key)
    }

    /// Returns the destinations that a step tells, in the order of the exits. Empty if it tells none, which is the usual case.
    /// An exit that leads back to its place has no destination.
    fn given_destinations(&self, place: &Place<'_>, here: HashKey) -> Vec<Option<HashKey>> {
        if place.exits.iter().all(|exit| exit.to.is_none()) {
            return Vec::new();
        }
        let key = |to: &PlaceRef<'_>| self.key_of_reference(to).filter(|to| *to != here);
        place.exits.iter().map(|exit| exit.to.as_ref().and_then(key)).collect()
    }

    /// Records that an exit of `from` was tried and led to `to`.
    pub(crate) fn walked(&mut self, from: HashKey, way: &str, to: HashKey) {
        let Some(room) = self.rooms.touch(from) else { return };
        // The same place is not a destination, because the door may open later.
        let grown = room.learn(way, (from != to).then_some(to), true, false);
        self.bytes += grown;
        // The destination stays the most recently used place.
        self.rooms.touch(to);
    }

    /// Returns the destination of an exit of `from`: the one that the steps told, or else the last one that was reached, if
    /// it is still remembered.
    pub(crate) fn leads_to(&self, from: HashKey, way: &str) -> Option<HashKey> {
        let exit = self.rooms.peek(from)?.exits.iter().find(|exit| *exit.way == *way)?;
        exit.to.filter(|to| exit.marks.given || self.contains(*to))
    }

    /// Returns whether a place was visited and is still remembered.
    pub(crate) fn contains(&self, place: HashKey) -> bool {
        self.rooms.peek(place).is_some()
    }

    /// Returns whether the name of a place identifies it, because the steps give it no id.
    pub(crate) fn is_known_by_name(&self, key: HashKey) -> bool {
        self.rooms.peek(key).is_some_and(|room| key_of_lower(&room.name) == key || key_of(&room.name) == key)
    }

    /// Returns whether a place has this name, whatever its case and the blanks around it.
    pub(crate) fn has_name(&self, key: HashKey, name: &str) -> bool {
        self.rooms.peek(key).is_some_and(|room| key_of_lower(&room.name) == key_of_lower(name))
    }

    /// Returns whether the only known exit of `from` leads to this place. An untried exit may lead elsewhere.
    /// An exit that led nowhere does not count. Returns `false` if the steps do not list the exits.
    pub(crate) fn is_only_way(&self, from: HashKey, to: HashKey) -> bool {
        let Some(room) = self.rooms.peek(from).filter(|room| room.told) else { return false };
        room.exits.iter().all(|exit| exit.to == Some(to) || (exit.marks.tried && exit.to.is_none()))
    }

    /// Returns the listed exits of a place that were not tried. One that is told to lead to a known place is not unexplored.
    pub(crate) fn unexplored(&self, from: HashKey) -> Vec<&str> {
        let leads_back = |exit: &MappedExit| exit.marks.given && exit.to.is_some_and(|to| self.contains(to));
        let room = self.rooms.peek(from);
        room.map_or_else(Vec::new, |room| {
            let exits = room.exits.iter().filter(|exit| !exit.marks.tried && !leads_back(exit));
            exits.map(|exit| &*exit.way).collect()
        })
    }

    /// Returns the display name of a place, or `Location_<id>` for one that has only a number.
    pub(crate) fn name(&self, key: HashKey) -> String {
        match self.rooms.peek(key) {
            Some(MappedPlace { name, .. }) if !name.is_empty() => name.to_string(),
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

    /// Drops places until the map fits into this many bytes of a snapshot. Keeps the current place.
    pub(crate) fn fit(&mut self, bytes: usize) {
        while self.snapshot_bytes(NO_COUNTS) > bytes && self.rooms.len() > 1 {
            self.forget_oldest();
        }
    }

    fn forget_oldest(&mut self) {
        if let Some((_, room)) = self.rooms.pop_oldest() {
            self.bytes = self.bytes.saturating_sub(entry_bytes(&room));
        }
    }
}

impl MappedPlace {
    /// Records an exit. `given` says that a step told the destination: it stays until another one is told. Returns the bytes
    /// that the exit adds to the snapshot.
    fn learn(&mut self, way: &str, to: Option<HashKey>, tried: bool, given: bool) -> usize {
        // The usual case: the steps list the same exits in the same words each time.
        if to.is_none() && !tried && self.exits.iter().any(|exit| *exit.way == *way) {
            return 0;
        }
        let way = super::exit_direction(way);
        let way = clip_escaped(&way, NAME_BYTES);
        if let Some(exit) = self.exits.iter_mut().find(|exit| *exit.way == *way) {
            // Only the text of an exit decides its size.
            exit.marks.tried |= tried;
            if given || !exit.marks.given {
                exit.to = to.or(exit.to);
                exit.marks.given = given;
            }
            return 0;
        }
        if self.exits.is_full() {
            return 0;
        }
        let exit = MappedExit { way: way.into(), to, marks: ExitMarks { tried, given } };
        let bytes = exit.snapshot_bytes(NO_COUNTS) + ",".len();
        self.exits.push(exit);
        bytes
    }
}

impl SnapshotSize for PlaceMap {
    const VARIES: bool = true;

    fn max_bytes(digits: usize) -> usize {
        MappedPlaces::max_bytes(digits) + usize::max_bytes(digits) + r#"{"rooms":,"bytes":}"#.len()
    }

    fn snapshot_bytes(&self, digits: usize) -> usize {
        self.bytes + usize::max_bytes(digits) + r#"{"rooms":[],"bytes":}"#.len()
    }
}

/// A place has no turn numbers, so its size does not depend on their digits.
const NO_COUNTS: usize = 0;

fn entry_bytes(place: &MappedPlace) -> usize {
    MappedPlaces::entry_bytes(place, NO_COUNTS)
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
    fn a_destination_that_a_step_tells_is_known_before_the_exit_is_used_and_no_move_changes_it() {
        let mut map = PlaceMap::default();
        let dam = map.arrive(&place(r#"{"id":20,"exits":{"n":15,"go south":"16","up":null}}"#)).unwrap();
        let [lobby, base] = [15, 16].map(|id| map.key(&place(&format!(r#"{{"id":{id}}}"#))).unwrap());
        assert_eq!(map.leads_to(dam, "north"), Some(lobby));
        assert_eq!(map.leads_to(dam, "south"), Some(base));
        assert_eq!(map.leads_to(dam, "up"), None);
        map.walked(dam, "north", base);
        map.arrive(&place(r#"{"id":20,"exits":["north"]}"#));
        assert_eq!(map.leads_to(dam, "north"), Some(lobby));
        map.arrive(&place(r#"{"id":20,"exits":{"north":16}}"#));
        assert_eq!(map.leads_to(dam, "north"), Some(base), "the caller's map changed");
        map.walked(dam, "up", lobby);
        assert_eq!(map.leads_to(dam, "up"), None, "learned, but the place was never seen");
    }

    #[test]
    fn an_exit_that_is_told_to_lead_to_a_known_place_is_not_unexplored() {
        let mut map = PlaceMap::default();
        map.arrive(&place(r#"{"id":15}"#));
        let dam = map.arrive(&place(r#"{"id":20,"exits":{"north":15,"south":16,"east":20}}"#)).unwrap();
        assert_eq!(map.unexplored(dam), ["south", "east"]);
        assert_eq!(map.leads_to(dam, "east"), None, "the place itself is not a destination");
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
            let text = format!(
                r#"{{"id":{id},"name":"room \"{id}\" of many","exits":["north",{{"name":"south","to":{}}},"up"]}}"#,
                id - 1
            );
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
