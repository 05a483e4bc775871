//! The turn, as the documents have it: context, proposal, critic, Loopbreak, the world, and round again.

use std::io::{self, Write};

use loopbreak::{Audience, Guard, Millis, Proposal, Verdict};

use super::clock::{Clock, ticking};
use super::journal::Journal;
use super::turn::{Actor, Judged, Turn};
use crate::context::{Context, Refusal};
use crate::critic::Critic;
use crate::ending::{Ending, of_game};
use crate::map::Map;
use crate::objectives::{Objective, Objectives};
use crate::player::Player;
use crate::texts;
use crate::world::{Sight, Spot, World};

/// How an episode is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Turns at most.
    pub max_turns: u64,
    /// How often a turn's proposal is refused at most; after that the best one is taken as it is.
    pub rejections: usize,
    /// Objectives are looked for every so many turns.
    pub discover_every: u64,
    /// An objective that is open for so many turns is given up.
    pub stale_after: u64,
}

impl Default for Rules {
    fn default() -> Self {
        Rules { max_turns: 300, rejections: 3, discover_every: 10, stale_after: 30 }
    }
}

/// An episode that is over.
#[derive(Clone, Debug, PartialEq)]
pub struct Episode {
    /// Its name.
    pub id: String,
    /// How it ended.
    pub ending: Ending,
    /// How many turns were played.
    pub turns: u64,
    /// The score at the end.
    pub score: Option<i32>,
    /// How many places were seen.
    pub places: usize,
    /// How many objectives were completed.
    pub objectives: usize,
    /// How many proposals were refused.
    pub refused: u64,
    /// In how many turns a refused proposal was taken all the same.
    pub overridden: u64,
}

/// Plays episodes: a world, a player, a critic, and a guard who watches them.
///
/// ```
/// use loopbreak::{Config, Guard};
/// use loopbreak_arena::{Heuristic, Orchestrator, PlayerKind, StoryWorld, stories};
///
/// let mut world = StoryWorld::new(stories::spillway(), 1);
/// let mut player = PlayerKind::Oscillator.player(1);
/// let mut critic = Heuristic::default();
/// let guard = Guard::new(Config::default());
/// let episode = Orchestrator::new(&mut world, &mut *player, &mut critic, guard).play("ep-1")?;
/// assert_eq!(episode.ending.mark(), "loop_break");
/// assert_eq!(episode.ending.reason(), "stuck_no_progress");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Orchestrator<'o, W> {
    world: &'o mut W,
    player: &'o mut dyn Player,
    critic: &'o mut dyn Critic,
    guard: Guard,
    rules: Rules,
    clock: Clock<'o>,
    journal: Journal<'o>,
    watch: Box<dyn FnMut(&Verdict) + 'o>,
}

/// What goes on from turn to turn.
struct Progress {
    context: Context,
    map: Map,
    objectives: Objectives,
    completed: usize,
    refused: u64,
    overridden: u64,
}

impl<'o, W: World> Orchestrator<'o, W> {
    /// These, by the usual rules, with a clock that only ticks, and without a journal.
    pub fn new(
        world: &'o mut W,
        player: &'o mut dyn Player,
        critic: &'o mut dyn Critic,
        guard: Guard,
    ) -> Self {
        Orchestrator {
            world,
            player,
            critic,
            guard,
            rules: Rules::default(),
            clock: ticking(Millis(0), 1000),
            journal: Journal::new(None),
            watch: Box::new(|_| {}),
        }
    }

    /// By these rules.
    #[must_use]
    pub fn rules(mut self, rules: Rules) -> Self {
        self.rules = rules;
        self
    }

    /// With this clock.
    #[must_use]
    pub fn clock(mut self, clock: Clock<'o>) -> Self {
        self.clock = clock;
        self
    }

    /// With a journal, written to this.
    #[must_use]
    pub fn journal(mut self, to: impl Write + 'o) -> Self {
        self.journal = Journal::new(Some(Box::new(to)));
        self
    }

    /// Shows every verdict to somebody, in the order of the journal.
    #[must_use]
    pub fn watch(mut self, watch: impl FnMut(&Verdict) + 'o) -> Self {
        self.watch = Box::new(watch);
        self
    }

    /// Plays an episode to its end. Only the journal can fail; a story that fails ends the episode.
    pub fn play(mut self, id: &str) -> io::Result<Episode> {
        let actor = Actor { run: id.to_owned(), model: self.player.name() };
        let mut progress = Progress {
            context: Context::default(),
            map: Map::default(),
            objectives: Objectives::new(self.rules.stale_after),
            completed: 0,
            refused: 0,
            overridden: 0,
        };
        let begun = (self.clock)();
        self.journal.begin(&actor, begun, self.rules.max_turns)?;
        let mut turn = 0;
        let mut sight = Sight::default();
        let ending = match self.world.reset() {
            Err(error) => Ending::Fault(error.to_string()),
            Ok(first) => {
                sight = first;
                if let Some(place) = &sight.place {
                    progress.map.add(place);
                    self.journal.first_place(&actor, begun, place)?;
                }
                progress.context.text.clone_from(&sight.text);
                loop {
                    if let Some(ending) = of_game(&sight.text, sight.over) {
                        break ending;
                    }
                    if turn == self.rules.max_turns {
                        break Ending::TurnLimit;
                    }
                    turn += 1;
                    match self.turn(&actor, turn, sight.place.as_ref(), &mut progress)? {
                        Ok((after, stop)) => {
                            sight = after;
                            // The world's own end is told before ours.
                            if let (Some(reason), None) = (stop, of_game(&sight.text, sight.over)) {
                                break Ending::LoopBreak(reason);
                            }
                        }
                        Err(fault) => break Ending::Fault(fault),
                    }
                }
            }
        };
        let over = (self.clock)();
        self.journal.end(&actor, turn, over, &ending, sight.score)?;
        Ok(Episode {
            id: actor.run,
            ending,
            turns: turn,
            score: sight.score,
            places: progress.map.len(),
            objectives: progress.completed,
            refused: progress.refused,
            overridden: progress.overridden,
        })
    }

