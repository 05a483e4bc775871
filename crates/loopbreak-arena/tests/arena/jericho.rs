//! The bridge to Jericho: the story of the crate behaves there as it does here.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use loopbreak::{Config, Guard, Profile};
use loopbreak_arena::{
    CancelFlag, CommandWorld, EpisodeOrchestrator, EpisodeResult, GameWorld, HeuristicCritic, PlayerKind,
    StoryWorld, stories,
};

const SEED: u32 = 7;

fn jericho() -> CommandWorld {
    bridge(&Path::new(env!("CARGO_MANIFEST_DIR")).join("story/spillway.z3"))
}

fn bridge(story: &Path) -> CommandWorld {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    // Cargo lets tests write to `target/tmp`; the environment is set up next to it.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let python = target.join("venvs/jericho/bin/python");
    assert!(
        python.is_file(),
        "{} is missing: `cargo xtask setup` installs Jericho from PyPI; `cargo xtask ci` does it too",
        python.display()
    );
    let bridge = manifest.join("../../examples/bridges/jericho_bridge.py");
    let words = [&python, &bridge, story].map(|word| word.to_str().unwrap().to_owned());
    CommandWorld::start(&words, SEED, Duration::from_mins(1), &CancelFlag::default()).unwrap()
}

fn ours() -> StoryWorld {
    StoryWorld::new(stories::spillway(), SEED)
}

#[test]
fn the_solution_gives_the_same_observations_in_jericho() {
    let (mut theirs, mut ours) = (jericho(), ours());
    assert_eq!(theirs.reset().unwrap(), ours.reset().unwrap());
    let script = include_str!("../../story/walkthrough.txt");
    let mut last = None;
    for command in script.lines() {
        let observation = ours.act(command).unwrap();
        assert_eq!(theirs.act(command).unwrap(), observation, "{command}");
        last = Some(observation);
    }
    let last = last.unwrap();
    assert!(last.over && last.score == Some(stories::SPILLWAY_SCORE));
    // Again from the beginning.
    assert_eq!(theirs.reset().unwrap(), ours.reset().unwrap());
}

#[test]
fn a_game_saved_in_jericho_can_be_restored() {
    let mut world = jericho();
    world.reset().unwrap();
    let before = world.act("north").unwrap();
    let saved = world.save().unwrap();
    assert_eq!(world.act("take lantern").unwrap().score, Some(5));
    world.restore(&saved).unwrap();
    let after = world.act("look").unwrap();
    assert_eq!((after.text, after.score), (before.text, Some(0)));
}

#[test]
fn games_of_later_versions_report_only_text() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("echo");
    std::fs::create_dir_all(&folder).unwrap();
    let source = "Array line -> 120; Array words -> 120;\n[ Main; print \"Hello there.^\"; while (1) { print \">\"; \
        line->0 = 100; words->0 = 20; read line words; print \"You said \", line->1, \" letters.^\"; } ];\n";
    std::fs::write(folder.join("echo.inf"), source).unwrap();
    let compiled = Command::new("inform").current_dir(&folder).args(["-v5", "echo.inf", "echo.z5"]).output();
    let compiled = compiled.expect("`cargo xtask setup` installs inform6-compiler");
    assert!(compiled.status.success(), "{compiled:?}");
    let mut world = bridge(&folder.join("echo.z5"));
    assert_eq!(world.reset().unwrap().text, "Hello there.");
    let observation = world.act("north").unwrap();
    assert_eq!(
        (observation.text.as_str(), &observation.place, observation.score),
        ("You said 5 letters.", &None, None)
    );
    let error = bridge(&folder.join("no.z5")).reset().unwrap_err().to_string();
    assert!(error.contains("jericho_bridge.py: [Errno 2] No such file or directory"), "{error}");
}

fn episode(world: &mut dyn GameWorld, kind: PlayerKind) -> (EpisodeResult, String) {
    let mut player = kind.player_with_obedience(SEED.into(), 0.5);
    let (mut critic, mut journal) = (HeuristicCritic::default(), Vec::new());
    let guard = Guard::new(Config::from(Profile::Game));
    let episode = EpisodeOrchestrator::new(world, &mut *player, &mut critic, guard)
        .journal(&mut journal)
        .play("ep")
        .unwrap();
    (episode, String::from_utf8(journal).unwrap())
}

#[test]
fn an_episode_in_jericho_has_the_same_journal() {
    for kind in [PlayerKind::Explorer, PlayerKind::Oscillator, PlayerKind::Fiddler] {
        let (theirs, their_journal) = episode(&mut jericho(), kind);
        let (ours, our_journal) = episode(&mut ours(), kind);
        assert!(ours.turns > 30, "{kind}: {} turns", ours.turns);
        for (theirs, ours) in their_journal.lines().zip(our_journal.lines()) {
            assert_eq!(theirs, ours, "{kind}");
        }
        assert_eq!(theirs, ours, "{kind}");
        assert_eq!(their_journal.len(), our_journal.len(), "{kind}: one of them is longer");
    }
}
