//! The dam episode: `examples/dam.jsonl`.
//!
//! A game agent explores well for 105 turns, reaches 40 points, and spends the other 236 turns of its budget around one
//! dam. The shape is that of a published run (341 turns, the score stuck at 40 from turn 105 on, 139 turns at the dam,
//! 26 in its lobby, 37 in the maintenance room, a critic that approves of it all); rooms, texts and numbers beyond that
//! are made up here. The file is the example that the documentation and the tests of detectors share, so it has to
//! come out the same on every machine: no clock, no system randomness.

mod rooms;

use std::collections::BTreeSet;

use rooms::{DamRoom, HILLSIDE, room};
use serde::Serialize;

use crate::split_mix::SplitMix;

/// A stretch of the healthy part: an objective, completed with the last action on the route. In each new room on
/// the way the agent does everything there is to do.
struct RouteLeg {
    objective: &'static str,
    route: &'static str,
}

const HEALTHY: &[RouteLeg] = &[
    RouteLeg { objective: "find a way underground", route: "east west down" },
    RouteLeg { objective: "find a light", route: "north west east east" },
    RouteLeg { objective: "learn the plan of the waterworks", route: "west north west down" },
    RouteLeg { objective: "read the records", route: "up east east north" },
    RouteLeg {
        objective: "search the banks of the river",
        route: "south west north up down down east west north west",
    },
    RouteLeg { objective: "find a tool for the gates", route: "east east east south" },
    RouteLeg { objective: "reach the dam and try its panel", route: "north west north east" },
    RouteLeg { objective: "bring power to the dam", route: "down up north east west north" },
];

/// A stretch of the stuck part: a walk, then a number of tries at the fixtures of the last room, mixed with taking and
/// dropping items.
struct StuckBout {
    walk: &'static str,
    tries: u32,
    juggles: u32,
}

const fn bout(walk: &'static str, tries: u32, juggles: u32) -> StuckBout {
    StuckBout { walk, tries, juggles }
}

const STUCK_OBJECTIVE: &str = "open the gates of the dam";

const STUCK: &[StuckBout] = &[
    bout("south south", 12, 3),
    bout("north north", 3, 1),
    bout("south north south north", 2, 0),
    bout("south south", 11, 4),
    bout("down", 4, 1),
    bout("up", 12, 3),
    bout("north north", 2, 2),
    bout("south south", 10, 5),
    bout("west", 3, 1),
    bout("east", 9, 4),
    bout("north north south north south north", 2, 1),
    bout("south south", 9, 3),
    bout("down", 3, 2),
    bout("up", 8, 4),
    bout("north north south south", 5, 2),
    bout("west south", 2, 1),
    bout("north", 3, 2),
    bout("east", 6, 2),
    bout("north north south north", 3, 2),
    bout("south north south south", 3, 2),
    bout("down", 5, 2),
    bout("up west", 4, 2),
    bout("east", 4, 1),
    bout("north north south north", 1, 0),
    bout("south", 1, 0),
    bout("north south south down", 1, 1),
];

/// The tries of the stuck agent: the command, the tool it needs, the reply; `{}` is the fixture. The replies differ, so
/// that comparing texts does not reveal this loop.
const TRIES: &[(&str, Option<&str>, &str)] = &[
    ("turn {}", None, "You strain at the {}. It stays as it is."),
    ("push {}", None, "Pushing the {} has no effect."),
    ("pull {}", None, "There is nothing on the {} to get hold of."),
    ("examine {}", None, "You notice nothing new about the {}."),
    ("tap {}", None, "It sounds solid."),
    ("kick {}", None, "Now your foot hurts."),
    ("listen to {}", None, "A faint hum, or your own blood."),
    ("rub {}", None, "It is a little cleaner than before."),
    ("look behind {}", None, "Concrete and cobwebs."),
    ("say open to {}", None, "The {} is not a listener."),
    ("turn {} with wrench", Some("wrench"), "The wrench slips off."),
    ("hit {} with wrench", Some("wrench"), "A loud clang, and nothing else."),
    ("loosen {} with wrench", Some("wrench"), "You cannot shift it."),
    ("pry {} with crowbar", Some("crowbar"), "The crowbar finds no gap."),
    ("break {} with crowbar", Some("crowbar"), "You would rather not do that to public property."),
    ("oil {}", Some("oil can"), "Some oil runs down. The {} is shinier, not looser."),
    ("tie rope to {}", Some("rope"), "The knot will not hold on that."),
    ("shine lamp on {}", Some("lamp"), "Brighter, and otherwise the same."),
];

