//! Whole episodes: turns, endings, and journals that give the same verdicts when they are read again.

use std::io::Cursor;

use loopbreak::{Config, Guard, Mode, Profile, Settings, Severity, Verdict};
use loopbreak_analysis::{RunAnalysis, VerdictName};
use loopbreak_arena::{
    ContestPlan, ContestReport, EnginePart, EpisodeEnding, EpisodeOrchestrator, EpisodeResult, EpisodeRules,
    GameContest, GamePlayer, HeuristicCritic, InfalliblePlayer, MeanInterval, PlayerContext, PlayerKind,
    PlayerMove, ShareInterval, StoryWorld, stories,
};
use loopbreak_trace::{LogRecord, OpenedLog, RecordSink, SkippedLine};
use serde_json::Value;

fn config(mode: Mode) -> Config {
    Config::new(Settings { mode, ..Settings::from(Profile::Game) }).unwrap()
}

/// An episode, its journal, and the verdicts of its guard.
struct PlayedGame {
    episode: EpisodeResult,
    journal: Vec<u8>,
    verdicts: Vec<String>,
}

impl PlayedGame {
    fn lines(&self) -> Vec<Value> {
        let text = std::str::from_utf8(&self.journal).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
    fn events(&self, name: &str) -> Vec<Value> {
        self.lines().into_iter().filter(|line| line["event_type"] == name).collect()
    }
}

fn play(player: &mut dyn GamePlayer, seed: u32, mode: Mode, rules: EpisodeRules) -> PlayedGame {
    let mut world = StoryWorld::new(stories::spillway(), seed);
    let mut critic = HeuristicCritic::default();
    let (mut journal, mut verdicts) = (Vec::new(), Vec::new());
    let episode = EpisodeOrchestrator::new(&mut world, player, &mut critic, Guard::new(config(mode)))
        .rules(rules)
        .journal(&mut journal)
        .watch(|verdict| verdicts.push(written(verdict)))
        .play(&format!("ep-{seed}"))
        .unwrap();
    PlayedGame { episode, journal, verdicts }
}

fn written(verdict: &Verdict) -> String {
    serde_json::to_string(verdict).unwrap()
}

/// Plays a fixed list of commands and insists on them.
struct ScriptedPlayer {
    commands: Vec<String>,
    seen: Vec<PlayerContext>,
}

impl ScriptedPlayer {
    fn new(commands: &[&str]) -> Self {
        ScriptedPlayer {
            commands: commands.iter().map(|command| (*command).to_owned()).collect(),
            seen: Vec::new(),
        }
    }
}

impl InfalliblePlayer for ScriptedPlayer {
    fn name(&self) -> String {
        "scripted".to_owned()
    }
    fn propose(&mut self, context: &PlayerContext) -> PlayerMove {
        self.seen.push(context.clone());
        let index = usize::try_from(context.turn - 1).unwrap() % self.commands.len();
        self.commands[index].clone().into()
    }
}

fn walkthrough() -> Vec<&'static str> {
    include_str!("../../story/walkthrough.txt").lines().collect()
}

/// Judges a journal again from its bytes.
struct EpisodeReplay {
    guard: Guard,
    verdicts: Vec<String>,
    analysis: RunAnalysis,
}

impl RecordSink for EpisodeReplay {
    fn record(&mut self, record: &LogRecord<'_>) {
        self.verdicts.push(written(&self.guard.observe(&record.step)));
        self.analysis.observe(&record.step);
    }
    fn skipped(&mut self, skipped: SkippedLine) {
        panic!("line {} was skipped: {}", skipped.line, skipped.reason);
    }
}

fn replay(journal: &[u8]) -> EpisodeReplay {
    let log = OpenedLog::from_stream(Cursor::new(journal.to_vec()), None, |_| {}).unwrap();
    assert_eq!(log.format().as_str(), "zorkgpt");
    let config = config(Mode::Enforce);
    let analysis = RunAnalysis::new(&config, "ep");
    let mut replay = EpisodeReplay { guard: Guard::new(config), verdicts: Vec::new(), analysis };
    log.read(&mut replay).unwrap();
    replay
}

#[test]
fn a_replayed_journal_gives_the_same_verdicts() {
    for kind in PlayerKind::ALL {
        for seed in 1..4_u32 {
            for player in [&mut kind.player(seed.into()), &mut kind.player_with_obedience(seed.into(), 0.5)] {
                let played = play(&mut **player, seed, Mode::Enforce, EpisodeRules::default());
                let replayed = replay(&played.journal);
                assert_eq!(played.verdicts.len(), replayed.verdicts.len(), "{kind} {seed}");
                for (live, again) in played.verdicts.iter().zip(&replayed.verdicts) {
                    assert_eq!(live, again, "{kind} {seed}");
                }
                let report = replayed.analysis.finish("episode_log.jsonl", "zorkgpt");
                let stopped = matches!(played.episode.ending, EpisodeEnding::LoopBreak(_));
                let mut hard = report.findings.iter().filter(|finding| finding.severity == Severity::Hard);
                let end =
                    hard.find(|finding| finding.pattern == "stuck_no_progress").map(|finding| finding.turn);
                assert_eq!(end, stopped.then_some(played.episode.turns), "{kind} {seed}");
                assert!(!stopped || report.verdict == VerdictName::Stop);
            }
        }
    }
}

