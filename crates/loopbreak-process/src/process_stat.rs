//! One process, as `/proc` describes it.

use std::fs;
use std::path::PathBuf;

/// One process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProcessStat {
    pub(crate) pid: u32,
    /// Name of the program, at most 15 bytes.
    pub(crate) name: String,
    /// `R`, `S`, `T` and so on.
    pub(crate) state: char,
    pub(crate) parent: u32,
    pub(crate) group: u32,
    pub(crate) session: u32,
    /// Number of the terminal; 0 if it has none.
    pub(crate) terminal: i64,
    /// Process group in the foreground of the terminal.
    pub(crate) foreground: i64,
    /// Time at which it started, in ticks since the start of the machine.
    pub(crate) start: u64,
}

impl ProcessStat {
    /// Reads a process. Returns `None` if it has ended, or the system has no `/proc`.
    pub(crate) fn read(pid: u32) -> Option<Self> {
        ProcessStat::parse(&fs::read_to_string(folder(pid).join("stat")).ok()?)
    }

    /// Parses the content of `/proc/PID/stat`. The name is in parentheses and may contain anything, also parentheses.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (pid, rest) = text.split_once(" (")?;
        let (name, rest) = rest.rsplit_once(") ")?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        let number = |at: usize| fields.get(at)?.parse::<u32>().ok();
        Some(ProcessStat {
            pid: pid.parse().ok()?,
            name: name.to_owned(),
            state: fields.first()?.chars().next()?,
            parent: number(1)?,
            group: number(2)?,
            session: number(3)?,
            terminal: fields.get(4)?.parse().ok()?,
            foreground: fields.get(5)?.parse().ok()?,
            start: fields.get(19)?.parse().ok()?,
        })
    }

    /// Returns whether the process has ended, and only its parent has not noticed yet.
    pub(crate) fn has_ended(&self) -> bool {
        matches!(self.state, 'Z' | 'X')
    }

    /// Returns whether a signal has stopped the process.
    pub(crate) fn is_stopped(&self) -> bool {
        self.state == 'T'
    }
}

/// Returns the first words of the command line of a process. They are only looked at, never kept: they may hold secrets.
pub(crate) fn command_words(pid: u32) -> Vec<String> {
    let bytes = fs::read(folder(pid).join("cmdline")).unwrap_or_default();
    let words = bytes.split(|byte| *byte == 0).take(8);
    words.map(|word| String::from_utf8_lossy(word).into_owned()).filter(|word| !word.is_empty()).collect()
}

/// Returns a text that differs between two machines, two starts of a machine, and two containers: numbers of processes count only
/// within one of them.
pub(crate) fn machine() -> Option<String> {
    let start = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let space = fs::read_link("/proc/self/ns/pid").ok()?;
    Some(format!("{} {}", start.trim(), space.display()))
}

fn folder(pid: u32) -> PathBuf {
    PathBuf::from(format!("/proc/{pid}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_and_blanks_is_not_confused_with_the_fields() {
        let text = "42 (a) R 1 (b) S 7 42 40 34816 41 4194304 1 0 0 0 1 2 0 0 20 0 1 0 987654 1000 1";
        let stat = ProcessStat::parse(text).unwrap();
        assert_eq!((stat.pid, stat.name.as_str(), stat.state), (42, "a) R 1 (b", 'S'));
        assert_eq!((stat.parent, stat.group, stat.session), (7, 42, 40));
        assert_eq!((stat.terminal, stat.foreground, stat.start), (34816, 41, 987_654));
        assert_eq!(ProcessStat::parse("42 (cut"), None);
    }
}
