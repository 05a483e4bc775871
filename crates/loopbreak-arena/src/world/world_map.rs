//! The map: which places there are, and where the ways lead that were gone.

use std::collections::BTreeMap;

use crate::world::WorldLocation;

/// A place on the map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct MapRoom {
    name: String,
    /// Where each way leads; nothing yet for those that the world tells of and nobody has gone.
    ways: BTreeMap<String, Option<u32>>,
}

/// The places that were seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorldMap {
    rooms: BTreeMap<u32, MapRoom>,
}

impl WorldMap {
    /// Puts a place on the map.
    pub fn add(&mut self, place: &WorldLocation) {
        let room = self.rooms.entry(place.id).or_default();
        if room.name != place.name {
            room.name.clone_from(&place.name);
        }
        for exit in &place.exits {
            if !room.ways.contains_key(exit) {
                room.ways.insert(exit.clone(), None);
            }
        }
    }

    /// Ways out of a place that somebody spoke of; there may be others.
    pub fn add_exits(&mut self, place: u32, ways: &[&str]) {
        let room = self.rooms.entry(place).or_default();
        for way in ways {
            room.ways.entry((*way).to_owned()).or_insert(None);
        }
    }

    /// Notes that a way from one place leads to another.
    pub fn connect(&mut self, from: u32, way: &str, to: u32) {
        self.rooms.entry(from).or_default().ways.insert(way.to_owned(), Some(to));
    }

    /// How many places are known.
    pub fn len(&self) -> usize {
        self.rooms.len()
    }

    /// Whether no place is known.
    pub fn is_empty(&self) -> bool {
        self.rooms.is_empty()
    }

    /// The name of a place.
    pub fn name(&self, place: u32) -> Option<&str> {
        self.rooms.get(&place).map(|room| room.name.as_str())
    }

    /// All places, by their numbers.
    pub fn places(&self) -> impl Iterator<Item = u32> {
        self.rooms.keys().copied()
    }

    /// The ways out of a place, each with where it leads; nothing for those that nobody has gone.
    pub fn ways(&self, place: u32) -> impl Iterator<Item = (&str, Option<u32>)> {
        self.rooms
            .get(&place)
            .into_iter()
            .flat_map(|room| room.ways.iter())
            .map(|(way, to)| (way.as_str(), *to))
    }

    /// The ways that nobody has gone: those of this place first, then those of the others.
    pub fn unexplored(&self, here: u32) -> impl Iterator<Item = (u32, &str)> {
        let first = self.rooms.get_key_value(&here).into_iter();
        let others = self.rooms.iter().filter(move |(id, _)| **id != here);
        first.chain(others).flat_map(|(id, room)| {
            room.ways.iter().filter(|(_, to)| to.is_none()).map(move |(way, _)| (*id, way.as_str()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ways_not_gone_are_told_nearest_first() {
        let place = |id, name: &str, exits: &[&str]| WorldLocation {
            id,
            name: name.to_owned(),
            exits: exits.iter().map(|exit| (*exit).to_owned()).collect(),
        };
        let mut map = WorldMap::default();
        map.add(&place(1, "Dam", &["east", "north"]));
        map.connect(1, "east", 2);
        map.add(&place(2, "Lobby", &["up", "west"]));
        let unexplored =
            |here| map.unexplored(here).map(|(id, way)| format!("{id} {way}")).collect::<Vec<_>>();
        assert_eq!(unexplored(2), ["2 up", "2 west", "1 north"]);
        assert_eq!(unexplored(1), ["1 north", "2 up", "2 west"]);
        assert_eq!((map.len(), map.name(2), map.name(3)), (2, Some("Lobby"), None));
    }
}
