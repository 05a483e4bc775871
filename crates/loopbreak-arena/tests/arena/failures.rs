//! Failing players and critics: the effect on the episode and its journal.

use std::collections::VecDeque;
use std::io::Cursor;

use loopbreak::{Config, Guard, Profile, Settings, Usage};
use loopbreak_arena::{
    AgentFailure, CriticOpinion, EpisodeEnding, EpisodeOrchestrator, EpisodeResult, EpisodeRules,
    FailureKind, GamePlayer, HeuristicCritic, NoCritic, PlayerContext, PlayerMove, ProposalCritic,
    StoryWorld, stories,
};
use loopbreak_trace::{LogRecord, OpenedLog, RecordSink, SkippedLine};
use serde_json::Value;

/// Plays a script of commands and failures, then looks around forever.
struct MoodyPlayer {
    moods: VecDeque<Result<&'static str, FailureKind>>,
    asked: usize,
}

impl MoodyPlayer {
    fn new(moods: &[Result<&'static str, FailureKind>]) -> Self {
        MoodyPlayer { moods: moods.iter().copied().collect(), asked: 0 }
    }
}

impl GamePlayer for MoodyPlayer {
    fn name(&self) -> String {
        "moody".to_owned()
    }

    fn propose(&mut self, _: &PlayerContext) -> Result<PlayerMove, AgentFailure> {
        self.asked += 1;
        match self.moods.pop_front().unwrap_or(Ok("look")) {
            Ok(action) => Ok(action.into()),
            Err(kind) => Err(AgentFailure::new(kind, format!("it is a {kind}"))),
        }
    }

