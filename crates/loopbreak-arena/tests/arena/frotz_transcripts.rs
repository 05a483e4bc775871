//! Compares transcripts with those of another interpreter, `dfrotz`, byte for byte.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Commands that the story understands, does not understand, or should reject.
const LINES: &[&str] = &[
    "n",
    "s",
    "e",
    "w",
    "u",
    "d",
    "north",
    "go south",
    "walk east",
    "run west",
    "go",
    "up",
    "down",
    "look",
    "l",
    "i",
    "inventory",
    "wait",
    "z",
    "score",
    "jump",
    "shout",
    "sign",
    "swim to shore",
    "take all",
    "drop all",
    "take lantern",
    "take the lamp",
    "drop lantern",
    "light lantern",
    "turn on the lamp",
    "turn off lamp",
    "take key",
    "unlock door with key",
    "open door",
    "close door",
    "take crank",
    "turn wheel with crank",
    "turn wheel",
    "crank wheel",
    "push red button",
    "push button",
    "press the green button",
    "turn dial",
    "pull switch",
    "examine panel",
    "x gauge",
    "read notice",
    "read logbook",
    "read plate",
    "examine case",
    "put lantern in case",
    "put key in jar",
    "take jar",
    "take postcard",
    "read postcard",
    "put postcard in jar",
    "look at jar",
    "open tin box",
    "close tin box",
    "take fuse",
    "put fuse in fuse box",
    "take fuse box",
    "oil door",
    "oil door with can",
    "take oil can",
    "pull lever",
    "take bell",
    "ring bell",
    "put bell in case",
    "take bottle",
    "take oar and rope",
    "take rope",
    "eat cone",
    "take cone",
    "pick up rope",
    "put down rope",
    "take everything",
    "drop everything",
    "examine everything",
    "xyzzy",
    "take lantern with tongs",
    "LOOK",
    "Take Postcard",
    "",
    "   ",
    ",",
    "take, drop",
    "look.",
    "save",
    "restore",
    "verify",
    "unlock",
    "put lantern",
    "put in",
    "with",
    "take the",
    "a",
    "kick turnstile",
    "turn turnstile",
    "examine me",
    "take me",
    "drop me",
    "supercalifragilisticexpialidocious nonsense that goes on and on",
];

fn story() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("story/spillway.z3")
}

fn walkthrough() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("story/walkthrough.txt");
    std::fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

/// Returns a part of the solution followed by random commands; `restore` appears only after a save.
fn script(seed: u64, prefix: usize) -> Vec<String> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut commands: Vec<String> = walkthrough().into_iter().take(prefix).collect();
    commands.push("save".to_owned());
    while commands.len() < 260 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let index = usize::try_from(state % LINES.len() as u64).unwrap();
        commands.push(LINES[index].to_owned());
    }
    commands
}

fn compare(seed: u32, commands: &[String]) -> String {
    compare_story(&story(), seed, commands)
}

fn compare_story(story: &Path, seed: u32, commands: &[String]) -> String {
    let ours = crate::frotz::own_transcript(story, seed, commands).unwrap();
    let theirs = crate::frotz::frotz_transcript(story, seed, commands).unwrap();
    if let Some(difference) = crate::frotz::difference(&ours, &theirs) {
        panic!("seed {seed}: {difference}");
    }
    ours
}

#[test]
fn transcripts_of_long_random_scripts_equal_those_of_dfrotz() {
    let mut long = 0;
    for (seed, prefix) in [(1, 0), (2, 10), (3, 27), (4, 40), (5, 48), (6, 55), (7, 60), (8, 5)] {
        let transcript = compare(1000 + seed, &script(seed.into(), prefix));
        long += usize::from(transcript.matches("\n>").count() >= 200);
    }
    assert!(long >= 5, "only {long} scripts were played for 200 commands");
}

#[test]
fn the_transcript_of_the_solution_equals_that_of_dfrotz() {
    for seed in [1, 999, 1000, 123_456] {
        let transcript = compare(seed, &walkthrough());
        assert!(transcript.contains("*** You have won ***"));
    }
}

#[test]
fn save_restore_and_restart_equal_those_of_dfrotz() {
    let commands = [
        "n",
        "take lantern",
        "save",
        "drop lantern",
        "s",
        "e",
        "restore",
        "i",
        "score",
        "restart",
        "n",
        "i",
        "restore",
        "i",
        "save",
        "d",
        "restore",
        "look",
    ];
    let transcript = compare(5, &commands.map(str::to_owned));
    assert!(transcript.contains("a lantern"));
}

#[test]
fn every_instruction_behaves_as_in_dfrotz() {
    let target = std::env::temp_dir().join(format!("loopbreak-trials-{}.z3", std::process::id()));
    let compiled = Command::new("inform")
        .arg("trials.inf")
        .arg(&target)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stories"))
        .output()
        .expect("the compiler `inform` does not start; `cargo xtask ci` installs it");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stdout));
    let lines = [
        "box",
        "take the crate, ball and doll.",
        "BOX Crate \"ball\"",
        "  spaces   all  over  ",
        "",
        ".,.,",
        "supercalifragilistic balls",
        "a b c d e f g h i j k",
        "box$ball 12 a-b",
        "i",
        "crates crate cratez",
        "doll.box,\"ball\"",
    ];
    for seed in [1, 4711, 0x7fff_ffff] {
        let transcript = compare_story(&target, seed, &lines.map(str::to_owned));
        assert!(transcript.ends_with("The trials are over.\n"), "{transcript}");
    }
    _ = std::fs::remove_file(&target);
}

#[test]
fn the_comparison_detects_a_different_seed() {
    let commands: Vec<String> = std::iter::repeat_n("wait".to_owned(), 60).collect();
    let ours = crate::frotz::own_transcript(&story(), 1001, &commands).unwrap();
    let theirs = crate::frotz::frotz_transcript(&story(), 1002, &commands).unwrap();
    let difference = crate::frotz::difference(&ours, &theirs).unwrap();
    assert!(difference.starts_with("they differ at line "), "{difference}");
}