const ITEMS: [&str; 5] = ["wrench", "rope", "lamp", "crowbar", "oil can"];

/// 12:38:53, the start of the run, in seconds of its day.
const START: u32 = (12 * 60 + 38) * 60 + 53;

/// A line of the file. The order of the fields is the order of the keys in the step record.
#[derive(Debug, Serialize)]
struct DamStep {
    run: &'static str,
    turn: u32,
    at: String,
    action: String,
    outcome: String,
    place: DamPlace,
    score: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    objectives: Option<DamObjectives>,
    critic: DamCritic,
    usage: DamUsage,
}

#[derive(Debug, Serialize)]
struct DamPlace {
    id: u32,
    name: &'static str,
    exits: Vec<&'static str>,
}

#[derive(Debug, Serialize)]
struct DamObjectives {
    active: Vec<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    completed: Vec<&'static str>,
}

#[derive(Debug, Serialize)]
struct DamCritic {
    score: f64,
}

#[derive(Debug, Serialize)]
struct DamUsage {
    input_tokens: u32,
    output_tokens: u32,
    cost_usd: f64,
}

/// Renders the whole file, one object per line.
///
/// Fails only where the table of rooms and the script do not fit each other.
pub(crate) fn jsonl() -> Result<String, String> {
    let mut file = String::new();
    for step in episode()? {
        let line = serde_json::to_string(&step).map_err(|error| format!("turn {}: {error}", step.turn))?;
        file.push_str(&line);
        file.push('\n');
    }
    Ok(file)
}

fn episode() -> Result<Vec<DamStep>, String> {
    let mut player = DamPlayer::new()?;
    for (index, leg) in HEALTHY.iter().enumerate() {
        player.set_out(leg.objective);
        if index == 0 {
            player.act("look", player.here.text, 60..=100);
            player.explore();
        }
        for direction in leg.route.split(' ') {
            if player.walk(direction, 60..=100)? {
                player.explore();
            }
        }
        player.complete(leg.objective);
    }
    player.set_out(STUCK_OBJECTIVE);
    for bout in STUCK {
        for direction in bout.walk.split(' ') {
            player.walk(direction, 90..=100)?;
        }
        player.fiddle(bout.tries, bout.juggles);
    }
    Ok(player.steps)
}

/// The agent in its game.
struct DamPlayer {
    here: &'static DamRoom,
    seen: BTreeSet<u32>,
    score: u32,
    objective: &'static str,
    announced: bool,
    seconds: u32,
    /// The items that were put down, each with its room.
    dropped: Vec<(&'static str, u32)>,
    dice: SplitMix,
    steps: Vec<DamStep>,
}

impl DamPlayer {
    fn new() -> Result<Self, String> {
        Ok(Self {
            here: room(HILLSIDE).ok_or("the first room is not in the table")?,
            seen: BTreeSet::from([HILLSIDE]),
            score: 0,
            objective: "",
            announced: false,
            seconds: START,
            dropped: Vec::new(),
            dice: SplitMix(341),
            steps: Vec::new(),
        })
    }

    /// Takes up an objective; the next step names it.
    fn set_out(&mut self, objective: &'static str) {
        self.objective = objective;
        self.announced = false;
    }

    /// Marks the objective as completed by the step just taken.
    fn complete(&mut self, objective: &'static str) {
        if let Some(step) = self.steps.last_mut() {
            step.objectives = Some(DamObjectives { active: Vec::new(), completed: vec![objective] });
        }
    }

    /// Goes that way, and says whether the room there is new.
    fn walk(&mut self, direction: &str, approval: CriticRange) -> Result<bool, String> {
        let from = self.here;
        let (_, to) = from
            .exits
            .iter()
            .find(|(exit, _)| *exit == direction)
            .ok_or_else(|| format!("there is no way {direction} from {}", from.name))?;
        self.here = room(*to).ok_or_else(|| format!("{direction} from {} leads to no room", from.name))?;
        let first = self.seen.insert(self.here.id);
        let outcome =
            if first { format!("{}\n{}", self.here.name, self.here.text) } else { self.here.name.to_owned() };
        self.act(direction, &outcome, approval);
        Ok(first)
    }

