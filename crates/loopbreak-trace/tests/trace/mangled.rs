//! Untrusted input: every fixture truncated and mangled, through every reader, without a panic and in bounded time.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::support::{CollectedSteps, fixtures};
use loopbreak_trace::{LogFormat, LogInput};
use proptest::prelude::*;

/// Returns all files of the fixtures.
fn files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![fixtures()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}

/// Reads bytes as the detected format, or as a given one, and returns the number of steps.
fn read(folder: &Path, bytes: &[u8], format: Option<LogFormat>) -> usize {
    let path = folder.join("log");
    fs::File::create(&path).unwrap().write_all(bytes).unwrap();
    let mut collected = CollectedSteps::default();
    if let Ok(log) = LogInput::file(&path).open(format, |_| {}) {
        // Broken compressed data cannot be read to its end.
        _ = log.read(&mut collected);
    }
    collected.steps.len()
}

#[test]
fn a_truncated_log_yields_no_extra_steps() {
    let folder = tempfile::tempdir().unwrap();
    for file in files() {
        let bytes = fs::read(&file).unwrap();
        let whole = read(folder.path(), &bytes, None);
        let stride = (bytes.len() / 60).max(1);
        for end in (0..bytes.len()).step_by(stride) {
            let steps = read(folder.path(), &bytes[..end], None);
            // A text without its call or a call without its result may be emitted in addition.
            assert!(
                steps <= whole + 8,
                "{}: {steps} steps of the first {end} bytes, {whole} of all",
                file.display()
            );
        }
    }
}

#[test]
fn every_format_reads_every_log_without_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    for file in files() {
        let bytes = fs::read(&file).unwrap();
        for format in LogFormat::all() {
            read(folder.path(), &bytes, Some(format));
        }
    }
}

#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    let folder = tempfile::tempdir().unwrap();
    for format in LogFormat::all() {
        for (open, close) in [
            ("[", "]"),
            ("{\"messages\":[", "]}"),
            ("{\"spans\":[{\"child_spans\":[", "]}]}"),
            ("{\"content\":[", "]}"),
        ] {
            let deep = format!("{}{}\n", open.repeat(20_000), close.repeat(20_000));
            read(folder.path(), deep.as_bytes(), Some(format));
        }
    }
}

#[test]
fn long_lists_are_read_completely() {
    let folder = tempfile::tempdir().unwrap();
    // Calls without results, agents that never end, ids that never repeat.
    let line = |i: usize| {
        format!(
            "{{\"type\":\"assistant\",\"sessionId\":\"s{}\",\"uuid\":\"u\",\"isSidechain\":true,\"agentId\":\"a{i}\",\"message\":{{\"id\":\"m{i}\",\"content\":[{{\"type\":\"tool_use\",\"id\":\"t{i}\",\"name\":\"x\",\"input\":{{}}}}]}}}}\n",
            i % 7
        )
    };
    let text: String = (0..20_000).map(line).collect();
    assert_eq!(read(folder.path(), text.as_bytes(), None), 20_000);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]

    #[test]
    fn flipped_bytes_are_read_without_a_panic(
        which in any::<prop::sample::Index>(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let files = files();
        let mut bytes = fs::read(&files[which.index(files.len())]).unwrap();
        for (at, byte) in flips {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        read(folder.path(), &bytes, None);
    }

    #[test]
    fn mixed_formats_in_one_file_are_read_without_a_panic(
        which in prop::collection::vec(any::<(prop::sample::Index, prop::sample::Index)>(), 1..20),
        format in prop::option::of(0_usize..12),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let files = files();
        let mut text = Vec::new();
        for (file, line) in which {
            let bytes = fs::read(&files[file.index(files.len())]).unwrap();
            let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
            text.extend_from_slice(lines[line.index(lines.len())]);
            text.push(b'\n');
        }
        read(folder.path(), &text, format.and_then(|at| LogFormat::all().nth(at)));
    }
}
