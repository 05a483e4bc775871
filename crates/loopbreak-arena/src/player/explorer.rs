//! A player that explores: it takes objects, tries unexplored exits, and uses common knowledge about text adventures.
//! When it holds an object that a place needs, it returns there.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::game_player::{InfalliblePlayer, PlayerMove};
use super::lore;
use crate::game_text;
use crate::player_context::PlayerContext;
use crate::seeded_rng::SeededRng;

/// Knowledge about a place, which is identified by its name in the text.
#[derive(Clone, Debug, Default)]
struct KnownPlace {
    /// Destinations of the exits; `None` if unexplored.
    ways: BTreeMap<String, Option<String>>,
    /// True if the game lists the exits, so that there are no others.
    listed: bool,
    /// Commands that may be useful here, with the object they need.
    uses: BTreeSet<(&'static str, &'static str)>,
    /// Objects that can be examined.
    nouns: Vec<String>,
}

/// Minimum number of bytes of an informative reply to a used object.
const TELLING: usize = 48;

/// Probability of stopping to examine something.
const CURIOUS: f64 = 0.12;

/// Explores the world.
#[derive(Clone, Debug)]
pub struct ExplorerPlayer {
    rng: SeededRng,
    places: BTreeMap<String, KnownPlace>,
    here: Option<String>,
    carried: Vec<String>,
    /// Objects to take here.
    seen: Vec<String>,
    /// Exits that are assumed to lead back to the previous place.
    assumed: Vec<(String, &'static str)>,
    /// Objects that were dropped to have free hands.
    left: BTreeSet<String>,
    /// Actions that were tried, by place.
    tried: BTreeSet<(String, String)>,
    /// Commands to try next, suggested by the last text.
    ideas: VecDeque<String>,
    /// Number of improvements of the world: what failed before may work after one.
    changes: u32,
    /// Commands that were used, by place, with the number of changes at that time.
    used: BTreeMap<(String, &'static str), u32>,
}

impl ExplorerPlayer {
    /// Creates an explorer from a seed.
    pub fn new(seed: u64) -> Self {
        ExplorerPlayer {
            rng: SeededRng::new(seed),
            places: BTreeMap::new(),
            here: None,
            carried: Vec::new(),
            seen: Vec::new(),
            assumed: Vec::new(),
            left: BTreeSet::new(),
            tried: BTreeSet::new(),
            ideas: VecDeque::new(),
            changes: 0,
            used: BTreeMap::new(),
        }
    }

    /// Processes the reply to the last command.
    pub(super) fn process(&mut self, context: &PlayerContext) {
        let text = context.text.as_str();
        let went = context.last_action.as_deref().and_then(game_text::direction_of);
        let title = game_text::place_title(text).map(str::to_owned);
        if let (Some(way), Some(from)) = (went, self.here.clone()) {
            // A direction without an exit leads back here.
            let to = title.clone().unwrap_or_else(|| from.clone());
            self.places.entry(from).or_default().ways.insert(way.to_owned(), Some(to));
        }
        if let Some(title) = title {
            let known = self.places.entry(title.clone()).or_default();
            let exits = game_text::listed_exits(text);
            known.listed = exits.is_some();
            for way in exits.unwrap_or_else(|| guess_exits(text, went)) {
                known.ways.entry(way).or_insert(None);
            }
            // The opposite direction nearly always leads back.
            if let (Some(way), Some(from)) = (went, self.here.as_ref().filter(|from| **from != title))
                && let Some(back @ None) = known.ways.get_mut(game_text::opposite(way))
            {
                *back = Some(from.clone());
                self.assumed.push((title.clone(), game_text::opposite(way)));
            }
            known.uses.extend(lore::uses(text));
            known.nouns = game_text::nouns(text);
            self.here = Some(title);
            self.seen.clear();
        }
        let things = game_text::listed_things(text).into_iter().filter(|thing| !self.left.contains(*thing));
        self.seen.extend(things.map(str::to_owned));
        self.learn(context.last_action.as_deref().unwrap_or_default(), text);
    }

    /// Applies common knowledge about text adventures.
    fn learn(&mut self, action: &str, text: &str) {
        if let Some(thing) = action.strip_prefix("take ") {
            self.seen.retain(|seen| seen != thing);
            if text.starts_with("Taken") {
                self.carried.push(thing.to_owned());
                self.changes += u32::from(is_tool(thing));
            }
            if text.contains("hands are full")
                && let Some(useless) = self.carried.iter().position(|carried| !is_tool(carried))
            {
                let useless = self.carried.remove(useless);
                self.left.insert(useless.clone());
                self.tried.remove(&(self.here.clone().unwrap_or_default(), action.to_owned()));
                self.seen.push(thing.to_owned());
                self.ideas.push_back(format!("drop {useless}"));
            }
        }
        // A long reply without points says what is missing; a short one says that the command is useless.
        if (text.contains("score has gone up") || text.len() < TELLING)
            && let Some(used) = self.here.clone().and_then(|here| {
                self.used.iter_mut().find(|((place, command), _)| *place == here && *command == action)
            })
        {
            *used.1 = u32::MAX;
        }
        if text.contains("score has gone up") {
            self.changes += 1;
            self.reset_blocked_exits();
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
            let back = game_text::direction_of(action).map(game_text::opposite);
            let idea = if lantern { Some("turn on lantern") } else { back };
            self.ideas.extend(idea.map(str::to_owned));
        }
        let here = self.here.clone().unwrap_or_default();
        for idea in lore::ideas(text) {
            if self.tried.insert((here.clone(), idea.to_owned())) {
                self.ideas.push_back(idea.to_owned());
            }
        }
        // Something that was opened may be an unexplored exit.
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

    /// Marks blocked exits as unexplored, because they may be open now.
    fn reset_blocked_exits(&mut self) {
        for (place, known) in self.places.iter_mut().filter(|(_, known)| known.listed) {
            known.ways.values_mut().filter(|to| to.as_ref() == Some(place)).for_each(|to| *to = None);
        }
    }

    /// Chooses a command: the first idea that was not refused.
    pub(super) fn choose(&mut self, context: &PlayerContext) -> PlayerMove {
        while let Some(idea) = self.ideas.pop_front() {
            if context.was_refused(&idea) {
                continue;
            }
            return PlayerMove { action: idea, reason: "That usually helps.".into() };
        }
        let here = self.here.clone().unwrap_or_default();
        let boxes =
            self.seen.iter().filter(|thing| thing.ends_with("box")).map(|thing| format!("open {thing}"));
        let takes = self.seen.iter().map(|thing| format!("take {thing}"));
        let wanted: Vec<String> = boxes.chain(takes).collect();
        for action in wanted {
            if !context.was_refused(&action) && self.tried.insert((here.clone(), action.clone())) {
                return PlayerMove { action, reason: "It may be useful.".into() };
            }
        }
        if self.rng.random_bool(CURIOUS)
            && let Some(action) = self.look_closer(&here, context)
        {
            return PlayerMove { action, reason: "What is that?".into() };
        }
        if let Some(command) = self.use_here(&here, context) {
            return PlayerMove { action: command.into(), reason: "Now I have what it takes.".into() };
        }
        let uses = |explorer: &ExplorerPlayer, place: &str| explorer.is_of_use(place);
        if let Some(way) = self.way_to(&here, context, uses) {
            return PlayerMove { action: way, reason: "I know where that belongs.".into() };
        }
        let unknown = |explorer: &ExplorerPlayer, place: &str| explorer.has_unknown_ways(place);
        let mut way = self.way_to(&here, context, unknown);
        if way.is_none() && (self.reset_assumed_exits() || self.add_all_directions(&here)) {
            way = self.way_to(&here, context, unknown);
        }
        if let Some(way) = way {
            return PlayerMove { action: way, reason: "I have not been there.".into() };
        }
        let ways = self.places.get(&here).into_iter().flat_map(|known| &known.ways);
        let elsewhere = ways.filter(|(_, to)| to.as_ref() != Some(&here)).map(|(way, _)| way.clone());
        let fresh: Vec<String> = elsewhere.filter(|way| !context.was_refused(way)).collect();
        self.rng.choose(&fresh).cloned().unwrap_or_else(|| "look".to_owned()).into()
    }

    /// Marks the assumed exits as unexplored when nothing else is left. Returns whether there were any.
    fn reset_assumed_exits(&mut self) -> bool {
        let assumed = std::mem::take(&mut self.assumed);
        for (place, way) in &assumed {
            if let Some(to) = self.places.get_mut(place).and_then(|known| known.ways.get_mut(*way)) {
                *to = None;
            }
        }
        !assumed.is_empty()
    }

    /// Adds all directions as exits when nothing else is left. Returns whether there are more exits now.
    fn add_all_directions(&mut self, here: &str) -> bool {
        let Some(known) = self.places.get_mut(here).filter(|known| !known.listed) else { return false };
        let before = known.ways.len();
        for way in game_text::DIRECTIONS {
            known.ways.entry(way.to_owned()).or_insert(None);
        }
        known.ways.len() > before
    }

    /// Returns a command to examine something for the first time.
    fn look_closer(&mut self, here: &str, context: &PlayerContext) -> Option<String> {
        let nouns = &self.places.get(here)?.nouns;
        let action = format!("examine {}", self.rng.choose(nouns)?);
        let new = !context.was_refused(&action) && self.tried.insert((here.to_owned(), action.clone()));
        new.then_some(action)
    }

    /// Returns the commands that can be used at a place with the carried objects and were not used since the last
    /// change.
    fn usable_commands(&self, place: &str) -> impl Iterator<Item = &'static str> {
        let known = self.places.get(place);
        let in_hand = |tool: &str| {
            // A fuse box is not a fuse.
            let is = |thing: &String| thing.split(' ').any(|word| word == tool) && !thing.ends_with("box");
            tool.is_empty() || self.carried.iter().any(is)
        };
        let due = move |command: &&'static str| {
            self.used.get(&(place.to_owned(), *command)).is_none_or(|changes| *changes < self.changes)
        };
        known
            .into_iter()
            .flat_map(|known| &known.uses)
            .filter(move |(tool, _)| in_hand(tool))
            .map(|(_, command)| *command)
            .filter(due)
    }

    fn is_of_use(&self, place: &str) -> bool {
        self.usable_commands(place).next().is_some()
    }

    fn has_unknown_ways(&self, place: &str) -> bool {
        self.places.get(place).is_some_and(|known| known.ways.values().any(Option::is_none))
    }

    fn use_here(&mut self, here: &str, context: &PlayerContext) -> Option<&'static str> {
        let command = self.usable_commands(here).find(|command| !context.was_refused(command))?;
        self.used.insert((here.to_owned(), command), self.changes);
        Some(command)
    }

