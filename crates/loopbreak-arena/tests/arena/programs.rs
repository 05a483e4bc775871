//! Worlds, players and critics in external programs, well-behaved and otherwise.

use std::time::{Duration, Instant};

use loopbreak::{Config, Guard, Profile};
use loopbreak_arena::agent::{CommandCritic, CommandPlayer};
use loopbreak_arena::{
    CancelFlag, CommandWorld, EpisodeEnding, EpisodeOrchestrator, EpisodeRules, FailureKind, GamePlayer,
    GameWorld, PlayerContext, ProposalCritic, WorldObservation,
};

const SOON: Duration = Duration::from_secs(20);
/// Enough for an interpreter to start; a slow program takes longer.
const PATIENCE: Duration = Duration::from_secs(3);

fn words(arguments: &[&str]) -> Vec<String> {
    let fake = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/fake.py");
    ["python3", fake].iter().chain(arguments).map(|word| (*word).to_owned()).collect()
}

fn world(how: &str, timeout: Duration) -> CommandWorld {
    CommandWorld::start(&words(&["world", how]), 7, timeout, &CancelFlag::default()).unwrap()
}

fn agent(how: &str, timeout: Duration) -> CommandPlayer {
    CommandPlayer::start(&words(&["agent", how]), timeout, &CancelFlag::default()).unwrap()
}

fn name(observation: &WorldObservation) -> (u32, &str) {
    let place = observation.place.as_ref().unwrap();
    (place.id, &place.name)
}

fn at(place: &str) -> PlayerContext {
    PlayerContext { place: Some(place.to_owned()), ..PlayerContext::default() }
}

#[test]
fn a_program_can_be_a_world() {
    let mut world = world("", SOON);
    let first = world.reset().unwrap();
    assert_eq!((first.text.as_str(), first.score, first.moves), ("Welcome, 7.", Some(0), Some(0)));
    assert_eq!((name(&first), first.inventory.as_deref()), ((10, "Hall"), Some(&["a lamp".to_owned()][..])));
    assert_eq!(first.place.unwrap().exits, ["up", "down"]);
    let saved = world.save().unwrap();
    assert_eq!(name(&world.act("down").unwrap()), (11, "Cellar"));
    assert_eq!(world.act("down").unwrap().score, Some(10));
    world.restore(&saved).unwrap();
    let again = world.act("look").unwrap();
    assert_eq!((name(&again), again.moves, again.over), ((10, "Hall"), Some(1), false));
}

#[test]
fn places_without_numbers_get_stable_numbers() {
    let mut world = world("names", SOON);
    let mut ids = vec![name(&world.reset().unwrap()).0];
    for command in ["down", "up", "down", "down"] {
        ids.push(name(&world.act(command).unwrap()).0);
    }
    assert_eq!(ids, [1, 2, 1, 2, 3]);
    assert_eq!(name(&world.reset().unwrap()).0, 1);
}

#[test]
fn a_failing_world_reports_the_reason() {
    for (how, timeout, says) in [
        ("slow", PATIENCE, "the world failed: \"python3\" did not answer within 3s"),
        ("dies", SOON, "the world failed: \"python3\" has ended (exit status: 3): Traceback: the key "),
        ("talks", SOON, "the world failed: \"python3\" gave an unexpected answer"),
        ("huge", SOON, "the world failed: \"python3\" answered with a line of more than 1048576 bytes"),
        ("other", SOON, "the world failed: \"python3\" gave an unexpected answer"),
        ("wrong-id", SOON, "the world failed: \"python3\" gave an unexpected answer"),
        ("cannot", SOON, "the world failed: \"python3\" reported an error: out of order"),
    ] {
        let mut world = world(how, timeout);
        world.reset().unwrap();
        let error = world.act("look").map(|observation| observation.text).unwrap_err().to_string();
        assert!(error.starts_with(says), "{how}: {error}");
        assert!(!error.contains("0123456789"), "{how}: {error}");
    }
    let nobody = CommandWorld::start(&["no-such-program".to_owned()], 1, SOON, &CancelFlag::default());
    assert!(
        nobody.unwrap_err().to_string().starts_with("the world failed: cannot start \"no-such-program\": ")
    );
    assert!(CommandWorld::start(&[], 1, SOON, &CancelFlag::default()).is_err());
}

