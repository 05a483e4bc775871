//! Looks for what is new: things to take, ways not gone, and a little of what every player of such games knows. Once it
//! has something in hand that a place asked for, it goes back there.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::game_player::{InfalliblePlayer, PlayerMove};
use super::lore;
use crate::game_text;
use crate::player_context::PlayerContext;
use crate::seeded_rng::SeededRng;

/// What is known of a place, by its name in the texts.
#[derive(Clone, Debug, Default)]
struct KnownPlace {
    /// Where the ways lead; nothing yet for those not gone.
    ways: BTreeMap<String, Option<String>>,
    /// The game lists them: there are no others.
    listed: bool,
    /// What may be done here, and what has to be in hand for it.
    uses: BTreeSet<(&'static str, &'static str)>,
    /// What may be looked at.
    nouns: Vec<String>,
}

/// A reply to something that it used tells something if it has so many bytes.
const TELLING: usize = 48;

/// It stops to look at something with this probability.
const CURIOUS: f64 = 0.12;

/// Looks for what is new.
#[derive(Clone, Debug)]
pub struct ExplorerPlayer {
    rng: SeededRng,
    places: BTreeMap<String, KnownPlace>,
    here: Option<String>,
    carried: Vec<String>,
    /// Things to be taken here.
    seen: Vec<String>,
    /// Ways of which it believes that they lead back to where it came from.
    assumed: Vec<(String, &'static str)>,
    /// Things that it put down to have its hands free.
    left: BTreeSet<String>,
    /// What was tried at which place.
    tried: BTreeSet<(String, String)>,
    /// What every player knows to try next, because of what the game just said.
    ideas: VecDeque<String>,
    /// How often the world changed for the better: what did not work before may work now.
    changes: u32,
    /// What was used where, and after how many changes.
    used: BTreeMap<(String, &'static str), u32>,
}

impl ExplorerPlayer {
    /// An explorer from a seed.
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

    /// Takes in what the game said to the last command.
    pub(super) fn see(&mut self, context: &PlayerContext) {
        let text = context.text.as_str();
        let went = context.last_action.as_deref().and_then(game_text::direction_of);
        let title = game_text::place_title(text).map(str::to_owned);
        if let (Some(way), Some(from)) = (went, self.here.clone()) {
            // A way that leads nowhere leads back here.
            let to = title.clone().unwrap_or_else(|| from.clone());
            self.places.entry(from).or_default().ways.insert(way.to_owned(), Some(to));
        }
        if let Some(title) = title {
            let known = self.places.entry(title.clone()).or_default();
            let exits = game_text::listed_exits(text);
            known.listed = exits.is_some();
            for way in exits.unwrap_or_else(|| guess(text, went)) {
                known.ways.entry(way).or_insert(None);
            }
            // Nearly always the way back leads back.
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

    /// What every player knows.
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
        // A long reply that brings no point says what is missing; a short one says that there is nothing to it.
        if (text.contains("score has gone up") || text.len() < TELLING)
            && let Some(used) = self.here.clone().and_then(|here| {
                self.used.iter_mut().find(|((place, command), _)| *place == here && *command == action)
            })
        {
            *used.1 = u32::MAX;
        }
        if text.contains("score has gone up") {
            self.changes += 1;
            self.try_shut_ways();
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

    /// What did not lead anywhere may do so now, where the game says that there is a way.
    fn try_shut_ways(&mut self) {
        for (place, known) in self.places.iter_mut().filter(|(_, known)| known.listed) {
            known.ways.values_mut().filter(|to| to.as_ref() == Some(place)).for_each(|to| *to = None);
        }
    }

    /// What to do now: the first of these that was not refused.
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
        if way.is_none() && (self.doubt() || self.try_all_ways(&here)) {
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

    /// Where nothing is left to explore, the ways back may lead elsewhere. True if there is something to find out.
    fn doubt(&mut self) -> bool {
        let assumed = std::mem::take(&mut self.assumed);
        for (place, way) in &assumed {
            if let Some(to) = self.places.get_mut(place).and_then(|known| known.ways.get_mut(*way)) {
                *to = None;
            }
        }
        !assumed.is_empty()
    }

    /// Where nothing is left to explore, there may be ways here that nobody spoke of. True if there are more now.
    fn try_all_ways(&mut self, here: &str) -> bool {
        let Some(known) = self.places.get_mut(here).filter(|known| !known.listed) else { return false };
        let before = known.ways.len();
        for way in game_text::DIRECTIONS {
            known.ways.entry(way.to_owned()).or_insert(None);
        }
        known.ways.len() > before
    }

    /// Something to look at that was not looked at.
    fn look_closer(&mut self, here: &str, context: &PlayerContext) -> Option<String> {
        let nouns = &self.places.get(here)?.nouns;
        let action = format!("examine {}", self.rng.choose(nouns)?);
        let new = !context.was_refused(&action) && self.tried.insert((here.to_owned(), action.clone()));
        new.then_some(action)
    }

    /// What can be done at a place with what is in hand, and was not done since the world last changed.
    fn due(&self, place: &str) -> impl Iterator<Item = &'static str> {
        let known = self.places.get(place);
        let in_hand = |tool: &str| {
            // A fuse box is no fuse.
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
        self.due(place).next().is_some()
    }

    fn has_unknown_ways(&self, place: &str) -> bool {
        self.places.get(place).is_some_and(|known| known.ways.values().any(Option::is_none))
    }

    fn use_here(&mut self, here: &str, context: &PlayerContext) -> Option<&'static str> {
        let command = self.due(here).find(|command| !context.was_refused(command))?;
        self.used.insert((here.to_owned(), command), self.changes);
        Some(command)
    }

    /// The first move towards the nearest place of this kind: one of them, where several are as near. At such a place, a
    /// way not gone.
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
                            // A place to do something at is reached by getting there.
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

/// The ways out, where the game does not list them: what the text speaks of, and the way back.
fn guess(text: &str, went: Option<&str>) -> Vec<String> {
    game_text::mentioned_directions(text)
        .into_iter()
        .chain(went.map(game_text::opposite))
        .map(str::to_owned)
        .collect()
}

/// Things that players of such games do not leave behind.
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
            self.see(context);
        }
        self.choose(context)
    }
}
