//! A log as it is followed: the reader that what was written goes through, and whose steps these are.

use std::path::{Path, PathBuf};

use loopbreak_trace::{FileOwner, LogFollower, LogFormat, LogRecord, RecordSink, SkippedLine};

/// Whose steps these are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    /// Logs of one place are of one home: a run that names itself goes on when its log is rotated.
    pub(super) home: usize,
    /// Which of all logs it is. A run without a name is the content of its file, so it goes no further.
    pub(super) life: u32,
    /// The name of such a run.
    pub(super) unnamed: String,
}

/// One log, in one file or several.
pub(super) struct Log {
    pub(super) live: LogFollower,
    pub(super) origin: Origin,
    /// Where its first file is.
    path: PathBuf,
    run: Option<String>,
    /// Whether the file of the run as a whole is among its files, not only those of its subagents.
    has_main: bool,
    /// How many files it has.
    files: usize,
    /// Whether anything was read of it that is told.
    pub(super) aloud: bool,
}

impl Log {
    pub(super) fn new(format: LogFormat, origin: Origin, path: &Path, kin: Option<&FileOwner>) -> Self {
        let mut live = LogFollower::new(format);
        let agent = kin.and_then(|kin| kin.agent.as_deref());
        if let Some(agent) = agent {
            live.set_first_agent(agent);
        }
        Log {
            live,
            origin,
            path: path.to_owned(),
            run: kin.map(|kin| kin.run.clone()),
            has_main: agent.is_none(),
            files: 1,
            aloud: false,
        }
    }

    /// How near this log is to a file of the same run that it lacks. Nothing where the file is not one of it.
    pub(super) fn nearness(&self, format: LogFormat, path: &Path, kin: &FileOwner) -> Option<usize> {
        let lacks = kin.agent.is_some() || !self.has_main;
        let same = self.run.as_ref() == Some(&kin.run) && self.live.format() == format;
        let shared = || self.path.components().zip(path.components()).take_while(|(a, b)| a == b).count();
        (lacks && same).then(shared)
    }

    /// Takes in another file of the same run: its number.
    pub(super) fn join(&mut self, kin: &FileOwner) -> usize {
        self.has_main |= kin.agent.is_none();
        self.files += 1;
        self.live.add_file(kin.agent.as_deref())
    }

    /// Whether one file is all of it.
    pub(super) fn is_one_file(&self) -> bool {
        self.files == 1
    }

    /// Takes a file that is one record.
    pub(super) fn whole(&mut self, text: &[u8], path: &Path, aloud: bool, audience: &mut dyn Audience) {
        self.aloud |= aloud;
        let Log { live, origin, .. } = self;
        live.push_document(text, &mut Given { origin, path, aloud, audience });
    }

    /// Nothing more is expected of it: gives what was held back.
    pub(super) fn over(&mut self, path: &Path, audience: &mut dyn Audience) {
        let Log { live, origin, aloud, .. } = self;
        live.finish(&mut Given { origin, path, aloud: *aloud, audience });
    }

    /// Nothing more is expected of one of its files: that is the end of it where there is no other.
    pub(super) fn file_over(&mut self, file: usize, path: &Path, audience: &mut dyn Audience) {
        if self.is_one_file() {
            return self.over(path, audience);
        }
        let Log { live, origin, aloud, .. } = self;
        live.close_file(file, &mut Given { origin, path, aloud: *aloud, audience });
    }

    /// The same as at the end, but a line without its end is left alone.
    pub(super) fn give_up_waiting(&mut self, audience: &mut dyn Audience) {
        let Log { live, origin, path, aloud, .. } = self;
        live.flush(&mut Given { origin, path, aloud: *aloud, audience });
    }

    /// The path of its first file.
    pub(super) fn path(&self) -> PathBuf {
        self.path.clone()
    }
}

/// Who is told what is read.
pub(super) trait Audience {
    /// A step; `aloud` where it was written since the watch began.
    fn step(&mut self, origin: &Origin, path: &Path, aloud: bool, record: &LogRecord<'_>);
    /// A line that cannot be read.
    fn skipped(&mut self, path: &Path, skipped: &SkippedLine);
    /// The log at this place begins anew.
    fn anew(&mut self, path: &Path);
    /// All of a home is read again: what was seen of it is forgotten, and what was told is not told again.
    fn again(&mut self, home: usize);
    /// All of it was read.
    fn all(&mut self, home: usize);
    /// Something is wrong, or worth knowing.
    fn say(&mut self, path: &Path, what: &str);
    /// The same, of a file that nobody named.
    fn aside(&mut self, path: &Path, what: &str);
    /// After each piece, so that memory stays bounded while much is read.
    fn tidy(&mut self);
}

/// Gives on what a reader yields.
pub(super) struct Given<'a> {
    pub(super) origin: &'a Origin,
    pub(super) path: &'a Path,
    pub(super) aloud: bool,
    pub(super) audience: &'a mut dyn Audience,
}

impl RecordSink for Given<'_> {
    fn record(&mut self, record: &LogRecord<'_>) {
        self.audience.step(self.origin, self.path, self.aloud, record);
    }

    fn skipped(&mut self, skipped: SkippedLine) {
        if self.aloud {
            self.audience.skipped(self.path, &skipped);
        }
    }
}
