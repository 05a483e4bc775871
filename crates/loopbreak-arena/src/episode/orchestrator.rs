//! The turn, as the documents have it: context, proposal, critic, Loopbreak, the world, and round again.

use std::io::{self, Write};

use loopbreak::{EpochMillis, Guard, Pattern, Usage, Verdict};

use super::clock::{Clock, ticking};
use super::journal::Journal;
use super::moment::{Moment, Taken};
use super::progress::Progress;
use super::turn::{Actor, Turn};
use crate::critic::Critic;
use crate::ending::{Ending, of_game};
use crate::failure::{Failure, FailureKind};
use crate::halt::Halt;
use crate::player::Player;
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
    /// The episode ends when the player gave no proposal so many times in a row.
    pub failures: usize,
}

impl Default for Rules {
    fn default() -> Self {
        Rules { max_turns: 300, rejections: 3, discover_every: 10, stale_after: 30, failures: 3 }
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
    /// How often the player gave no proposal.
    pub player_failures: u64,
    /// How often the critic gave no score.
    pub critic_failures: u64,
    /// What was used by all who were asked, if they count it.
    pub usage: Usage,
}

/// Plays episodes: a world, a player, a critic, and a guard who watches them.
///
/// ```
/// use loopbreak::{Config, Guard};
/// use loopbreak_arena::{Heuristic, Orchestrator, PlayerKind, StoryWorld, stories};
///
/// let mut world = StoryWorld::new(stories::spillway(), 1);
/// let mut player = PlayerKind::Camper.player(2);
/// let mut critic = Heuristic::default();
/// let guard = Guard::new(Config::default());
/// let episode = Orchestrator::new(&mut world, &mut *player, &mut critic, guard).play("ep-1")?;
/// assert_eq!(episode.ending.mark(), "loop_break");
/// assert_eq!(episode.ending.reason(), "stuck_no_progress");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Orchestrator<'o, W: ?Sized> {
    pub(super) world: &'o mut W,
    pub(super) player: &'o mut dyn Player,
    pub(super) critic: &'o mut dyn Critic,
    pub(super) guard: Guard,
    pub(super) rules: Rules,
    pub(super) clock: Clock<'o>,
    pub(super) journal: Journal<'o>,
    pub(super) watch: Box<dyn FnMut(&Verdict) + 'o>,
    pub(super) view: Box<dyn FnMut(&Moment<'_>) + 'o>,
    halt: Halt,
}

impl<'o, W: World + ?Sized> Orchestrator<'o, W> {
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
            clock: ticking(EpochMillis(0), 1000),
            journal: Journal::new(None),
            watch: Box::new(|_| {}),
            view: Box::new(|_| {}),
            halt: Halt::default(),
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