#[test]
fn the_same_seed_plays_the_same_episode() {
    for kind in PlayerKind::ALL {
        let played = |seed: u32| {
            play(
                &mut *kind.player_with_obedience(seed.into(), 0.5),
                seed,
                Mode::Enforce,
                EpisodeRules::default(),
            )
        };
        assert_eq!(played(5).journal, played(5).journal, "{kind}");
        assert_ne!(played(5).journal, played(6).journal, "{kind}");
    }
}

#[test]
fn players_that_ignore_advice_are_stopped_sooner_as_stuck() {
    let mut stuck = 0;
    for kind in PlayerKind::STUCK {
        for seed in 1..8_u32 {
            let on = play(&mut *kind.player(seed.into()), seed, Mode::Enforce, EpisodeRules::default());
            let off = play(&mut *kind.player(seed.into()), seed, Mode::Off, EpisodeRules::default());
            assert!(on.episode.turns <= off.episode.turns, "{kind} {seed}");
            if on.episode.ending != EpisodeEnding::LoopBreak(loopbreak::Pattern::StuckNoProgress) {
                // A player that Loopbreak sends elsewhere may die there.
                assert!(
                    matches!(on.episode.ending, EpisodeEnding::Death | EpisodeEnding::TurnLimit),
                    "{kind} {seed}"
                );
                continue;
            }
            stuck += 1;
            let end = on.events("episode_finalized").pop().unwrap();
            assert_eq!(
                (&end["ending"], &end["termination_reason"]),
                (&"loop_break".into(), &"stuck_no_progress".into())
            );
            assert_eq!(on.events("stuck_termination").len(), 1);
            assert_eq!(on.events("game_over_detected").len(), 0);
        }
    }
    assert!(stuck >= 20, "{stuck} of 35 were ended as stuck");
}

#[test]
fn death_and_victory_are_reported_as_such() {
    let mut swimmer = ScriptedPlayer::new(&["north", "north", "north", "swim"]);
    let death = play(&mut swimmer, 1, Mode::Enforce, EpisodeRules::default());
    assert_eq!((death.episode.ending.clone(), death.episode.turns), (EpisodeEnding::Death, 4));
    assert_eq!(death.events("game_over_detected")[0]["reason"], "death");

    let mut winner = ScriptedPlayer::new(&walkthrough());
    let victory = play(&mut winner, 1, Mode::Enforce, EpisodeRules::default());
    assert_eq!(victory.episode.ending, EpisodeEnding::Victory);
    assert_eq!(victory.episode.score, Some(stories::SPILLWAY_SCORE));
    // A player that knows the solution is not hindered.
    assert_eq!((victory.episode.refused, victory.episode.overridden), (0, 0));
    assert_eq!(victory.events("episode_finalized")[0]["ending"], "victory");
}

#[test]
fn the_adjusted_score_decides() {
    let played = play(&mut *PlayerKind::Oscillator.player(3), 3, Mode::Enforce, EpisodeRules::default());
    let rejected = played.events("action_rejected");
    assert!(!rejected.is_empty());
    let number = |line: &Value, key: &str| line[key].as_f64().unwrap();
    for line in &rejected {
        assert!(number(line, "adjusted_score") < 0.5, "{line}");
        assert!(!line["reasons"].as_array().unwrap().is_empty(), "{line}");
    }
    // The critic liked them; Loopbreak lowered their scores.
    assert!(rejected.iter().any(|line| number(line, "score") >= 0.9));
    for line in played.events("final_action_selection") {
        let overridden = line["was_overridden"].as_bool().unwrap();
        assert_eq!(number(&line, "adjusted_score") < 0.5, overridden, "{line}");
    }
}

#[test]
fn a_turn_has_at_most_three_refusals_each_with_reasons() {
    // Moves back and forth whatever the advice is.
    let mut stubborn = ScriptedPlayer::new(&["north", "south"]);
    let rules = EpisodeRules { max_turns: 12, ..EpisodeRules::default() };
    let played = play(&mut stubborn, 1, Mode::Enforce, rules);
    let most = stubborn.seen.iter().map(|context| context.refused.len()).max().unwrap();
    assert_eq!(most, 3);
    let told = stubborn.seen.iter().find(|context| context.refused.len() == 1).unwrap();
    assert_eq!(told.refused[0].action, stubborn.commands[usize::try_from((told.turn - 1) % 2).unwrap()]);
    assert!(!told.refused[0].reasons.is_empty());
    assert!(played.episode.overridden > 0);
    assert_eq!(played.episode.refused, 3 * played.episode.overridden);
    // Advice of the last turn is part of the next context.
    assert!(
        stubborn.seen.iter().any(|context| context.advice.iter().any(|text| text.contains("back and forth")))
    );
}

