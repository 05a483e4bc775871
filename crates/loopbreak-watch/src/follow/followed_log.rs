//! One followed log: its reader, and the origin of its steps.

use std::path::{Path, PathBuf};

use loopbreak_trace::{FileOwner, LogFollower, LogFormat};

use super::watch_observer::{ObserverSink, WatchObserver};

/// The origin of steps: a source and one generation of its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StepOrigin {
    /// Identifies the source. A run with a name continues when its log is rotated.
    pub(crate) source_id: usize,
    /// Identifies the log. A run without a name ends with the content of its file.
    pub(crate) generation: u32,
    /// The name for a run without a name.
    pub(crate) unnamed_run: String,
}

/// One log, in one or several files.
pub(crate) struct FollowedLog {
    pub(crate) follower: LogFollower,
    pub(crate) origin: StepOrigin,
    /// The path of its first file.
    path: PathBuf,
    run: Option<String>,
    /// True if the file of the main agent is among its files, not only those of subagents.
    has_main: bool,
    /// The number of its files.
    files: usize,
    /// True if anything was read that is reported.
    pub(crate) is_live: bool,
}

impl FollowedLog {
    pub(crate) fn new(format: LogFormat, origin: StepOrigin, path: &Path, owner: Option<&FileOwner>) -> Self {
        let mut follower = LogFollower::new(format);
        let agent = owner.and_then(|owner| owner.agent.as_deref());
        if let Some(agent) = agent {
            follower.set_first_agent(agent);
        }
        FollowedLog {
            follower,
            origin,
            path: path.to_owned(),
            run: owner.map(|owner| owner.run.clone()),
            has_main: agent.is_none(),
            files: 1,
            is_live: false,
        }
    }

    /// Returns the number of path components that this log shares with a file of the same run that it lacks,
    /// or `None` if the file does not belong to it.
    pub(crate) fn shared_path_components(
        &self,
        format: LogFormat,
        path: &Path,
        owner: &FileOwner,
    ) -> Option<usize> {
        let lacks = owner.agent.is_some() || !self.has_main;
        let same = self.run.as_ref() == Some(&owner.run) && self.follower.format() == format;
        let shared = || self.path.components().zip(path.components()).take_while(|(a, b)| a == b).count();
        (lacks && same).then(shared)
    }

    /// Adds another file of the same run and returns its number.
    pub(crate) fn join(&mut self, owner: &FileOwner) -> usize {
        self.has_main |= owner.agent.is_none();
        self.files += 1;
        self.follower.add_file(owner.agent.as_deref())
    }

    /// Returns whether the log has only one file.
    pub(crate) fn is_one_file(&self) -> bool {
        self.files == 1
    }

    /// Reads a file that is one record.
    pub(crate) fn push_document(
        &mut self,
        text: &[u8],
        path: &Path,
        is_live: bool,
        observer: &mut dyn WatchObserver,
    ) {
        self.is_live |= is_live;
        let FollowedLog { follower, origin, .. } = self;
        follower.push_document(text, &mut ObserverSink { origin, path, is_live, observer });
    }

    /// Passes on everything that was held back. Nothing more is expected.
    pub(crate) fn finish(&mut self, path: &Path, observer: &mut dyn WatchObserver) {
        let FollowedLog { follower, origin, is_live, .. } = self;
        follower.finish(&mut ObserverSink { origin, path, is_live: *is_live, observer });
    }

    /// Ends one of its files, or the log if it has no other.
    pub(crate) fn finish_file(&mut self, file: usize, path: &Path, observer: &mut dyn WatchObserver) {
        if self.is_one_file() {
            return self.finish(path, observer);
        }
        let FollowedLog { follower, origin, is_live, .. } = self;
        follower.close_file(file, &mut ObserverSink { origin, path, is_live: *is_live, observer });
    }

    /// Passes on steps that were held back. An incomplete line stays incomplete.
    pub(crate) fn flush(&mut self, observer: &mut dyn WatchObserver) {
        let FollowedLog { follower, origin, path, is_live, .. } = self;
        follower.flush(&mut ObserverSink { origin, path, is_live: *is_live, observer });
    }

    /// Returns the path of its first file.
    pub(crate) fn path(&self) -> PathBuf {
        self.path.clone()
    }
}
