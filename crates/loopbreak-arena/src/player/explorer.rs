//! Looks for what is new: things to take, ways not gone, and a little of what every player of such games knows.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::kind::{Habit, Move};
use super::lore;
use crate::chance::Chance;
use crate::context::Context;
use crate::texts;

/// What is known of a place, by its name in the texts.
#[derive(Clone, Debug, Default)]
struct Known {
    /// Where the ways lead; nothing yet for those not gone.
    ways: BTreeMap<String, Option<String>>,
    /// The game lists them: there are no others.
    listed: bool,
}

/// Looks for what is new.
#[derive(Clone, Debug)]
pub struct Explorer {
    chance: Chance,
    places: BTreeMap<String, Known>,
    here: Option<String>,
    carried: Vec<String>,
    /// Things to be taken here.
    seen: Vec<String>,
    /// What was tried at which place.
    tried: BTreeSet<(String, String)>,
    /// What every player knows to try next, because of what the game just said.
    ideas: VecDeque<String>,
}

impl Explorer {
    /// An explorer from a seed.
    pub fn new(seed: u64) -> Self {
        Explorer {
            chance: Chance::new(seed),
            places: BTreeMap::new(),
            here: None,
            carried: Vec::new(),
            seen: Vec::new(),
            tried: BTreeSet::new(),
            ideas: VecDeque::new(),
        }
    }

    /// Takes in what the game said to the last command.
    pub(super) fn see(&mut self, context: &Context) {
        let text = context.text.as_str();
        let went = context.last_action.as_deref().and_then(texts::way);
        let title = texts::title(text).map(str::to_owned);
        if let (Some(way), Some(from)) = (went, self.here.clone()) {
            // A way that leads nowhere leads back here.
            let to = title.clone().unwrap_or_else(|| from.clone());
            self.places.entry(from).or_default().ways.insert(way.to_owned(), Some(to));
        }
        if let Some(title) = title {
            let known = self.places.entry(title.clone()).or_default();
            let exits = texts::exits(text);
            known.listed = exits.is_some();
            for way in exits.unwrap_or_else(|| guess(text, went)) {
                known.ways.entry(way).or_insert(None);
            }
            self.here = Some(title);
            self.seen.clear();
        }
        self.seen.extend(texts::things(text).into_iter().map(str::to_owned));
        self.learn(context.last_action.as_deref().unwrap_or_default(), text);
    }

    /// What every player knows.
    fn learn(&mut self, action: &str, text: &str) {
        if let Some(thing) = action.strip_prefix("take ") {
            self.seen.retain(|seen| seen != thing);
            if text.starts_with("Taken") {
                self.carried.push(thing.to_owned());
            }
            if text.contains("hands are full")
                && let Some(useless) = self.carried.iter().position(|carried| !is_tool(carried))
            {
                let useless = self.carried.remove(useless);
                self.seen.push(thing.to_owned());
                self.ideas.push_back(format!("drop {useless}"));
            }
        }
        if text.contains("locked")
            && let Some(key) = self.carried.iter().find(|thing| thing.contains("key"))
        {
            self.ideas.push_back(format!("unlock door with {key}"));
        }
        if text.contains("rusted") && self.carried.iter().any(|thing| thing.contains("oil")) {
            self.ideas.push_back("oil door".to_owned());
        }
        if text.contains("pitch dark") || text.contains("pitch black") {
            let lantern = self.carried.iter().any(|thing| thing == "lantern" || thing == "lamp");
            let back = texts::way(action).map(texts::back);
            let idea = if lantern { Some("turn on lantern") } else { back };
            self.ideas.extend(idea.map(str::to_owned));
        }
        let here = self.here.clone().unwrap_or_default();
        for idea in lore::ideas(text) {
            if self.tried.insert((here.clone(), idea.to_owned())) {
                self.ideas.push_back(idea.to_owned());
            }
        }
        // What opened may be a way, one not gone.
        let opens = ["unlock", "oil", "open", "move"].iter().any(|verb| action.starts_with(verb));
        if opens && (text.contains("window") || text.contains("trap door")) {
            self.ideas.extend(["in", "down"].map(str::to_owned));
        }
        if opens
            && text.contains("open")
            && let Some(known) = self.here.as_ref().and_then(|here| self.places.get_mut(here))
        {
            let here = self.here.clone();
            known.ways.values_mut().filter(|to| **to == here).for_each(|to| *to = None);
        }
    }

    /// What to do now: the first of these that was not refused.
    pub(super) fn choose(&mut self, context: &Context) -> Move {
        if let Some(idea) = self.ideas.pop_front() {
            return Move { action: idea, reason: "That usually helps.".into() };
        }
        let here = self.here.clone().unwrap_or_default();
        let boxes =
            self.seen.iter().filter(|thing| thing.ends_with("box")).map(|thing| format!("open {thing}"));
        let takes = self.seen.iter().map(|thing| format!("take {thing}"));
        let wanted: Vec<String> = boxes.chain(takes).collect();
        for action in wanted {
            if !context.was_refused(&action) && self.tried.insert((here.clone(), action.clone())) {
                return Move { action, reason: "It may be useful.".into() };
            }
        }
        let mut way = self.way_to_the_unknown(&here, context);
        if way.is_none() && self.try_all_ways(&here) {
            way = self.way_to_the_unknown(&here, context);
        }
        if let Some(way) = way {
            return Move { action: way, reason: "I have not been there.".into() };
        }
        let ways: Vec<String> =
            self.places.get(&here).into_iter().flat_map(|known| known.ways.keys().cloned()).collect();
        let fresh: Vec<String> = ways.into_iter().filter(|way| !context.was_refused(way)).collect();
        self.chance.one_of(&fresh).cloned().unwrap_or_else(|| "look".to_owned()).into()
    }

    /// Where nothing is left to explore, there may be ways here that nobody spoke of. True if there are more now.
    fn try_all_ways(&mut self, here: &str) -> bool {
        let Some(known) = self.places.get_mut(here).filter(|known| !known.listed) else { return false };
        let before = known.ways.len();
        for way in texts::WAYS {
            known.ways.entry(way.to_owned()).or_insert(None);
        }
        known.ways.len() > before
    }

    /// The first move towards the nearest way that was not gone.
    fn way_to_the_unknown(&mut self, here: &str, context: &Context) -> Option<String> {
        let mut queue = VecDeque::from([(here.to_owned(), None::<String>)]);
        let mut reached = BTreeSet::from([here.to_owned()]);
        while let Some((place, first)) = queue.pop_front() {
            let known = self.places.get(&place)?;
            for (way, to) in &known.ways {
                let first = first.clone().unwrap_or_else(|| way.clone());
                if context.was_refused(&first) {
                    continue;
                }
                match to {
                    None => return Some(first),
                    Some(to) if reached.insert(to.clone()) => queue.push_back((to.clone(), Some(first))),
                    Some(_) => {}
                }
            }
        }
        None
    }
}

/// The ways out, where the game does not list them: what the text speaks of, and the way back.
fn guess(text: &str, went: Option<&str>) -> Vec<String> {
    texts::mentioned(text).into_iter().chain(went.map(texts::back)).map(str::to_owned).collect()
}

/// Things that players of such games do not leave behind.
fn is_tool(thing: &str) -> bool {
    ["key", "lantern", "lamp", "oil", "fuse", "crank", "bell"].iter().any(|tool| thing.contains(tool))
}

impl Habit for Explorer {
    fn name(&self) -> String {
        "explorer".to_owned()
    }

    fn propose(&mut self, context: &Context) -> Move {
        if context.refused.is_empty() {
            self.see(context);
        }
        self.choose(context)
    }
}