#[test]
fn a_program_ends_with_all_its_processes() {
    let folder = std::env::temp_dir().join(format!("loopbreak-programs-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("pid");
    let words = words(&["world", "child", file.to_str().unwrap()]);
    let mut world = CommandWorld::start(&words, 1, SOON, &CancelFlag::default()).unwrap();
    world.reset().unwrap();
    let child = std::fs::read_to_string(&file).unwrap();
    let there = || {
        // A process that was not waited for yet has ended too.
        let status = std::fs::read_to_string(format!("/proc/{}/stat", child.trim())).unwrap_or_default();
        !status.is_empty() && !status.contains(") Z ")
    };
    assert!(there());
    drop(world);
    let began = Instant::now();
    while there() {
        assert!(began.elapsed() < Duration::from_secs(5), "it lives on");
        std::thread::sleep(Duration::from_millis(10));
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_program_that_ignores_its_input_is_stopped_soon() {
    for how in ["deaf", "stays"] {
        let began = Instant::now();
        let mut world = world(how, PATIENCE);
        let _ = world.reset();
        drop(world);
        assert!(began.elapsed() < Duration::from_secs(20), "{how}");
    }
}

#[test]
fn a_player_program_plays_in_a_world_program() {
    let (mut world, mut agent) = (world("", SOON), agent("", SOON));
    let mut critic = CommandCritic::start(&words(&["critic"]), SOON, &CancelFlag::default()).unwrap();
    let mut journal = Vec::new();
    let episode = EpisodeOrchestrator::new(
        &mut world,
        &mut agent,
        &mut critic,
        Guard::new(Config::from(Profile::Game)),
    )
    .rules(EpisodeRules::default())
    .journal(&mut journal)
    .play("ep-1")
    .unwrap();
    // Moves back and forth between hall and cellar whatever the advice is.
    assert_eq!(episode.ending, EpisodeEnding::LoopBreak(loopbreak::Pattern::StuckNoProgress));
    assert_eq!((episode.places, episode.player_failures), (2, 0));
    assert!(episode.usage.input_tokens.unwrap() >= 5 * episode.turns);
    let journal = String::from_utf8(journal).unwrap();
    assert!(journal.contains("\"agent_reasoning\":\"I am in Hall\""), "{journal}");
}

#[test]
fn a_failing_player_reports_the_reason() {
    for (how, kind) in [
        ("dies", FailureKind::Ended),
        ("talks", FailureKind::Malformed),
        ("huge", FailureKind::TooLarge),
        ("cannot", FailureKind::ServerError),
        ("other", FailureKind::Empty),
        ("unwilling", FailureKind::Refusal),
        ("silent", FailureKind::Empty),
    ] {
        let mut agent = agent(how, SOON);
        let _ = agent.propose(&at("Hall"));
        let failure = agent.propose(&at("Hall")).unwrap_err();
        assert_eq!(failure.kind, kind, "{how}: {failure}");
        // A program that has ended stays ended; all others can be asked again.
        if !kind.is_final() && !matches!(how, "unwilling" | "silent") {
            assert_eq!(agent.propose(&at("Cellar")).unwrap().action, "up", "{how}");
        }
    }
}

#[test]
fn a_late_answer_is_not_mistaken_for_the_next() {
    for how in ["slow", "slow-without-ids"] {
        let mut agent = agent(how, PATIENCE);
        agent.propose(&at("Hall")).unwrap();
        assert_eq!(agent.propose(&at("Hall")).unwrap_err().kind, FailureKind::Timeout, "{how}");
        let expected = if how == "slow" { "up" } else { "3" };
        assert_eq!(agent.propose(&at("Cellar")).unwrap().action, expected, "{how}");
    }
}

#[test]
fn an_extra_line_is_an_error_only_once() {
    let mut agent = agent("greets", SOON);
    assert_eq!(agent.propose(&at("Hall")).unwrap_err().kind, FailureKind::Malformed);
    for (place, action) in [("Cellar", "up"), ("Hall", "down")] {
        assert_eq!(agent.propose(&at(place)).unwrap().action, action);
    }
}

#[test]
fn a_critic_program_gives_a_score_or_none() {
    let judge = |how: &str| {
        let mut critic =
            CommandCritic::start(&words(&["critic", how]), SOON, &CancelFlag::default()).unwrap();
        critic.judge(&at("Hall"), "down")
    };
    let opinion = judge("").unwrap().unwrap();
    assert_eq!((opinion.score, opinion.justification.as_str()), (0.9, "seems good"));
    assert_eq!(judge("none").unwrap(), None);
    assert_eq!(judge("wild").unwrap_err().kind, FailureKind::Malformed);
}
