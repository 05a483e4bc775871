//! Finds the files of one run among many: a session and its subagents write one file each.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf};

use super::log_input::LogInput;
use super::unpack::unpack;
use super::unpack_limit::UnpackLimit;
use crate::log_format::LogFormat;

/// The run and the agent that a file belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileOwner {
    /// Name of the run.
    pub run: String,
    /// Name of the agent, unless it is the main one.
    pub agent: Option<String>,
    /// Position of the file in the run, for formats that write one file per record. The run is then named after the
    /// folder.
    pub order: Option<i64>,
}

/// Number of bytes read from the start of each file.
const HEAD: u64 = 64 * 1024;
/// Number of lines inspected.
const LINES: usize = 8;

/// Merges the files of each run into one input, at the position of the first file.
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
    // Without a main file, the first of the others takes its role.
    for (index, kin) in kin.iter().enumerate() {
        if let Some(FileOwner { run, agent: Some(_), .. }) = kin {
            mains.entry(run).or_insert_with(|| vec![index]);
        }
    }
    let goes_to = |index: usize| {
        let Some(FileOwner { run, agent: Some(_), .. }) = &kin[index] else { return index };
        // A copy of the session in another folder has its own subagents.
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

/// Joins the files that hold one record each: those of one folder, in the order that the records name. A single file
/// stays a log of its own.
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
        // The joined input takes the position of its first file.
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

/// Returns the number of leading folders that two paths share.
fn shared(a: Option<&Path>, b: Option<&Path>) -> usize {
    let (Some(a), Some(b)) = (a, b) else { return 0 };
    a.components().zip(b.components()).take_while(|(a, b)| a == b).count()
}

/// Returns the owner of a file, from its first lines.
fn owner_of(input: &LogInput) -> Option<FileOwner> {
    // Opening a pipe to inspect it would consume data.
    let path = input.path().filter(|path| path.is_file())?;
    let file = File::open(path).ok()?;
    let mut head = Vec::new();
    unpack(Box::new(BufReader::new(file)), UnpackLimit::default())
        .ok()?
        .take(HEAD)
        .read_to_end(&mut head)
        .ok()?;
    let folder = path.parent().and_then(Path::file_name).and_then(std::ffi::OsStr::to_str);
    owner_of_head(&head, folder)
}

/// Returns the owner of a file that starts with these bytes and is in a folder of this name.
pub(crate) fn owner_of_head(head: &[u8], folder: Option<&str>) -> Option<FileOwner> {
    let head = &head[..head.len().min(HEAD as usize)];
    let lines =
        head.split(|byte| *byte == b'\n').take(LINES).filter_map(|line| std::str::from_utf8(line).ok());
    let mut lines = lines.filter(|line| line.starts_with('{'));
    let ask = |line: &str| LogFormat::all().find_map(|format| format.definition().file_owner(line, folder));
    // A file with several records is not one record of a folder.
    let single = (head.len() as u64) < HEAD && !head.trim_ascii().contains(&b'\n');
    lines.find_map(ask).filter(|kin| kin.order.is_none() || single)
}
