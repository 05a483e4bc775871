//! What a player is after: discovered from the map and from what stood in the way, completed, or stale.

use std::collections::BTreeSet;

use crate::world::WorldMap;

/// So many are open at a time.
const OPEN: usize = 3;
/// What games say of a way that is not open yet.
const SHUT: [&str; 4] = ["locked", "rusted", "closed", "shut"];

/// Something to be reached: to go this way from this place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorldObjective {
    /// In words.
    pub text: String,
    /// Where.
    pub place: u32,
    /// Which way.
    pub way: String,
    /// The turn it was discovered at.
    pub since: u64,
}

/// The open objectives, and which there were.
#[derive(Clone, Debug)]
pub struct ObjectiveList {
    open: Vec<WorldObjective>,
    /// What was discovered once is not discovered again, whatever became of it.
    known: BTreeSet<(u32, String)>,
    stale_after: u64,
}

impl ObjectiveList {
    /// None yet. An objective that is open for so many turns is given up.
    pub fn new(stale_after: u64) -> Self {
        ObjectiveList { open: Vec::new(), known: BTreeSet::new(), stale_after }
    }

    /// Those that are open, as texts.
    pub fn texts(&self) -> Vec<String> {
        self.open.iter().map(|objective| objective.text.clone()).collect()
    }

    fn add(&mut self, text: String, place: u32, way: &str, turn: u64) -> bool {
        let new = self.known.insert((place, way.to_owned()));
        if new {
            self.open.push(WorldObjective { text, place, way: way.to_owned(), since: turn });
        }
        new
    }

    /// Looks for ways on the map that nobody has gone. True if something was added.
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

    /// A way was tried, and something stood in it. True if that is an objective from now on.
    pub fn obstacle(&mut self, name: &str, place: u32, way: &str, reply: &str, turn: u64) -> bool {
        if !SHUT.iter().any(|word| reply.contains(word)) {
            return false;
        }
        // The same way may have been one to explore: it is known better now.
        if let Some(open) = self.open.iter_mut().find(|open| open.place == place && open.way == way) {
            let text = format!("open the way {way} from {name}");
            return std::mem::replace(&mut open.text, text.clone()) != text;
        }
        self.open.len() < OPEN && self.add(format!("open the way {way} from {name}"), place, way, turn)
    }

    /// A way was gone: takes out what is completed by that.
    pub fn complete(&mut self, from: u32, way: &str) -> Vec<WorldObjective> {
        self.known.insert((from, way.to_owned()));
        self.open.extract_if(.., |objective| objective.place == from && objective.way == way).collect()
    }

    /// Gives up what has been open for too long. True if something was given up.
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
    fn ways_to_explore_are_discovered_completed_and_not_discovered_again() {
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
    fn what_is_open_for_thirty_turns_is_given_up_for_good() {
        let mut objectives = ObjectiveList::new(30);
        objectives.discover(&map(), 1, 10);
        assert!(!objectives.give_up_stale(39));
        assert!(objectives.give_up_stale(40));
        assert!(objectives.texts().is_empty());
        objectives.discover(&map(), 1, 41);
        assert_eq!(objectives.texts(), ["explore up from Dam", "explore west from Dam"]);
    }

    #[test]
    fn a_way_that_is_shut_is_an_objective() {
        let mut objectives = ObjectiveList::new(30);
        assert!(!objectives.obstacle("Hut", 7, "east", "There is no way east from here.", 3));
        assert!(objectives.obstacle("Hut", 7, "east", "The door is locked.", 3));
        assert!(!objectives.obstacle("Hut", 7, "east", "The door is locked.", 4));
        assert_eq!(objectives.complete(7, "east")[0].text, "open the way east from Hut");
    }
}