#[test]
fn objectives_are_discovered_completed_and_given_up() {
    let played = play(&mut *PlayerKind::Explorer.player(1), 1, Mode::Enforce, EpisodeRules::default());
    let completed = played.events("objective_completed");
    assert_eq!(completed.len(), played.episode.objectives);
    assert!(!completed.is_empty());
    for key in [
        "completed_turn",
        "completion_action",
        "completion_response",
        "completion_location",
        "completion_score",
    ] {
        assert!(!completed[0][key].is_null(), "{key}");
    }
    // A camper completes no objectives and gives them up.
    let rules = EpisodeRules { max_turns: 60, ..EpisodeRules::default() };
    let camped = play(&mut *PlayerKind::Camper.player(2), 2, Mode::Off, rules);
    let updates = camped.events("objectives_updated");
    assert!(updates.iter().any(|line| line["objective_count"] == 3), "{updates:?}");
    let turns = |line: &Value| line["turn"].as_u64().unwrap();
    let (first, last) = (turns(&updates[0]), turns(updates.last().unwrap()));
    assert!(last >= first + 30, "{updates:?}");
}

fn contest(episodes: u32) -> GameContest {
    GameContest { story: stories::spillway(), rules: EpisodeRules::default(), seed: 1, episodes }
}

fn plan(players: &[PlayerKind], obedience: &[f64]) -> ContestPlan {
    let config = Config::from(Profile::Game);
    ContestPlan { players: players.to_vec(), obedience: obedience.to_vec(), config, ablate: false }
}

#[test]
fn players_that_sometimes_follow_advice_score_higher_with_loopbreak() {
    let report = ContestReport::play(&contest(20), &plan(&PlayerKind::STUCK, &[0.5]), &|| {}).unwrap();
    assert_eq!(report.rows.len(), PlayerKind::STUCK.len());
    let target = report.targets.iter().find(|target| target.target == "loops broken > 80 %").unwrap();
    assert_eq!(target.met, Some(true), "{target:?}");
    for row in report.rows {
        assert!(row.gain.low > 0.0, "{row:?}");
        assert!(row.wasted.high < row.wasted_without.low, "{row:?}");
        assert!(row.broken.share > row.broken_without.share, "{row:?}");
    }
}

#[test]
fn a_winning_player_also_wins_with_loopbreak() {
    let report = ContestReport::play(&contest(20), &plan(&[PlayerKind::Explorer], &[0.0]), &|| {}).unwrap();
    let row = &report.rows[0];
    assert_eq!((row.won_without, row.won, row.stops.count), (20, 20, 0), "{row:?}");
}

#[test]
fn penalties_alone_break_loops_of_players_that_ignore_advice() {
    let report = ContestReport::play(&contest(20), &plan(&PlayerKind::STUCK, &[0.0]), &|| {}).unwrap();
    for row in &report.rows {
        let (with, without) =
            (row.broken.share.unwrap_or_default(), row.broken_without.share.unwrap_or_default());
        assert!(with > without + 0.5, "{row:?}");
    }
    // The target of 80 % is met with 200 games of each player. Few games can miss it by chance, but not by more.
    let sum = |of: &dyn Fn(&ShareInterval) -> u64| report.rows.iter().map(|row| of(&row.broken)).sum();
    let all = ShareInterval::new(sum(&|share| share.count), sum(&|share| share.of));
    assert!(all.high > 0.8, "{all:?}");
}

#[test]
fn parallel_games_equal_sequential_games() {
    let contest = contest(4);
    let mut plan = plan(&[PlayerKind::Juggler], &[0.5]);
    plan.ablate = true;
    let over = std::sync::atomic::AtomicU64::new(0);
    let count = || {
        over.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    };
    let report = ContestReport::play(&contest, &plan, &count).unwrap();
    assert_eq!(over.into_inner(), plan.games(&contest));
    assert_eq!(report.ablations.len(), 1 + EnginePart::ALL.len());
    let alone: Vec<f64> =
        (1..=4).map(|seed| contest.game(PlayerKind::Juggler, 0.5, &plan.config, seed).score as f64).collect();
    assert_eq!(report.rows[0].score, MeanInterval::from_values(&alone));
    assert_eq!(report.rows[0].score, report.ablations[0].stuck_score);
}
