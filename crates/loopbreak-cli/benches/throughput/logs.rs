//! The measured logs: generated ones, and copies of the fixtures of the log formats.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// A log to measure.
pub(crate) struct GeneratedLog {
    pub(crate) name: &'static str,
    make: fn(&Path, usize) -> u64,
}

/// All measured logs.
pub(crate) const ALL: [GeneratedLog; 5] = [
    GeneratedLog { name: "coding, mixed runs", make: |path, bytes| coding(path, bytes, 64) },
    GeneratedLog { name: "coding, one run", make: |path, bytes| coding(path, bytes, 1) },
    GeneratedLog { name: "game, one run", make: game },
    GeneratedLog { name: "tiny runs", make: tiny },
    GeneratedLog { name: "fixtures, many files", make: fixtures },
];

impl GeneratedLog {
    /// Writes about `bytes` bytes to this path and returns the exact number.
    pub(crate) fn write(&self, path: &Path, bytes: usize) -> u64 {
        (self.make)(path, bytes)
    }
}

/// A pseudorandom generator with a fixed seed.
struct BenchRng(u64);

impl BenchRng {
    fn below(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

/// Writes lines until `bytes` bytes are reached.
fn lines(path: &Path, bytes: usize, mut line: impl FnMut(usize, &mut BenchRng) -> String) -> u64 {
    let mut out = BufWriter::new(File::create(path).unwrap());
    let mut dice = BenchRng(7);
    let mut written = 0;
    for index in 0.. {
        if written >= bytes {
            break;
        }
        let line = line(index, &mut dice);
        out.write_all(line.as_bytes()).unwrap();
        written += line.len();
    }
    out.flush().unwrap();
    written as u64
}

/// Returns some lines of program output, escaped for JSON.
fn output(lines: usize, dice: &mut BenchRng) -> String {
    let line = |dice: &mut BenchRng| {
        let (number, part) = (dice.below(5000), dice.below(40));
        match dice.below(5) {
            0 => format!("test parser::case_{number} ... ok\\n"),
            1 => format!("src/part_{part}.rs:{number}:9: warning: unused variable `value_{part}`\\n"),
            2 => format!("    let total = sum(\\\"part {part}\\\", {number}); // see above\\n"),
            3 => format!("Compiling part_{part} v0.{part}.{number}\\n"),
            _ => format!("-rw-r--r-- 1 agent agent {number} Nov  4 09:35 part_{part}.rs\\n"),
        }
    };
    (0..lines).map(|_| line(dice)).collect()
}

/// Writes tool calls of coding agents with outputs of very different lengths: `runs` interleaved runs of 500
/// steps each.
fn coding(path: &Path, bytes: usize, runs: usize) -> u64 {
    lines(path, bytes, |index, dice| {
        let run = if runs == 1 { 0 } else { index / (500 * runs) * runs + index % runs };
        let (part, number) = (dice.below(40), dice.below(900));
        let action = match dice.below(4) {
            0 => {
                format!(r#"{{"name":"Read","args":{{"file_path":"src/part_{part}.rs","offset":{number}}}}}"#)
            }
            1 => format!(
                r#"{{"name":"Edit","args":{{"file_path":"src/part_{part}.rs","old_string":"value_{number}","new_string":"total_{number}"}}}}"#
            ),
            2 => format!(r#"{{"name":"Grep","args":{{"pattern":"value_{number}","path":"src"}}}}"#),
            _ => {
                format!(r#"{{"name":"Bash","args":{{"command":"cargo test -p part_{part} case_{number}"}}}}"#)
            }
        };
        let length = [1, 4, 12, 40, 120][dice.below(5)];
        format!(
            "{{\"run\":\"session-{run}\",\"at\":{at},\"action\":{action},\"outcome\":{{\"text\":\"{text}\",\"error\":{error}}},\"usage\":{{\"input_tokens\":{number},\"output_tokens\":80}}}}\n",
            at = 1_762_248_924_000_u64 + 4_000 * index as u64,
            text = output(length, dice),
            error = dice.below(12) == 0,
        )
    })
}

/// Writes a text adventure with places, scores and a critic.
fn game(path: &Path, bytes: usize) -> u64 {
    lines(path, bytes, |index, dice| {
        let (room, way) =
            (dice.below(110), ["north", "south", "east", "west", "open door", "take lamp"][dice.below(6)]);
        format!(
            "{{\"run\":\"ep-1\",\"turn\":{turn},\"action\":\"{way}\",\"outcome\":\"Room {room}. You see a {thing} here, and a path that leads on.\",\"place\":{{\"id\":{room},\"name\":\"Room {room}\",\"exits\":[\"north\",\"south\"]}},\"score\":{score},\"critic\":{{\"score\":0.{critic}}}}}\n",
            turn = index + 1,
            thing = ["lamp", "sword", "leaflet", "wrench"][dice.below(4)],
            score = index / 30,
            critic = dice.below(9) + 1,
        )
    })
}

/// Writes runs of two steps each.
fn tiny(path: &Path, bytes: usize) -> u64 {
    lines(path, bytes, |index, dice| {
        let number = dice.below(5000);
        format!("{{\"run\":\"r{}\",\"action\":\"look\",\"outcome\":\"dark {number}\"}}\n", index / 2)
    })
}

/// Copies the fixtures of the log formats until `bytes` bytes are reached, each copy in its own folder.
fn fixtures(path: &Path, bytes: usize) -> u64 {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../loopbreak-trace/tests/fixtures");
    let files = files(&from);
    let mut written = 0;
    for copy in 0.. {
        for file in &files {
            let to = path.join(format!("{copy:06}")).join(file.strip_prefix(&from).unwrap());
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            written += fs::copy(file, to).unwrap();
        }
        if written >= bytes as u64 {
            break;
        }
    }
    written
}

/// Returns all logs in a folder, or the named file.
pub(crate) fn files(path: &Path) -> Vec<PathBuf> {
    let (mut files, mut paths) = (Vec::new(), vec![path.to_owned()]);
    while let Some(path) = paths.pop() {
        if path.is_dir() {
            paths.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_none_or(|end| end == "json" || end == "jsonl") {
            files.push(path);
        }
    }
    files.sort();
    files
}
