//! The objectives of a player: discovered from the map and from obstacles, then completed or given up.

use std::collections::BTreeSet;

use crate::world::WorldMap;

/// Maximum number of open objectives.
const OPEN: usize = 3;
/// Words that games use for a blocked exit.
const SHUT: [&str; 4] = ["locked", "rusted", "closed", "shut"];

/// An objective: to take this exit of this place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorldObjective {
    /// Description.
    pub text: String,
    /// Number of the place.
    pub place: u32,
    /// Direction of the exit.
    pub direction: String,
    /// Turn at which it was discovered.
    pub since: u64,
}

/// The open objectives, and all that were ever discovered.
#[derive(Clone, Debug)]
pub struct ObjectiveList {
    open: Vec<WorldObjective>,
    /// Objectives are discovered only once, whatever happens to them.
    known: BTreeSet<(u32, String)>,
    stale_after: u64,
}

impl ObjectiveList {
    /// Creates an empty list. An objective is given up after `stale_after` turns.
    pub fn new(stale_after: u64) -> Self {
        ObjectiveList { open: Vec::new(), known: BTreeSet::new(), stale_after }
    }

    /// Returns the descriptions of the open objectives.
    pub fn texts(&self) -> Vec<String> {
        self.open.iter().map(|objective| objective.text.clone()).collect()
    }

    fn add(&mut self, text: String, place: u32, way: &str, turn: u64) -> bool {
        let new = self.known.insert((place, way.to_owned()));
        if new {
            self.open.push(WorldObjective { text, place, direction: way.to_owned(), since: turn });
        }
        new
    }

    /// Adds objectives for unexplored exits on the map. Returns whether any were added.
    pub fn discover(&mut self, map: &WorldMap, here: u32, turn: u64) -> bool {
        let mut added = false;
        for (place, way) in map.unexplored(here) {
            if self.open.len() >= OPEN {
                break;
            }
            if !self.known.contains(&(place, way.to_owned())) {
                let name = map.name(place).unwrap_or("there");
                added |= self.add(format!("explore {way} from {name}"), place, way, turn);
            }
        }
        added
    }

    /// Adds an objective for a blocked exit. Returns whether the list changed.
    pub fn obstacle(&mut self, name: &str, place: u32, way: &str, reply: &str, turn: u64) -> bool {
        if !SHUT.iter().any(|word| reply.contains(word)) {
            return false;
        }
        // The same exit may already be an objective to explore; its description becomes more precise.
        if let Some(open) = self.open.iter_mut().find(|open| open.place == place && open.direction == way) {
            let text = format!("open the way {way} from {name}");
            return std::mem::replace(&mut open.text, text.clone()) != text;
        }
        self.open.len() < OPEN && self.add(format!("open the way {way} from {name}"), place, way, turn)
    }

    /// Removes and returns the objectives that are completed by taking an exit.
    pub fn complete(&mut self, from: u32, way: &str) -> Vec<WorldObjective> {
        self.known.insert((from, way.to_owned()));
        self.open.extract_if(.., |objective| objective.place == from && objective.direction == way).collect()
    }

    /// Gives up objectives that have been open for too long. Returns whether any were given up.
    pub fn give_up_stale(&mut self, turn: u64) -> bool {
        let before = self.open.len();
        self.open.retain(|objective| turn - objective.since < self.stale_after);
        self.open.len() < before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::WorldLocation;

    fn map() -> WorldMap {
        let mut map = WorldMap::default();
        let exits = ["east", "north", "south", "up", "west"].map(str::to_owned).to_vec();
        map.add(&WorldLocation { id: 1, name: "Dam".into(), exits });
        map
    }

    #[test]
    fn objectives_are_discovered_only_once() {
        let mut objectives = ObjectiveList::new(30);
        assert!(objectives.discover(&map(), 1, 10));
        assert_eq!(
            objectives.texts(),
            ["explore east from Dam", "explore north from Dam", "explore south from Dam"]
        );
        assert!(!objectives.discover(&map(), 1, 11));
        let completed = objectives.complete(1, "north");
        assert_eq!(completed[0].text, "explore north from Dam");
        assert!(objectives.complete(1, "north").is_empty());
        assert!(objectives.discover(&map(), 1, 12));
        assert_eq!(objectives.texts()[2], "explore up from Dam");
    }

    #[test]
    fn an_objective_is_given_up_after_thirty_turns() {
        let mut objectives = ObjectiveList::new(30);
        objectives.discover(&map(), 1, 10);
        assert!(!objectives.give_up_stale(39));
        assert!(objectives.give_up_stale(40));
        assert!(objectives.texts().is_empty());
        objectives.discover(&map(), 1, 41);
        assert_eq!(objectives.texts(), ["explore up from Dam", "explore west from Dam"]);
    }

    #[test]
    fn a_blocked_exit_becomes_an_objective() {
        let mut objectives = ObjectiveList::new(30);
        assert!(!objectives.obstacle("Hut", 7, "east", "There is no way east from here.", 3));
        assert!(objectives.obstacle("Hut", 7, "east", "The door is locked.", 3));
        assert!(!objectives.obstacle("Hut", 7, "east", "The door is locked.", 4));
        assert_eq!(objectives.complete(7, "east")[0].text, "open the way east from Hut");
    }
}
