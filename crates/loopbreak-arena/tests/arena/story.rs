//! The story that comes with the crate: it is what its source says, and it can be won.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use loopbreak_arena::zmachine::{FaultKind, StoryFile};
use loopbreak_arena::{GameWorld, StoryWorld, WorldError, stories};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("story")
}

/// The header without what differs from compiler to compiler: the serial number, the checksum, the compiler's version.
fn comparable(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for part in [0x12..0x18, 0x1c..0x1e, 0x3c..0x40] {
        bytes[part].fill(0);
    }
    bytes
}

#[test]
fn the_story_file_is_what_its_source_compiles_to() {
    let target = std::env::temp_dir().join(format!("loopbreak-spillway-{}.z3", std::process::id()));
    let output = Command::new("inform")
        .arg("spillway.inf")
        .arg(&target)
        .current_dir(folder())
        .output()
        .expect("the compiler `inform` does not start; `cargo xtask ci` installs it");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && !said.contains("arning"), "{said}");
    let compiled = std::fs::read(&target).unwrap();
    _ = std::fs::remove_file(&target);
    assert!(
        comparable(&compiled) == comparable(stories::SPILLWAY),
        "story/spillway.z3 is not current: compile it again with `inform spillway.inf spillway.z3` in story/"
    );
    assert!(StoryFile::new(&compiled).unwrap().is_intact());
}

fn world(seed: u32) -> StoryWorld {
    StoryWorld::new(stories::spillway(), seed)
}

fn walkthrough() -> Vec<String> {
    let script = std::fs::read_to_string(folder().join("walkthrough.txt")).unwrap();
    script.lines().map(str::to_owned).collect()
}

#[test]
fn the_walkthrough_reaches_the_full_score_whatever_the_seed() {
    for seed in 1..20 {
        let mut world = world(seed);
        let mut observation = world.reset().unwrap();
        assert_eq!((observation.score, observation.moves, observation.over), (Some(0), Some(0), false));
        let commands = walkthrough();
        for (index, command) in commands.iter().enumerate() {
            assert!(!observation.over, "over before {command}, command {index}");
            observation = world.act(command).unwrap();
        }
        assert!(
            observation.over && observation.text.contains("*** You have won ***"),
            "{}",
            observation.text
        );
        assert_eq!(observation.score, Some(stories::SPILLWAY_SCORE));
    }
}

#[test]
fn places_have_numbers_names_and_exits() {
    let mut world = world(1);
    let road = world.reset().unwrap().place.unwrap();
    assert_eq!(
        (road.name.as_str(), road.exits.as_slice()),
        ("Valley Road", &["north".into(), "east".into()][..])
    );
    let gatehouse = world.act("north").unwrap().place.unwrap();
    assert_eq!(gatehouse.name, "Gatehouse");
    assert_ne!(gatehouse.id, road.id);
    let back = world.act("south").unwrap().place.unwrap();
    assert_eq!(back, road);
    // A reply that does not tell of the exits does not make them forgotten.
    assert_eq!(world.act("jump").unwrap().place.unwrap(), road);
}

#[test]
fn a_saved_world_goes_on_as_if_nothing_had_been_between() {
    let commands = walkthrough();
    let (before, after) = commands.split_at(30);
    let mut world = world(7);
    world.reset().unwrap();
    for command in before {
        world.act(command).unwrap();
    }
    let saved = world.save();
    let first: Vec<_> = after.iter().map(|command| world.act(command).unwrap()).collect();
    world.restore(&saved).unwrap();
    let second: Vec<_> = after.iter().map(|command| world.act(command).unwrap()).collect();
    assert_eq!(first, second);
    assert!(first.last().unwrap().over);
}

#[test]
fn many_worlds_of_one_story_do_not_touch_each_other() {
    let mut worlds: Vec<_> = (0..50).map(world).collect();
    for world in &mut worlds {
        world.reset().unwrap();
    }
    for (index, world) in worlds.iter_mut().enumerate() {
        world.act(if index % 2 == 0 { "north" } else { "east" }).unwrap();
    }
    for (index, world) in worlds.iter_mut().enumerate() {
        let place = world.act("jump").unwrap().place.unwrap();
        assert_eq!(place.name, if index % 2 == 0 { "Gatehouse" } else { "Pine Wood" });
    }
}

#[test]
fn death_ends_the_story_and_no_command_is_taken_after_it() {
    let mut world = world(1);
    world.reset().unwrap();
    for command in ["north", "north", "north"] {
        world.act(command).unwrap();
    }
    let observation = world.act("swim").unwrap();
    assert!(observation.over && observation.text.contains("*** You have died ***"), "{}", observation.text);
    let WorldError::Story(fault) = world.act("look").unwrap_err() else { panic!("another error") };
    assert_eq!(fault.kind, FaultKind::NotWaiting);
    assert!(!world.reset().unwrap().over);
}

#[test]
fn the_same_seed_tells_the_same_story_and_another_one_another() {
    let tell = |seed| {
        let mut world = world(seed);
        world.reset().unwrap();
        (0..60).map(|_| world.act("wait").unwrap().text).collect::<Vec<_>>()
    };
    assert_eq!(tell(3), tell(3));
    assert_ne!(tell(3), tell(4));
}

#[test]
fn a_snapshot_of_another_story_is_refused() {
    let mut bytes = stories::SPILLWAY.to_vec();
    bytes[0x03] = 2;
    let mut other = StoryWorld::new(Arc::new(StoryFile::new(&bytes).unwrap()), 1);
    other.reset().unwrap();
    let mut world = world(1);
    let WorldError::Story(fault) = world.restore(&other.save()).unwrap_err() else { panic!("another error") };
    assert_eq!(fault.kind, FaultKind::OtherStory);
}
