//! What could not be read, told once all logs were.

use std::path::Path;

use loopbreak_report::Reading;
use loopbreak_trace::{InputSet, LogInput, OpenError};

use super::log::Outcome;
use super::talk::Talk;

/// Tells what could not be read, and gives whether any of it is a failure, and what was read. Outcomes stand in the order of
/// the inputs.
pub(crate) fn trouble(expansion: &InputSet, outcomes: &[Outcome], talk: &mut Talk) -> (bool, Reading) {
    let mut failed = false;
    for trouble in &expansion.unreadable {
        talk.error(&trouble.name, &trouble.error, trouble.error.hint());
        failed = true;
    }
    let mut reading = Reading::default();
    for (input, outcome) in expansion.inputs.iter().zip(outcomes) {
        reading.bytes += outcome.bytes;
        reading.skipped_lines += outcome.skipped;
        failed |= tell(input, outcome, talk, &mut reading);
    }
    failed |= empty_folders(expansion, outcomes, talk);
    talk.finish();
    (failed, reading)
}

/// Tells what there is to tell of a log. True if that is a failure.
fn tell(input: &LogInput, outcome: &Outcome, talk: &mut Talk, reading: &mut Reading) -> bool {
    let name = input.name();
    match &outcome.refusal {
        None => {}
        Some(OpenError::Empty) if input.is_named() => talk.warning(&name, &OpenError::Empty),
        Some(refusal) if refusal.is_not_a_log() && !input.is_named() => {
            talk.aside(&name, refusal);
            reading.ignored_files += 1;
            // The lines of a file that is no log are no lines skipped.
            reading.skipped_lines -= outcome.skipped;
            return false;
        }
        Some(refusal) => {
            talk.error(&name, refusal, refusal.hint());
            talk.lines(&name, outcome);
            return true;
        }
    }
    talk.lines(&name, outcome);
    false
}

/// Tells of folders without any log. True if there is one.
fn empty_folders(expansion: &InputSet, outcomes: &[Outcome], talk: &mut Talk) -> bool {
    let mut any = false;
    for (index, folder) in expansion.folders.iter().enumerate() {
        let mut inside =
            expansion.inputs.iter().zip(outcomes).filter(|(input, _)| input.folder() == Some(index));
        // What cannot be read was told of by itself.
        let is_log = |outcome: &Outcome| !outcome.refusal.as_ref().is_some_and(OpenError::is_not_a_log);
        let unreadable =
            expansion.unreadable.iter().any(|trouble| Path::new(&trouble.name).starts_with(&folder.name));
        if folder.shared || unreadable || inside.any(|(_, outcome)| is_log(outcome)) {
            continue;
        }
        let what = match folder.files {
            0 => "no logs: the folder has no files".to_owned(),
            1 => "no logs: the one file in this folder is none".to_owned(),
            files => format!("no logs: none of the {files} files in this folder is one"),
        };
        let hint = (folder.files > 0).then_some("-v says of each file why it is no log");
        talk.error(&folder.name, what, hint);
        any = true;
    }
    any
}
