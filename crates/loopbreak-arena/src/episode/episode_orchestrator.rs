//! The turn, as the documents have it: context, proposal, critic, Loopbreak, the world, and round again.

use std::io::{self, Write};

use loopbreak::{EpochMillis, Guard, Pattern, Usage, Verdict};

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

/// How an episode is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EpisodeRules {
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

impl Default for EpisodeRules {
    fn default() -> Self {
        EpisodeRules { max_turns: 300, rejections: 3, discover_every: 10, stale_after: 30, failures: 3 }
    }
}

/// An episode that is over.
#[derive(Clone, Debug, PartialEq)]
pub struct EpisodeResult {
    /// Its name.
    pub id: String,
    /// How it ended.
    pub ending: EpisodeEnding,
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
    /// These, by the usual rules, with a clock that only ticks, and without a journal.
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

    /// By these rules.
    #[must_use]
    pub fn rules(mut self, rules: EpisodeRules) -> Self {
        self.rules = rules;
        self
    }

    /// With this clock.
    #[must_use]
    pub fn clock(mut self, clock: EpisodeClock<'o>) -> Self {
        self.clock = clock;
        self
    }

    /// With a journal, written to this.
    #[must_use]
    pub fn journal(mut self, to: impl Write + 'o) -> Self {
        self.journal = EpisodeJournal::new(Some(Box::new(to)));
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
    pub fn view(mut self, view: impl FnMut(&EpisodeEvent<'_>) + 'o) -> Self {
        self.view = Box::new(view);
        self
    }

    /// Ends before the next turn when this sign is given.
    #[must_use]
    pub fn cancel(mut self, cancel: CancelFlag) -> Self {
        self.cancel = cancel;
        self
    }

    /// Plays an episode to its end. Only the journal can fail; a world or a model that fails ends the episode.
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

    /// Turn after turn, to the end.
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
                    // The world's own end is told before ours.
                    if let (Some(reason), None) = (stop, ending_of_game(&observation.text, observation.over))
                    {
                        return Ok(EpisodeEnding::LoopBreak(reason));
                    }
                }
                TurnOutcome::WorldFailed(_) if self.cancel.is_cancelled() => {
                    return Ok(EpisodeEnding::Interrupted);
                }
                TurnOutcome::WorldFailed(fault) => return Ok(EpisodeEnding::Fault(fault)),
                // A turn without a proposal is none: the world stands still, and the guard is shown nothing.
                TurnOutcome::PlayerFailed(failure) => {
                    if failure.kind == FailureKind::Left {
                        return Ok(EpisodeEnding::Left);
                    }
                    if self.cancel.is_cancelled() {
                        return Ok(EpisodeEnding::Interrupted);
                    }
                    failures += 1;
                    progress.player_failures += 1;
                    self.note_failure(actor, *turn + 1, &failure, failures)?;
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
        let completed = progress.walked(from, &chosen.action, &observation, number, &self.rules);
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
        progress.after(number, chosen.action, &observation, after, &verdict);
        Ok(TurnOutcome::Played(observation, verdict.stop.map(|stop| stop.reason)))
    }
}

/// What came of a turn.
enum TurnOutcome {
    /// What is seen after it, and why to stop, if so.
    Played(WorldObservation, Option<Pattern>),
    /// There was no proposal.
    PlayerFailed(AgentFailure),
    /// The world could not go on.
    WorldFailed(String),
}