    /// One turn: what is seen after it, and why to stop, if so; or how the world failed.
    fn turn(
        &mut self,
        actor: &Actor,
        number: u64,
        from: Option<&Spot>,
        progress: &mut Progress,
    ) -> io::Result<Result<(Sight, Option<&'static str>), String>> {
        progress.context.turn = number;
        let (chosen, overridden) = self.choose(actor, number, progress)?;
        progress.overridden += u64::from(overridden);
        let sight = match self.world.act(&chosen.action) {
            Ok(sight) => sight,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let before = progress.objectives.texts();
        let completed = progress.walked(from, &chosen.action, &sight, number, &self.rules);
        let after = progress.objectives.texts();
        let objectives = (before != after).then(|| after.clone());
        let turn = Turn { number, at: (self.clock)(), chosen, overridden, sight, completed, objectives };
        self.journal.turn(actor, &turn, from)?;

        let verdict = self.guard.observe(&actor.step(&turn));
        self.journal.events(turn.at, &verdict.events)?;
        (self.watch)(&verdict);
        let said = |audience| said_to(&verdict, audience);
        progress.context = Context {
            turn: number,
            last_action: Some(turn.chosen.action),
            text: turn.sight.text.clone(),
            objectives: after,
            advice: said(Audience::Agent),
            critic_advice: said(Audience::Critic),
            refused: Vec::new(),
        };
        Ok(Ok((turn.sight, verdict.stop.map(|stop| stop.reason))))
    }

    /// Asks the player until a proposal is worth enough, or too many were not: then the best of them is taken.
    fn choose(&mut self, actor: &Actor, turn: u64, progress: &mut Progress) -> io::Result<(Judged, bool)> {
        let mut best: Option<Judged> = None;
        for attempt in 1.. {
            let context = &progress.context;
            let wish = self.player.propose(context);
            let opinion = self.critic.judge(context, &wish.action);
            let ruling = self.guard.weigh(&Proposal::new(wish.action.as_str(), opinion.score));
            let judged = Judged {
                action: wish.action,
                reason: wish.reason,
                base: opinion.score,
                justification: opinion.justification,
                score: ruling.score,
            };
            if ruling.accepted {
                return Ok((judged, false));
            }
            let last = attempt > self.rules.rejections;
            if !last {
                let mut reasons = Vec::new();
                if ruling.base < ruling.accept_at {
                    reasons.push(format!("it {}", judged.justification));
                }
                reasons.extend(ruling.adjustments.into_iter().filter(|one| one.acted).map(|one| one.reason));
                reasons.extend(
                    ruling
                        .advice
                        .into_iter()
                        .filter(|one| one.audience == Audience::Agent)
                        .map(|one| one.text),
                );
                let at = (self.clock)();
                self.journal.rejected(actor, (turn, attempt), at, &judged, &reasons)?;
                let verdict = self.guard.observe(&actor.refused(&judged, at));
                self.journal.events(at, &verdict.events)?;
                (self.watch)(&verdict);
                reasons.extend(said_to(&verdict, Audience::Agent));
                progress.refused += 1;
                let Judged { ref action, base, score, .. } = judged;
                progress.context.refused.push(Refusal { action: action.clone(), base, score, reasons });
            }
            if best.as_ref().is_none_or(|best| judged.score > best.score) {
                best = Some(judged);
            }
            if last {
                break;
            }
        }
        // There was at least one proposal; without any, the world is looked at.
        let best = best.unwrap_or_else(|| Judged {
            action: "look".to_owned(),
            reason: String::new(),
            base: 0.0,
            justification: String::new(),
            score: 0.0,
        });
        Ok((best, true))
    }
}

impl Progress {
    /// Brings map and objectives up to date: gives what was completed.
    fn walked(
        &mut self,
        from: Option<&Spot>,
        action: &str,
        sight: &Sight,
        turn: u64,
        rules: &Rules,
    ) -> Vec<Objective> {
        let Some(here) = &sight.place else { return Vec::new() };
        self.map.add(here);
        // A world that lists no exits may speak of them where it describes the place.
        if here.exits.is_empty() && texts::title(&sight.text) == Some(here.name.as_str()) {
            self.map.add_ways(here.id, &texts::mentioned(&sight.text));
        }
        let mut completed = Vec::new();
        if let (Some(from), Some(way)) = (from, texts::way(action)) {
            if from.id == here.id {
                self.objectives.obstacle(&here.name, here.id, way, &sight.text, turn);
            } else {
                self.map.connect(from.id, way, here.id);
                completed = self.objectives.complete(from.id, way);
                self.completed += completed.len();
            }
        }
        self.objectives.give_up_stale(turn);
        if rules.discover_every > 0 && turn.is_multiple_of(rules.discover_every) {
            self.objectives.discover(&self.map, here.id, turn);
        }
        completed
    }
}

/// The texts of a verdict for somebody.
fn said_to(verdict: &Verdict, audience: Audience) -> Vec<String> {
    verdict
        .advice
        .iter()
        .filter(|advice| advice.audience == audience)
        .map(|advice| advice.text.clone())
        .collect()
}