    /// Returns the first move towards the nearest wanted place, a random one if several are equally near. At a wanted
    /// place, it returns an unexplored exit.
    fn way_to(
        &mut self,
        here: &str,
        context: &PlayerContext,
        wanted: impl Fn(&ExplorerPlayer, &str) -> bool,
    ) -> Option<String> {
        let mut reached = BTreeSet::from([here.to_owned()]);
        let mut circle = vec![(here.to_owned(), None::<String>)];
        while !circle.is_empty() {
            let mut found: Vec<String> = Vec::new();
            let mut next = Vec::new();
            for (place, first) in circle {
                let Some(known) = self.places.get(&place) else { continue };
                let hit = wanted(self, &place);
                for (way, to) in &known.ways {
                    let first = first.clone().unwrap_or_else(|| way.clone());
                    if context.was_refused(&first) {
                        continue;
                    }
                    match to {
                        None if hit => found.push(first),
                        Some(to) if reached.insert(to.clone()) => {
                            // A place to use something at is wanted itself.
                            if wanted(self, to) {
                                found.push(first.clone());
                            }
                            next.push((to.clone(), Some(first)));
                        }
                        _ => {}
                    }
                }
            }
            if let Some(way) = self.rng.choose(&found) {
                return Some(way.clone());
            }
            circle = next;
        }
        None
    }
}

/// Returns the exits of a place that does not list them: the directions mentioned in the text, and the way back.
fn guess_exits(text: &str, went: Option<&str>) -> Vec<String> {
    game_text::mentioned_directions(text)
        .into_iter()
        .chain(went.map(game_text::opposite))
        .map(str::to_owned)
        .collect()
}

/// Returns whether an object is worth keeping.
fn is_tool(thing: &str) -> bool {
    ["key", "lantern", "lamp", "oil", "fuse", "crank", "bell", "sword", "wrench", "egg"]
        .iter()
        .any(|tool| thing.contains(tool))
}

impl InfalliblePlayer for ExplorerPlayer {
    fn name(&self) -> String {
        "explorer".to_owned()
    }

    fn propose(&mut self, context: &PlayerContext) -> PlayerMove {
        if context.refused.is_empty() {
            self.process(context);
        }
        self.choose(context)
    }
}
