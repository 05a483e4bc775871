//! Transcripts of another interpreter, Debian's `dfrotz`, for comparison.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use loopbreak_arena::zmachine::{StoryFile, ZMachine};

/// Debian installs games outside the usual path.
const PROGRAMS: [&str; 2] = ["dfrotz", "/usr/games/dfrotz"];
const FILE: &str = "witness.scr";

/// Returns the transcript that `dfrotz` writes for these commands, unmodified.
///
/// The story starts it with its own command `script`, and `dfrotz` asks for a file name. Lines are not wrapped (`-S
/// 0`), and warnings about the standard are suppressed (`-Z 0`).
pub fn frotz_transcript(story: &Path, seed: u32, commands: &[String]) -> Result<String, String> {
    let folder = FrotzFolder::new()?;
    let story = story.canonicalize().map_err(|error| format!("{}: {error}", story.display()))?;
    let mut lines = vec!["script".to_owned(), FILE.to_owned()];
    let mut saved = 0;
    for command in commands {
        lines.push(command.clone());
        // `dfrotz` saves to files and asks for their names.
        if command == "save" {
            saved += 1;
        }
        if command == "save" || command == "restore" {
            lines.push(format!("{saved}.qzl"));
        }
    }
    let arguments = ["-m", "-p", "-q", "-Z", "0", "-S", "0", "-w", "255", "-s", &seed.to_string()];
    let mut child = PROGRAMS
        .iter()
        .find_map(|program| {
            let mut dfrotz = Command::new(program);
            dfrotz.args(arguments).arg(&story).current_dir(&folder.0);
            dfrotz.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()
        })
        .ok_or("the interpreter `dfrotz` does not start; `cargo xtask ci` installs it")?;
    let mut input = child.stdin.take().ok_or("dfrotz takes no input")?;
    // It stops reading when the story ends.
    _ = input.write_all((lines.join("\n") + "\n").as_bytes());
    drop(input);
    child.wait().map_err(|error| format!("dfrotz: {error}"))?;
    let path = folder.0.join(FILE);
    let bytes = std::fs::read(&path).map_err(|error| format!("dfrotz wrote no transcript: {error}"))?;
    String::from_utf8(bytes).map_err(|error| format!("the transcript of dfrotz: {error}"))
}

/// Returns our own transcript of the same commands, up to the end of the story.
pub fn own_transcript(story: &Path, seed: u32, commands: &[String]) -> Result<String, String> {
    let bytes = std::fs::read(story).map_err(|error| format!("{}: {error}", story.display()))?;
    let story = Arc::new(StoryFile::new(&bytes).map_err(|error| error.to_string())?);
    let mut machine = ZMachine::new(story, seed);
    machine.start().map_err(|fault| fault.to_string())?;
    let mut transcript = machine.enter("script").map_err(|fault| fault.to_string())?.transcript;
    for command in commands {
        if machine.is_over() {
            break;
        }
        let reply = machine.enter(command).map_err(|fault| format!("{command}: {fault}"))?;
        transcript.push_str(&reply.transcript);
    }
    Ok(transcript)
}

/// Returns the first difference of two transcripts with the lines before it. A line break at the end is ignored:
/// `dfrotz` may or may not write it when a story ends.
pub fn difference(ours: &str, theirs: &str) -> Option<String> {
    let ends = |text: &str| text.trim_end_matches('\n').len();
    if ours[..ends(ours)] == theirs[..ends(theirs)] {
        return None;
    }
    let same = ours.lines().zip(theirs.lines()).take_while(|(a, b)| a == b).count();
    let show = |text: &str| text.lines().skip(same.saturating_sub(6)).take(12).collect::<Vec<_>>().join("\n");
    Some(format!("they differ at line {}\n--- ours\n{}\n--- dfrotz\n{}", same + 1, show(ours), show(theirs)))
}

/// A temporary folder for one run of `dfrotz`.
struct FrotzFolder(PathBuf);

impl FrotzFolder {
    fn new() -> Result<Self, String> {
        static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("loopbreak-arena-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(FrotzFolder(path))
    }
}

impl Drop for FrotzFolder {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.0);
    }
}