    /// Shows everything that happens to somebody, as it happens.
    #[must_use]
    pub fn view(mut self, view: impl FnMut(&Moment<'_>) + 'o) -> Self {
        self.view = Box::new(view);
        self
    }

    /// Ends before the next turn when this sign is given.
    #[must_use]
    pub fn halt(mut self, halt: Halt) -> Self {
        self.halt = halt;
        self
    }

    /// Plays an episode to its end. Only the journal can fail; a world or a model that fails ends the episode.
    pub fn play(mut self, id: &str) -> io::Result<Episode> {
        let actor = Actor { run: id.to_owned(), model: self.player.name(), judged: self.critic.judges() };
        let mut progress = Progress::new(&self.rules);
        let begun = (self.clock)();
        self.journal.begin(&actor, begun, self.rules.max_turns)?;
        let (mut turn, mut sight) = (0, Sight::default());
        let ending = match self.world.reset() {
            Err(_) if self.halt.is_set() => Ending::Interrupted,
            Err(error) => Ending::Fault(error.to_string()),
            Ok(first) => {
                sight = first;
                progress.begin(&sight);
                if let Some(place) = &sight.place {
                    self.journal.first_place(&actor, begun, place)?;
                }
                (self.view)(&Moment::Begun { sight: &sight, map: &progress.map });
                self.turns(&actor, &mut turn, &mut sight, &mut progress)?
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
            player_failures: progress.player_failures,
            critic_failures: progress.critic_failures,
            usage: progress.used,
        })
    }

    /// Turn after turn, to the end.
    fn turns(
        &mut self,
        actor: &Actor,
        turn: &mut u64,
        sight: &mut Sight,
        progress: &mut Progress,
    ) -> io::Result<Ending> {
        let mut failures = 0;
        loop {
            if let Some(ending) = of_game(&sight.text, sight.over) {
                return Ok(ending);
            }
            if self.halt.is_set() {
                return Ok(Ending::Interrupted);
            }
            if *turn == self.rules.max_turns {
                return Ok(Ending::TurnLimit);
            }
            match self.turn(actor, *turn + 1, sight.place.as_ref(), progress)? {
                Course::Played(after, stop) => {
                    failures = 0;
                    *turn += 1;
                    *sight = after;
                    // The world's own end is told before ours.
                    if let (Some(reason), None) = (stop, of_game(&sight.text, sight.over)) {
                        return Ok(Ending::LoopBreak(reason));
                    }
                }
                Course::WorldFailed(_) if self.halt.is_set() => return Ok(Ending::Interrupted),
                Course::WorldFailed(fault) => return Ok(Ending::Fault(fault)),
                // A turn without a proposal is none: the world stands still, and the guard is shown nothing.
                Course::PlayerFailed(failure) => {
                    if failure.kind == FailureKind::Left {
                        return Ok(Ending::Left);
                    }
                    if self.halt.is_set() {
                        return Ok(Ending::Interrupted);
                    }
                    failures += 1;
                    progress.player_failures += 1;
                    self.note_failure(actor, *turn + 1, &failure, failures)?;
                    if failure.kind.is_final() || failures >= self.rules.failures {
                        return Ok(Ending::ModelFailed(failure.message));
                    }
                }
            }
        }
    }

    fn turn(
        &mut self,
        actor: &Actor,
        number: u64,
        from: Option<&Spot>,
        progress: &mut Progress,
    ) -> io::Result<Course> {
        progress.context.turn = number;
        let (chosen, overridden) = match self.choose(actor, number, progress)? {
            Ok(chosen) => chosen,
            Err(failure) => return Ok(Course::PlayerFailed(failure)),
        };
        progress.overridden += u64::from(overridden);
        let sight = match self.world.act(&chosen.action) {
            Ok(sight) => sight,
            Err(error) => return Ok(Course::WorldFailed(error.to_string())),
        };
        let before = progress.objectives.texts();
        let completed = progress.walked(from, &chosen.action, &sight, number, &self.rules);
        let after = progress.objectives.texts();
        let objectives = (before != after).then(|| after.clone());
        let (at, usage) = ((self.clock)(), progress.spent());
        let turn = Turn { number, at, chosen, overridden, sight, completed, objectives, usage };
        self.journal.turn(actor, &turn, from)?;

        let verdict = self.guard.observe(&actor.step(&turn));
        self.journal.events(turn.at, &verdict.events)?;
        (self.watch)(&verdict);
        let Turn { chosen, sight, .. } = turn;
        (self.view)(&Moment::Turn {
            taken: Taken {
                turn: number,
                action: &chosen.action,
                reason: &chosen.reason,
                critic: chosen.base,
                score: chosen.score,
                overridden,
                usage,
            },
            sight: &sight,
            map: &progress.map,
            objectives: &after,
            verdict: &verdict,
        });
        progress.after(number, chosen.action, &sight, after, &verdict);
        Ok(Course::Played(sight, verdict.stop.map(|stop| stop.reason)))
    }
}

/// What came of a turn.
enum Course {
    /// What is seen after it, and why to stop, if so.
    Played(Sight, Option<Pattern>),
    /// There was no proposal.
    PlayerFailed(Failure),
    /// The world could not go on.
    WorldFailed(String),
}