    fn take_usage(&mut self) -> Usage {
        Usage { input_tokens: Some(100), output_tokens: Some(10), cost_usd: Some(0.001), ..Usage::default() }
    }
}

/// A critic that always fails.
struct BrokenCritic;

impl ProposalCritic for BrokenCritic {
    fn judge(&mut self, _: &PlayerContext, _: &str) -> Result<Option<CriticOpinion>, AgentFailure> {
        Err(AgentFailure::new(FailureKind::Malformed, "the critic speaks in tongues"))
    }
}

struct FailingGame {
    episode: EpisodeResult,
    journal: Vec<u8>,
    verdicts: Vec<String>,
}

impl FailingGame {
    fn events(&self, name: &str) -> Vec<Value> {
        let lines = std::str::from_utf8(&self.journal).unwrap().lines();
        let lines = lines.map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.filter(|line| line["event_type"] == name).collect()
    }
}

fn config() -> Config {
    let mut settings = Settings::from(Profile::Game);
    settings.budget.max_cost = 0.02;
    Config::new(settings).unwrap()
}

fn play(player: &mut dyn GamePlayer, critic: &mut dyn ProposalCritic, max_turns: u64) -> FailingGame {
    let mut world = StoryWorld::new(stories::spillway(), 1);
    let (mut journal, mut verdicts) = (Vec::new(), Vec::new());
    let episode = EpisodeOrchestrator::new(&mut world, player, critic, Guard::new(config()))
        .rules(EpisodeRules { max_turns, ..EpisodeRules::default() })
        .journal(&mut journal)
        .watch(|verdict| verdicts.push(serde_json::to_string(verdict).unwrap()))
        .play("ep-1")
        .unwrap();
    FailingGame { episode, journal, verdicts }
}

struct FailureReplay(Guard, Vec<String>);

impl RecordSink for FailureReplay {
    fn record(&mut self, record: &LogRecord<'_>) {
        self.1.push(serde_json::to_string(&self.0.observe(&record.step)).unwrap());
    }
    fn skipped(&mut self, skipped: SkippedLine) {
        panic!("line {} was skipped: {}", skipped.line, skipped.reason);
    }
}

/// Judges the journal again and compares the verdicts with those of the live guard.
fn assert_replays(played: &FailingGame) {
    let mut replay = FailureReplay(Guard::new(config()), Vec::new());
    OpenedLog::from_stream(Cursor::new(played.journal.clone()), None, |_| {})
        .unwrap()
        .read(&mut replay)
        .unwrap();
    assert_eq!(played.verdicts, replay.1);
}

use FailureKind::{Denied, Left, Timeout};

#[test]
fn three_consecutive_failures_end_the_episode_as_a_model_failure() {
    let mut moody = MoodyPlayer::new(&[Ok("north"), Err(Timeout), Err(Timeout), Err(Timeout)]);
    let played = play(&mut moody, &mut HeuristicCritic::default(), 50);
    assert_eq!(played.episode.ending, EpisodeEnding::ModelFailed("it is a timeout".to_owned()));
    assert_eq!((played.episode.turns, played.episode.player_failures), (1, 3));
    let failed = played.events("agent_failed");
    let rows: Vec<u64> = failed.iter().map(|line| line["failures_in_a_row"].as_u64().unwrap()).collect();
    assert_eq!(rows, [1, 2, 3]);
    assert!(failed.iter().all(|line| line["turn"] == 2 && line["failure"] == "timeout"));
    let end = &played.events("episode_finalized")[0];
    assert_eq!((&end["ending"], &end["turn"]), (&"model_failed".into(), &1.into()));
    assert_eq!(played.events("stuck_termination").len(), 0);
    assert_replays(&played);
}

#[test]
fn failures_separated_by_an_answer_do_not_add_up() {
    let two = [Err(Timeout), Err(Timeout)];
    let moods = [&two[..], &[Ok("north")], &two, &[Ok("north")], &two, &[Ok("south")]].concat();
    let played = play(&mut MoodyPlayer::new(&moods), &mut HeuristicCritic::default(), 3);
    assert_eq!(played.episode.ending, EpisodeEnding::TurnLimit);
    assert_eq!((played.episode.turns, played.episode.player_failures), (3, 6));
    let turns: Vec<Value> =
        played.events("turn_completed").into_iter().map(|line| line["turn"].clone()).collect();
    assert_eq!(turns, [1, 2, 3]);
    assert_replays(&played);
}

#[test]
fn a_final_failure_is_not_retried() {
    let mut moody = MoodyPlayer::new(&[Err(Denied)]);
    let played = play(&mut moody, &mut HeuristicCritic::default(), 50);
    assert_eq!((played.episode.ending.as_str(), moody.asked), ("model_failed", 1));
    let left = play(&mut MoodyPlayer::new(&[Ok("north"), Err(Left)]), &mut HeuristicCritic::default(), 50);
    assert_eq!((left.episode.ending, left.episode.player_failures), (EpisodeEnding::Left, 0));
}

#[test]
fn a_failure_after_a_refusal_takes_the_best_proposal() {
    // The critic sees that there is no exit down.
    let mut moody = MoodyPlayer::new(&[Ok("down"), Err(Timeout), Ok("north")]);
    let played = play(&mut moody, &mut HeuristicCritic::default(), 2);
    assert_eq!((played.episode.turns, played.episode.player_failures), (2, 1));
    assert_eq!((played.episode.refused, played.episode.overridden), (1, 1));
    assert_eq!(played.events("final_action_selection")[0]["agent_action"], "down");
    assert_replays(&played);
}

#[test]
fn without_a_critic_only_loopbreak_weighs_proposals() {
    for (critic, failures) in [(&mut BrokenCritic as &mut dyn ProposalCritic, true), (&mut NoCritic, false)] {
        let moods: Vec<_> = (0..40).map(|turn| Ok(if turn % 2 == 0 { "north" } else { "south" })).collect();
        let played = play(&mut MoodyPlayer::new(&moods), critic, 12);
        assert_eq!(played.episode.critic_failures > 0, failures);
        assert_eq!(played.events("critic_failed").is_empty(), !failures);
        assert_eq!(played.events("orchestrator_init")[0]["critic_enabled"], failures);
        assert!(played.events("final_action_selection").iter().all(|line| line["critic_score"].is_null()));
        assert_replays(&played);
    }
}

#[test]
fn usage_of_failed_answers_counts_towards_the_budget() {
    let mut moods = vec![Err(Timeout), Err(Timeout)];
    moods.extend(["north", "south"].repeat(20).into_iter().map(Ok));
    let played = play(&mut MoodyPlayer::new(&moods), &mut NoCritic, 50);
    assert_eq!(played.episode.ending, EpisodeEnding::LoopBreak(loopbreak::Pattern::MaxCost));
    // Two failures, and every proposal, refused or not.
    let first = &played.events("turn_completed")[0]["usage"];
    assert_eq!((&first["input_tokens"], &first["output_tokens"]), (&300.into(), &30.into()));
    assert!(played.episode.usage.cost_usd.unwrap() >= 0.02);
    assert_replays(&played);
}
