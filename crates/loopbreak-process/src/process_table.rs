//! All processes of the machine at one moment.

use std::collections::HashMap;
use std::fs;

use crate::process_stat::ProcessStat;

/// A process with its owner.
#[derive(Clone, Debug)]
pub(crate) struct OwnedProcess {
    pub(crate) stat: ProcessStat,
    /// Number of the user.
    pub(crate) user: u32,
}

/// All processes at one moment, by their numbers. Ended ones are left out.
#[derive(Debug, Default)]
pub(crate) struct ProcessTable {
    processes: HashMap<u32, OwnedProcess>,
}

impl ProcessTable {
    /// Reads all processes. Returns `None` on systems without `/proc`.
    pub(crate) fn read() -> Option<Self> {
        let mut processes = HashMap::new();
        for entry in fs::read_dir("/proc").ok()?.filter_map(Result::ok) {
            let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
                continue;
            };
            let Some(stat) = ProcessStat::read(pid).filter(|stat| !stat.has_ended()) else { continue };
            let Some(user) = owner(&entry.path()) else { continue };
            processes.insert(pid, OwnedProcess { stat, user });
        }
        // Without this process in it, it is not a list of processes.
        processes.contains_key(&std::process::id()).then_some(ProcessTable { processes })
    }

    pub(crate) fn get(&self, pid: u32) -> Option<&OwnedProcess> {
        self.processes.get(&pid)
    }

    /// Returns the processes of a group, sorted by number.
    pub(crate) fn members(&self, group: u32) -> Vec<&OwnedProcess> {
        let mut members: Vec<&OwnedProcess> =
            self.processes.values().filter(|process| process.stat.group == group).collect();
        members.sort_by_key(|process| process.stat.pid);
        members
    }

    /// Returns a process and all processes above it, the nearest first.
    pub(crate) fn line_of(&self, pid: u32) -> Vec<u32> {
        let mut line = Vec::new();
        let mut next = pid;
        while let Some(process) = self.get(next).filter(|_| !line.contains(&next)) {
            line.push(next);
            next = process.stat.parent;
        }
        line
    }
}

#[cfg(unix)]
fn owner(path: &std::path::Path) -> Option<u32> {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(path).ok().map(|metadata| metadata.uid())
}

#[cfg(not(unix))]
fn owner(_: &std::path::Path) -> Option<u32> {
    None
}
