//! Plays a script of commands with this crate and with `dfrotz`, and compares the transcripts.
//!
//! `cargo run -p loopbreak-arena --example frotz_transcript -- STORY SCRIPT [SEED]`

#![expect(clippy::print_stdout, reason = "an example shows what it found")]

#[path = "../tests/support/frotz.rs"]
#[expect(unreachable_pub, reason = "the tests use it too")]
mod frotz;

use std::path::Path;

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (story, script, seed) = match arguments.as_slice() {
        [story, script] => (story, script, 1234),
        [story, script, seed] => (story, script, seed.parse().map_err(|_| format!("invalid seed: {seed}"))?),
        _ => return Err("usage: frotz_transcript STORY SCRIPT [SEED]".to_owned()),
    };
    let script = std::fs::read_to_string(script).map_err(|error| format!("{script}: {error}"))?;
    let commands: Vec<String> = script.lines().map(str::to_owned).collect();
    let story = Path::new(story);
    let ours = frotz::own_transcript(story, seed, &commands)?;
    let theirs = frotz::frotz_transcript(story, seed, &commands)?;
    println!("{} commands, {} bytes of transcript", commands.len(), ours.len());
    match frotz::difference(&ours, &theirs) {
        None => {
            println!("identical, byte for byte");
            Ok(())
        }
        Some(difference) => Err(difference),
    }
}