    /// Does all there is to do here.
    fn explore(&mut self) {
        for deed in self.here.deeds {
            self.score += deed.points;
            self.act(deed.command, deed.reply, 60..=100);
        }
    }

    /// Tries and juggles in a mixed order, so that no short sequence of actions repeats.
    fn fiddle(&mut self, mut tries: u32, mut juggles: u32) {
        while tries + juggles > 0 {
            if self.dice.below(tries + juggles) < tries {
                tries -= 1;
                self.try_something();
            } else {
                juggles -= 1;
                self.juggle();
            }
        }
    }

    fn try_something(&mut self) {
        let (command, outcome) = loop {
            let (template, tool, reply) = self.dice.pick(TRIES);
            let fixture = self.dice.pick(self.here.fixtures);
            let command = template.replace("{}", fixture);
            let missing = tool.filter(|tool| !self.holds(tool));
            // The agent thinks that it is being thorough: nothing twice in ten turns, and only now and then a tool
            // that it has put down and forgotten.
            let repeats = self.steps.iter().rev().take(10).any(|step| step.action == command);
            if repeats || (missing.is_some() && self.dice.below(4) > 0) {
                continue;
            }
            break match missing {
                Some(tool) => (command, format!("You are not holding the {tool}.")),
                None => (command, reply.replace("{}", fixture)),
            };
        };
        self.act(&command, &outcome, 60..=95);
    }

    /// Takes, drops or lists; it keeps two things in its hands, whatever it drops.
    fn juggle(&mut self) {
        let here = self.here.id;
        let held: Vec<_> = ITEMS.into_iter().filter(|item| self.holds(item)).collect();
        let lying: Vec<_> =
            self.dropped.iter().filter(|(_, place)| *place == here).map(|(item, _)| *item).collect();
        let choice = self.dice.below(7);
        let may_drop = held.len() > 2;
        if choice == 0 || (lying.is_empty() && !may_drop) {
            self.act("inventory", &format!("You are carrying: {}.", held.join(", ")), 60..=95);
        } else if !lying.is_empty() && (choice < 4 || !may_drop) {
            let item = self.dice.pick(&lying);
            self.dropped.retain(|(dropped, _)| *dropped != item);
            self.act(&format!("take {item}"), "Taken.", 60..=95);
        } else {
            let item = self.dice.pick(&held);
            self.dropped.push((item, here));
            self.act(&format!("drop {item}"), "Dropped.", 60..=95);
        }
    }

    fn holds(&self, item: &str) -> bool {
        !self.dropped.iter().any(|(dropped, _)| *dropped == item)
    }

    /// Writes down one turn.
    fn act(&mut self, action: &str, outcome: &str, approval: CriticRange) {
        let turn = self.steps.len() as u32 + 1;
        let at = self.seconds;
        self.seconds += 6 + self.dice.below(5);
        // The prompt grows until the agent's context is full. Three and fifteen dollars a million tokens.
        let input_tokens = 2_000 + 12 * turn.min(60) + self.dice.below(300);
        let output_tokens = 80 + self.dice.below(120);
        let cost_usd = f64::from(3 * input_tokens + 15 * output_tokens) / 1e6;
        // The plan is stated when it is new, and looked over every 25 turns.
        let objectives = (!self.announced || turn.is_multiple_of(25))
            .then(|| DamObjectives { active: vec![self.objective], completed: Vec::new() });
        self.announced = true;
        let critic = approval.start() + self.dice.below(approval.end() - approval.start() + 1);
        self.steps.push(DamStep {
            run: "dam",
            turn,
            at: format!("2025-11-03T{:02}:{:02}:{:02}Z", at / 3600, at / 60 % 60, at % 60),
            action: action.to_owned(),
            outcome: outcome.to_owned(),
            place: DamPlace {
                id: self.here.id,
                name: self.here.name,
                exits: self.here.exits.iter().map(|(direction, _)| *direction).collect(),
            },
            score: self.score,
            objectives,
            critic: DamCritic { score: f64::from(critic) / 100.0 },
            usage: DamUsage { input_tokens, output_tokens, cost_usd },
        });
    }
}

/// The range of the critic's score, in hundredths.
type CriticRange = std::ops::RangeInclusive<u32>;

#[cfg(test)]
mod tests;
