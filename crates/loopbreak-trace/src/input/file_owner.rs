//! Finds the files of one run among many: a session and its subagents write a file each.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf};

use super::log_input::LogInput;
use super::unpack::unpack;
use crate::log_format::LogFormat;

/// Whose file this is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileOwner {
    /// The run.
    pub run: String,
    /// The agent, where it is not the main one.
    pub agent: Option<String>,
    /// The place of the file, where each record of a run has one of its own. Then the run is that of the folder.
    pub order: Option<i64>,
}

/// How much of each file is looked at.
const HEAD: u64 = 64 * 1024;
/// How many lines of it.
const LINES: usize = 8;

/// Makes one input of the files of each run. The order is that of the first of them.
pub(crate) fn join_runs(inputs: Vec<LogInput>) -> Vec<LogInput> {
    if inputs.len() < 2 {
        return inputs;
    }
    let mut kin: Vec<Option<FileOwner>> = inputs.iter().map(owner_of).collect();
    let (inputs, kin) = sequences(inputs, &mut kin);
    let mut mains: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, kin) in kin.iter().enumerate() {
        if let Some(FileOwner { run, agent: None, .. }) = kin {
            mains.entry(run).or_default().push(index);
        }
    }
    // Where there is no main file, the first of the others takes its place.
    for (index, kin) in kin.iter().enumerate() {
        if let Some(FileOwner { run, agent: Some(_), .. }) = kin {
            mains.entry(run).or_insert_with(|| vec![index]);
        }
    }
    let goes_to = |index: usize| {
        let Some(FileOwner { run, agent: Some(_), .. }) = &kin[index] else { return index };
        // A copy of the session in another folder has subagents of its own.
        let shared = |main: &usize| shared(inputs[*main].path(), inputs[index].path());
        let nearest = mains[run.as_str()].iter().max_by_key(|main| (shared(main), std::cmp::Reverse(**main)));
        nearest.copied().unwrap_or(index)
    };
    let goals: Vec<usize> = (0..inputs.len()).map(goes_to).collect();
    let mut slots: Vec<Option<LogInput>> = inputs.into_iter().map(Some).collect();
    for (index, goal) in goals.iter().enumerate() {
        if index != *goal
            && let Some(part) = slots[index].take()
            && let Some(main) = &mut slots[*goal]
        {
            let agent = kin[index].as_ref().and_then(|kin| kin.agent.clone());
            main.join(part, agent);
        }
    }
    slots.into_iter().flatten().collect()
}

/// Puts together the files that hold one record each: those of one folder, by the place that the records name. Where a
/// folder holds one only, it is a log like others.
fn sequences(
    inputs: Vec<LogInput>,
    kin: &mut [Option<FileOwner>],
) -> (Vec<LogInput>, Vec<Option<FileOwner>>) {
    let mut folders: HashMap<PathBuf, Vec<(i64, usize)>> = HashMap::new();
    for (index, (input, kin)) in inputs.iter().zip(kin.iter()).enumerate() {
        if let (Some(order), Some(folder)) =
            (kin.as_ref().and_then(|kin| kin.order), input.path().and_then(Path::parent))
        {
            folders.entry(folder.to_owned()).or_default().push((order, index));
        }
    }
    let mut slots: Vec<Option<LogInput>> = inputs.into_iter().map(Some).collect();
    for mut files in folders.into_values().filter(|files| files.len() > 1) {
        // The whole stands where the first of them stood.
        let place = files.iter().map(|(_, index)| *index).min().unwrap_or(0);
        files.sort_unstable();
        let mut whole: Option<LogInput> = None;
        for (_, index) in files {
            let Some(mut file) = slots[index].take() else { continue };
            if let Some(whole) = &mut whole {
                whole.join(file, None);
            } else {
                file.begin_sequence();
                whole = Some(file);
            }
        }
        slots[place] = whole;
    }
    let kept = slots.into_iter().zip(kin.iter_mut().map(Option::take));
    kept.filter_map(|(input, kin)| Some((input?, kin.filter(|kin| kin.order.is_none())))).unzip()
}

/// How many folders two paths have in common.
fn shared(a: Option<&Path>, b: Option<&Path>) -> usize {
    let (Some(a), Some(b)) = (a, b) else { return 0 };
    a.components().zip(b.components()).take_while(|(a, b)| a == b).count()
}

/// Whose file this is, from its first lines.
fn owner_of(input: &LogInput) -> Option<FileOwner> {
    // Whoever opens a pipe to look at it takes something out of it.
    let path = input.path().filter(|path| path.is_file())?;
    let file = File::open(path).ok()?;
    let mut head = Vec::new();
    unpack(Box::new(BufReader::new(file))).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
    owner_of_head(&head)
}

/// Whose file it is that begins like this.
pub(crate) fn owner_of_head(head: &[u8]) -> Option<FileOwner> {
    let head = &head[..head.len().min(HEAD as usize)];
    let lines =
        head.split(|byte| *byte == b'\n').take(LINES).filter_map(|line| std::str::from_utf8(line).ok());
    let mut lines = lines.filter(|line| line.starts_with('{'));
    let ask = |line: &str| LogFormat::all().find_map(|format| format.definition().file_owner(line));
    // A file with several records is no record of a folder's.
    let single = (head.len() as u64) < HEAD && !head.trim_ascii().contains(&b'\n');
    lines.find_map(ask).filter(|kin| kin.order.is_none() || single)
}
