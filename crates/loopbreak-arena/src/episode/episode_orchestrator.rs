//! Plays an episode turn by turn: context, proposal, critic, Loopbreak, world.

use std::io::{self, Write};

use loopbreak::{Guard, Pattern, Usage, Verdict, step::EpochMillis};

use super::episode_clock::{EpisodeClock, ticking_clock};
use super::episode_event::{EpisodeEvent, TakenAction};
use super::episode_journal::EpisodeJournal;
use super::episode_progress::EpisodeProgress;
use super::played_turn::{EpisodeActor, PlayedTurn};
use crate::agent_failure::{AgentFailure, FailureKind};
use crate::cancel_flag::CancelFlag;
use crate::episode::{EpisodeEnding, ending_of_game};
use crate::player::GamePlayer;
use crate::proposal_critic::ProposalCritic;
use crate::world::{GameWorld, WorldLocation, WorldObservation};

/// The rules of an episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EpisodeRules {
    /// Maximum number of turns.
    pub max_turns: u64,
    /// Maximum number of refusals per turn; after that, the best proposal is taken.
    pub rejections: usize,
    /// Interval in turns at which objectives are discovered.
    pub discover_every: u64,
    /// Number of turns after which an open objective is given up.
    pub stale_after: u64,
    /// Number of consecutive failures of the player that end the episode.
    pub failures: usize,
}

impl Default for EpisodeRules {
    fn default() -> Self {
        EpisodeRules { max_turns: 300, rejections: 3, discover_every: 10, stale_after: 30, failures: 3 }
    }
}

/// The result of an episode.
#[derive(Clone, Debug, PartialEq)]
pub struct EpisodeResult {
    /// Name of the episode.
    pub id: String,
    /// Ending of the episode.
    pub ending: EpisodeEnding,
    /// Number of turns played.
    pub turns: u64,
    /// Final score.
    pub score: Option<i32>,
    /// Number of places seen.
    pub places: usize,
    /// Number of completed objectives.
    pub objectives: usize,
    /// Number of refused proposals.
    pub refused: u64,
    /// Number of turns in which a refused proposal was taken.
    pub overridden: u64,
    /// Number of failures of the player.
    pub player_failures: u64,
    /// Number of failures of the critic.
    pub critic_failures: u64,
    /// Total usage of all participants, if they report it.
    pub usage: Usage,
}

/// Plays episodes with a world, a player, a critic and a guard.
///
/// ```
/// use loopbreak::{Config, Guard};
/// use loopbreak_arena::{EpisodeOrchestrator, HeuristicCritic, PlayerKind, StoryWorld, stories};
///
/// let mut world = StoryWorld::new(stories::spillway(), 1);
/// let mut player = PlayerKind::Camper.player(2);
/// let mut critic = HeuristicCritic::default();
/// let guard = Guard::new(Config::default());
/// let episode = EpisodeOrchestrator::new(&mut world, &mut *player, &mut critic, guard).play("ep-1")?;
/// assert_eq!(episode.ending.as_str(), "loop_break");
/// assert_eq!(episode.ending.reason(), "stuck_no_progress");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct EpisodeOrchestrator<'o, W: ?Sized> {
    pub(super) world: &'o mut W,
    pub(super) player: &'o mut dyn GamePlayer,
    pub(super) critic: &'o mut dyn ProposalCritic,
    pub(super) guard: Guard,
    pub(super) rules: EpisodeRules,
    pub(super) clock: EpisodeClock<'o>,
    pub(super) journal: EpisodeJournal<'o>,
    pub(super) watch: Box<dyn FnMut(&Verdict) + 'o>,
    pub(super) view: Box<dyn FnMut(&EpisodeEvent<'_>) + 'o>,
    cancel: CancelFlag,
}

impl<'o, W: GameWorld + ?Sized> EpisodeOrchestrator<'o, W> {
    /// Creates an orchestrator with default rules, a ticking clock and no journal.
    pub fn new(
        world: &'o mut W,
        player: &'o mut dyn GamePlayer,
        critic: &'o mut dyn ProposalCritic,
        guard: Guard,
    ) -> Self {
        EpisodeOrchestrator {
            world,
            player,
            critic,
            guard,
            rules: EpisodeRules::default(),
            clock: ticking_clock(EpochMillis(0), 1000),
            journal: EpisodeJournal::new(None),
            watch: Box::new(|_| {}),
            view: Box::new(|_| {}),
            cancel: CancelFlag::default(),
        }
    }

    /// Sets the rules.
    #[must_use]
    pub fn rules(mut self, rules: EpisodeRules) -> Self {
        self.rules = rules;
        self
    }

    /// Sets the clock.
    #[must_use]
    pub fn clock(mut self, clock: EpisodeClock<'o>) -> Self {
        self.clock = clock;
        self
    }

    /// Writes a journal.
    #[must_use]
    pub fn journal(mut self, to: impl Write + 'o) -> Self {
        self.journal = EpisodeJournal::new(Some(Box::new(to)));
        self
    }

    /// Calls `watch` with every verdict, in the order of the journal.
    #[must_use]
    pub fn watch(mut self, watch: impl FnMut(&Verdict) + 'o) -> Self {
        self.watch = Box::new(watch);
        self
    }

