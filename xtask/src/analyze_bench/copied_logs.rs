//! Copies of logs under fresh ids, in a folder that is removed at the end.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::chore_failure::ChoreFailure;
use crate::process::stdout_of;

/// Form of the ids of sessions: groups of hexadecimal digits.
const GROUPS: [usize; 5] = [8, 4, 4, 4, 12];
const ID: usize = 36;

/// A folder with copies of logs.
#[derive(Debug)]
pub(super) struct CopiedLogs {
    folder: PathBuf,
    pub(super) bytes: u64,
    pub(super) originals: usize,
}

impl Drop for CopiedLogs {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl CopiedLogs {
    /// Copies the logs of a folder until there are this many. Each round of copies has other ids. Compressed logs are unpacked.
    pub(super) fn create(from: &Path, count: usize) -> Result<Self, ChoreFailure> {
        let mut files = Vec::new();
        list_logs(from, &mut files)?;
        files.sort_unstable();
        if files.is_empty() {
            return Err(ChoreFailure::Failed(format!("there are no logs in {}", from.display())));
        }
        let folder = std::env::temp_dir().join(format!("loopbreak-analyze-bench-{}", std::process::id()));
        let mut copies = CopiedLogs { folder, bytes: 0, originals: files.len() };
        for (number, file) in files.iter().cycle().take(count).enumerate() {
            copies.add(from, file, number / files.len())?;
        }
        Ok(copies)
    }

    /// Returns the folder with the logs.
    pub(super) fn logs(&self) -> PathBuf {
        self.folder.join("logs")
    }

    /// Returns a folder for the state of the program.
    pub(super) fn state(&self) -> PathBuf {
        self.folder.join("state")
    }

    fn add(&mut self, from: &Path, file: &Path, round: usize) -> Result<(), ChoreFailure> {
        let name = file.strip_prefix(from).unwrap_or(file).to_string_lossy().into_owned();
        let is_packed = file.extension().is_some_and(|extension| extension == "gz");
        let mut content = if is_packed {
            stdout_of(Command::new("gzip").arg("-dc").arg(file))?
        } else {
            fs::read(file)
                .map_err(|error| ChoreFailure::io(format_args!("read {}", file.display()), &error))?
        };
        let mut name = name.strip_suffix(".gz").unwrap_or(&name).as_bytes().to_vec();
        refresh_ids(&mut content, round);
        refresh_ids(&mut name, round);
        let content = refresh_run_names(&content, round);
        let path = self.logs().join(round.to_string()).join(String::from_utf8_lossy(&name).as_ref());
        let parent = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&path, &content))
            .map_err(|error| ChoreFailure::io(format_args!("write {}", path.display()), &error))?;
        self.bytes += content.len() as u64;
        Ok(())
    }
}

/// Lists the files below a folder, without labels and notes.
fn list_logs(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), ChoreFailure> {
    let failed = |error| ChoreFailure::io(format_args!("list {}", folder.display()), &error);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            list_logs(&path, files)?;
        } else if !name.contains(".labels.") && !name.ends_with(".md") && !name.starts_with("LICENSE") {
            files.push(path);
        }
    }
    Ok(())
}

/// Changes all ids in the same way, so that they still refer to each other.
fn refresh_ids(content: &mut [u8], round: usize) {
    if round == 0 {
        return;
    }
    let mut at = 0;
    while at + ID <= content.len() {
        if !is_id(&content[at..at + ID]) {
            at += 1;
            continue;
        }
        let digits = content[at..at + ID].iter_mut().filter(|byte| **byte != b'-');
        for (place, digit) in digits.enumerate() {
            // Each round adds another number to each digit.
            let value = char::from(*digit).to_digit(16).unwrap_or(0) as usize;
            let changed = (value + round * (place % 15 + 1)) % 16;
            *digit = b"0123456789abcdef"[changed];
        }
        at += ID;
    }
}

fn is_id(text: &[u8]) -> bool {
    let mut groups = text.split(|byte| *byte == b'-');
    let fits = |length: &usize| {
        groups.next().is_some_and(|group| group.len() == *length && group.iter().all(u8::is_ascii_hexdigit))
    };
    GROUPS.iter().all(fits)
}

/// Adds the number of the round to the names of runs in native logs.
fn refresh_run_names(content: &[u8], round: usize) -> Vec<u8> {
    const KEY: &[u8] = b"{\"run\":\"";
    if round == 0 {
        return content.to_vec();
    }
    let mut fresh = Vec::with_capacity(content.len());
    for line in content.split_inclusive(|byte| *byte == b'\n') {
        let rest = line.strip_prefix(KEY).or_else(|| line.strip_prefix(b"{\"run\": \""));
        if let Some(rest) = rest {
            fresh.extend_from_slice(KEY);
            fresh.extend_from_slice(format!("{round}-").as_bytes());
            fresh.extend_from_slice(rest);
        } else {
            fresh.extend_from_slice(line);
        }
    }
    fresh
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_changed_alike_and_other_text_is_kept() {
        let text = "{\"sessionId\":\"3bd9cf18-3c9b-42f5-8fd1-47f5456c1fec\",\"parent\":\"3bd9cf18-3c9b-42f5-8fd1-47f5456c1fec\",\"x\":\"12-34\"}";
        let fresh = |round| {
            let mut bytes = text.as_bytes().to_vec();
            refresh_ids(&mut bytes, round);
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(fresh(0), text);
        let (one, two) = (fresh(1), fresh(2));
        assert!(one != text && one != two && one.len() == text.len());
        let ids: Vec<&str> = one.split('"').filter(|part| is_id(part.as_bytes())).collect();
        assert!(ids.len() == 2 && ids[0] == ids[1], "{one}");
        assert!(one.ends_with("\"x\":\"12-34\"}"));
    }

    #[test]
    fn the_runs_of_a_native_log_get_other_names() {
        let text = b"{\"run\":\"a\",\"score\":1}\n{\"run\": \"b\"}\n{\"score\":1}";
        let fresh = refresh_run_names(text, 3);
        assert_eq!(fresh, b"{\"run\":\"3-a\",\"score\":1}\n{\"run\":\"3-b\"}\n{\"score\":1}");
    }
}
