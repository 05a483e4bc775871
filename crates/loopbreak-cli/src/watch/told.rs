//! What was told of logs that are read again as a whole: nothing is told twice.

use std::collections::{HashMap, HashSet};

use loopbreak_watch::notification::{LoopNotification as Notice, NotificationKey as Sameness};

/// What was told, by the home of the log.
#[derive(Debug, Default)]
pub(super) struct Told {
    homes: HashMap<usize, Home>,
    reading: Option<usize>,
}

#[derive(Debug, Default)]
struct Home {
    told: HashSet<Sameness>,
    /// Of the reading before, and of this one.
    steps_before: u64,
    steps: u64,
    skipped: u64,
    found: Vec<(Notice, bool)>,
}

impl Told {
    /// All of a home is read again. Gives how many of its lines were counted as skipped.
    pub(super) fn again(&mut self, home: usize) -> u64 {
        self.reading = Some(home);
        let home = self.homes.entry(home).or_default();
        home.steps_before = std::mem::take(&mut home.steps);
        home.found.clear();
        std::mem::take(&mut home.skipped)
    }

    /// All of it was read. Gives what is to be told.
    pub(super) fn all(&mut self, home: usize) -> Vec<Notice> {
        self.reading = None;
        let Some(home) = self.homes.get_mut(&home) else { return Vec::new() };
        // What has become shorter is another run.
        if home.steps < home.steps_before {
            home.told.clear();
        }
        let found = std::mem::take(&mut home.found);
        let told = &mut home.told;
        let news = found.into_iter().filter(|(notice, _)| told.insert(notice.key()));
        news.filter(|(_, aloud)| *aloud).map(|(notice, _)| notice).collect()
    }

    /// A step was seen.
    pub(super) fn step(&mut self) {
        if let Some(home) = self.reading.and_then(|home| self.homes.get_mut(&home)) {
            home.steps += 1;
        }
    }

    /// A line was skipped.
    pub(super) fn skipped(&mut self) {
        if let Some(home) = self.reading.and_then(|home| self.homes.get_mut(&home)) {
            home.skipped += 1;
        }
    }

    /// Something was found. Gives it back where it is to be told at once.
    pub(super) fn found(&mut self, of: usize, notice: Notice, aloud: bool) -> Option<Notice> {
        let Some(home) = self.homes.get_mut(&of) else { return Some(notice).filter(|_| aloud) };
        if self.reading == Some(of) {
            home.found.push((notice, aloud));
            return None;
        }
        let is_new = home.told.insert(notice.key());
        Some(notice).filter(|_| aloud && is_new)
    }
}
