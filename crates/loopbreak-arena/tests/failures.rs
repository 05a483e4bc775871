//! Players and critics that fail: what becomes of the episode, and of its journal.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::VecDeque;
use std::io::Cursor;

use loopbreak::{Config, Guard, Profile, Settings, Usage};
use loopbreak_arena::{
    Context, Critic, Ending, Episode, Failure, FailureKind, Heuristic, Move, NoCritic, Opinion, Orchestrator,
    Player, Rules, StoryWorld, stories,
};
use loopbreak_trace::{LogRecord, OpenedLog, RecordSink, SkippedLine};
use serde_json::Value;

/// Does what it is told to do, failures included; then it looks, for ever.
struct Moody {
    moods: VecDeque<Result<&'static str, FailureKind>>,
    asked: usize,
}

impl Moody {
    fn new(moods: &[Result<&'static str, FailureKind>]) -> Self {
        Moody { moods: moods.iter().copied().collect(), asked: 0 }
    }
}

impl Player for Moody {
    fn name(&self) -> String {
        "moody".to_owned()
    }

    fn propose(&mut self, _: &Context) -> Result<Move, Failure> {
        self.asked += 1;
        match self.moods.pop_front().unwrap_or(Ok("look")) {
            Ok(action) => Ok(action.into()),
            Err(kind) => Err(Failure::new(kind, format!("it is a {kind}"))),
        }
    }

    fn spent(&mut self) -> Usage {
        Usage { input_tokens: Some(100), output_tokens: Some(10), cost_usd: Some(0.001) }
    }
}

/// Has no opinion, for it fails.
struct Broken;

impl Critic for Broken {
    fn judge(&mut self, _: &Context, _: &str) -> Result<Option<Opinion>, Failure> {
        Err(Failure::new(FailureKind::Malformed, "the critic speaks in tongues"))
    }
}

struct Played {
    episode: Episode,
    journal: Vec<u8>,
    verdicts: Vec<String>,
}

impl Played {
    fn events(&self, name: &str) -> Vec<Value> {
        let lines = std::str::from_utf8(&self.journal).unwrap().lines();
        let lines = lines.map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.filter(|line| line["event_type"] == name).collect()
    }
}

fn config() -> Config {
    let mut settings = Settings::of(Profile::Game);
    settings.budget.max_cost = 0.02;
    Config::new(settings).unwrap()
}

fn play(player: &mut dyn Player, critic: &mut dyn Critic, max_turns: u64) -> Played {
    let mut world = StoryWorld::new(stories::spillway(), 1);
    let (mut journal, mut verdicts) = (Vec::new(), Vec::new());
    let episode = Orchestrator::new(&mut world, player, critic, Guard::new(config()))
        .rules(Rules { max_turns, ..Rules::default() })
        .journal(&mut journal)
        .watch(|verdict| verdicts.push(serde_json::to_string(verdict).unwrap()))
        .play("ep-1")
        .unwrap();
    Played { episode, journal, verdicts }
}

struct Replay(Guard, Vec<String>);

impl RecordSink for Replay {
    fn record(&mut self, record: &LogRecord<'_>) {
        self.1.push(serde_json::to_string(&self.0.observe(&record.step)).unwrap());
    }
    fn skipped(&mut self, skipped: SkippedLine) {
        panic!("line {} was skipped: {}", skipped.line, skipped.reason);
    }
}

/// Judges the journal again: the verdicts have to be those of the live guard.
fn assert_replays(played: &Played) {
    let mut replay = Replay(Guard::new(config()), Vec::new());
    OpenedLog::from_stream(Cursor::new(played.journal.clone()), None, |_| {})
        .unwrap()
        .read(&mut replay)
        .unwrap();
    assert_eq!(played.verdicts, replay.1);
}

use FailureKind::{Denied, Left, Timeout};

#[test]
fn three_failures_in_a_row_end_the_episode_as_a_failure_of_the_model_and_not_as_a_loop() {
    let mut moody = Moody::new(&[Ok("north"), Err(Timeout), Err(Timeout), Err(Timeout)]);
    let played = play(&mut moody, &mut Heuristic::default(), 50);
    assert_eq!(played.episode.ending, Ending::ModelFailed("it is a timeout".to_owned()));
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
fn failures_with_an_answer_between_them_do_not_add_up_and_are_no_turns() {
    let two = [Err(Timeout), Err(Timeout)];
    let moods = [&two[..], &[Ok("north")], &two, &[Ok("north")], &two, &[Ok("south")]].concat();
    let played = play(&mut Moody::new(&moods), &mut Heuristic::default(), 3);
    assert_eq!(played.episode.ending, Ending::TurnLimit);
    assert_eq!((played.episode.turns, played.episode.player_failures), (3, 6));
    let turns: Vec<Value> =
        played.events("turn_completed").into_iter().map(|line| line["turn"].clone()).collect();
    assert_eq!(turns, [1, 2, 3]);
    assert_replays(&played);
}

#[test]
fn what_will_not_get_better_is_not_tried_again() {
    let mut moody = Moody::new(&[Err(Denied)]);
    let played = play(&mut moody, &mut Heuristic::default(), 50);
    assert_eq!((played.episode.ending.mark(), moody.asked), ("model_failed", 1));
    let left = play(&mut Moody::new(&[Ok("north"), Err(Left)]), &mut Heuristic::default(), 50);
    assert_eq!((left.episode.ending, left.episode.player_failures), (Ending::Left, 0));
}

#[test]
fn a_player_that_fails_after_a_refusal_has_its_best_proposal_taken() {
    // The critic sees that there is no way down.
    let mut moody = Moody::new(&[Ok("down"), Err(Timeout), Ok("north")]);
    let played = play(&mut moody, &mut Heuristic::default(), 2);
    assert_eq!((played.episode.turns, played.episode.player_failures), (2, 1));
    assert_eq!((played.episode.refused, played.episode.overridden), (1, 1));
    assert_eq!(played.events("final_action_selection")[0]["agent_action"], "down");
    assert_replays(&played);
}

#[test]
fn a_critic_that_fails_leaves_the_weighing_to_loopbreak() {
    for (critic, failures) in [(&mut Broken as &mut dyn Critic, true), (&mut NoCritic, false)] {
        let moods: Vec<_> = (0..40).map(|turn| Ok(if turn % 2 == 0 { "north" } else { "south" })).collect();
        let played = play(&mut Moody::new(&moods), critic, 12);
        assert_eq!(played.episode.critic_failures > 0, failures);
        assert_eq!(played.events("critic_failed").is_empty(), !failures);
        assert_eq!(played.events("orchestrator_init")[0]["critic_enabled"], failures);
        assert!(played.events("final_action_selection").iter().all(|line| line["critic_score"].is_null()));
        assert_replays(&played);
    }
}

#[test]
fn what_is_used_counts_for_the_budget_also_where_it_was_for_nothing() {
    let mut moods = vec![Err(Timeout), Err(Timeout)];
    moods.extend(["north", "south"].repeat(20).into_iter().map(Ok));
    let played = play(&mut Moody::new(&moods), &mut NoCritic, 50);
    assert_eq!(played.episode.ending, Ending::LoopBreak(loopbreak::Pattern::MaxCost));
    // Two failures, and then every proposal, refused or not.
    let first = &played.events("turn_completed")[0]["usage"];
    assert_eq!((&first["input_tokens"], &first["output_tokens"]), (&300.into(), &30.into()));
    assert!(played.episode.usage.cost_usd.unwrap() >= 0.02);
    assert_replays(&played);
}