    /// Calls `view` with every event as it happens.
    #[must_use]
    pub fn view(mut self, view: impl FnMut(&EpisodeEvent<'_>) + 'o) -> Self {
        self.view = Box::new(view);
        self
    }

    /// Sets the flag that ends the episode before the next turn.
    #[must_use]
    pub fn cancel(mut self, cancel: CancelFlag) -> Self {
        self.cancel = cancel;
        self
    }

    /// Plays an episode to its end. Only the journal can fail; a failing world or model ends the episode.
    pub fn play(mut self, id: &str) -> io::Result<EpisodeResult> {
        let actor =
            EpisodeActor { run: id.to_owned(), model: self.player.name(), judged: self.critic.is_active() };
        let mut progress = EpisodeProgress::new(&self.rules);
        let begun = (self.clock)();
        self.journal.begin(&actor, begun, self.rules.max_turns)?;
        let (mut turn, mut observation) = (0, WorldObservation::default());
        let ending = match self.world.reset() {
            Err(_) if self.cancel.is_cancelled() => EpisodeEnding::Interrupted,
            Err(error) => EpisodeEnding::Fault(error.to_string()),
            Ok(first) => {
                observation = first;
                progress.begin(&observation);
                if let Some(place) = &observation.place {
                    self.journal.first_place(&actor, begun, place)?;
                }
                (self.view)(&EpisodeEvent::Begun { observation: &observation, map: &progress.map });
                self.turns(&actor, &mut turn, &mut observation, &mut progress)?
            }
        };
        let over = (self.clock)();
        self.journal.end(&actor, turn, over, &ending, observation.score)?;
        Ok(EpisodeResult {
            id: actor.run,
            ending,
            turns: turn,
            score: observation.score,
            places: progress.map.len(),
            objectives: progress.completed,
            refused: progress.refused,
            overridden: progress.overridden,
            player_failures: progress.player_failures,
            critic_failures: progress.critic_failures,
            usage: progress.used,
        })
    }

    /// Plays turns until the end.
    fn turns(
        &mut self,
        actor: &EpisodeActor,
        turn: &mut u64,
        observation: &mut WorldObservation,
        progress: &mut EpisodeProgress,
    ) -> io::Result<EpisodeEnding> {
        let mut failures = 0;
        loop {
            if let Some(ending) = ending_of_game(&observation.text, observation.over) {
                return Ok(ending);
            }
            if self.cancel.is_cancelled() {
                return Ok(EpisodeEnding::Interrupted);
            }
            if *turn == self.rules.max_turns {
                return Ok(EpisodeEnding::TurnLimit);
            }
            match self.turn(actor, *turn + 1, observation.place.as_ref(), progress)? {
                TurnOutcome::Played(after, stop) => {
                    failures = 0;
                    *turn += 1;
                    *observation = after;
                    // An ending of the game takes precedence over a stop by Loopbreak.
                    if let (Some(reason), None) = (stop, ending_of_game(&observation.text, observation.over))
                    {
                        return Ok(EpisodeEnding::LoopBreak(reason));
                    }
                }
                TurnOutcome::WorldFailed(_) if self.cancel.is_cancelled() => {
                    return Ok(EpisodeEnding::Interrupted);
                }
                TurnOutcome::WorldFailed(fault) => return Ok(EpisodeEnding::Fault(fault)),
                // A turn without a proposal does not count: the world does not change, and the guard observes
                // nothing.
                TurnOutcome::PlayerFailed(failure) => {
                    if failure.kind == FailureKind::Left {
                        return Ok(EpisodeEnding::Left);
                    }
                    if self.cancel.is_cancelled() {
                        return Ok(EpisodeEnding::Interrupted);
                    }
                    failures += 1;
                    progress.player_failures += 1;
                    self.record_failure(actor, *turn + 1, &failure, failures)?;
                    if failure.kind.is_final() || failures >= self.rules.failures {
                        return Ok(EpisodeEnding::ModelFailed(failure.message));
                    }
                }
            }
        }
    }

    fn turn(
        &mut self,
        actor: &EpisodeActor,
        number: u64,
        from: Option<&WorldLocation>,
        progress: &mut EpisodeProgress,
    ) -> io::Result<TurnOutcome> {
        progress.context.turn = number;
        let (chosen, overridden) = match self.choose(actor, number, progress)? {
            Ok(chosen) => chosen,
            Err(failure) => return Ok(TurnOutcome::PlayerFailed(failure)),
        };
        progress.overridden += u64::from(overridden);
        let observation = match self.world.act(&chosen.action) {
            Ok(observation) => observation,
            Err(error) => return Ok(TurnOutcome::WorldFailed(error.to_string())),
        };
        let before = progress.objectives.texts();
        let completed = progress.update_map(from, &chosen.action, &observation, number, &self.rules);
        let after = progress.objectives.texts();
        let objectives = (before != after).then(|| after.clone());
        let (at, usage) = ((self.clock)(), progress.take_usage());
        let turn = PlayedTurn { number, at, chosen, overridden, observation, completed, objectives, usage };
        self.journal.turn(actor, &turn, from)?;

        let verdict = self.guard.observe(&actor.step(&turn));
        self.journal.events(turn.at, &verdict.events)?;
        (self.watch)(&verdict);
        let PlayedTurn { chosen, observation, .. } = turn;
        (self.view)(&EpisodeEvent::Turn {
            taken: TakenAction {
                turn: number,
                action: &chosen.action,
                reason: &chosen.reason,
                critic: chosen.base,
                score: chosen.score,
                overridden,
                usage,
            },
            observation: &observation,
            map: &progress.map,
            objectives: &after,
            verdict: &verdict,
        });
        progress.update_context(number, chosen.action, &observation, after, &verdict);
        Ok(TurnOutcome::Played(observation, verdict.stop.map(|stop| stop.reason)))
    }
}

/// The outcome of a turn.
enum TurnOutcome {
    /// The observation after the turn, and the pattern to stop for, if any.
    Played(WorldObservation, Option<Pattern>),
    /// There was no proposal.
    PlayerFailed(AgentFailure),
    /// The world failed.
    WorldFailed(String),
}
