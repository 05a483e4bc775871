//! Remembers reported notifications of logs that are read again as a whole, so nothing is reported twice.

use std::collections::{HashMap, HashSet};

use crate::notification::{LoopNotification, NotificationKey};

/// The notifications that were reported, by the source of the log.
#[derive(Debug, Default)]
pub(crate) struct NotificationHistory {
    sources: HashMap<usize, SourceHistory>,
    /// The source that is being read again.
    rereading: Option<usize>,
}

#[derive(Debug, Default)]
struct SourceHistory {
    reported: HashSet<NotificationKey>,
    /// The number of steps of the previous reading, and of this one.
    steps_before: u64,
    steps: u64,
    skipped_lines: u64,
    pending: Vec<(LoopNotification, bool)>,
}

impl NotificationHistory {
    /// Starts to read a source again. Returns how many of its lines were counted as skipped.
    pub(crate) fn start_reread(&mut self, source_id: usize) -> u64 {
        self.rereading = Some(source_id);
        let source = self.sources.entry(source_id).or_default();
        source.steps_before = std::mem::take(&mut source.steps);
        source.pending.clear();
        std::mem::take(&mut source.skipped_lines)
    }

    /// Ends the reading. Returns the notifications to report.
    pub(crate) fn finish_reread(&mut self, source_id: usize) -> Vec<LoopNotification> {
        self.rereading = None;
        let Some(source) = self.sources.get_mut(&source_id) else { return Vec::new() };
        // A source that became shorter holds another run.
        if source.steps < source.steps_before {
            source.reported.clear();
        }
        let pending = std::mem::take(&mut source.pending);
        let reported = &mut source.reported;
        let new = pending.into_iter().filter(|(notification, _)| reported.insert(notification.key()));
        new.filter(|(_, is_live)| *is_live).map(|(notification, _)| notification).collect()
    }

    /// Counts a step.
    pub(crate) fn count_step(&mut self) {
        if let Some(source) = self.rereading.and_then(|source_id| self.sources.get_mut(&source_id)) {
            source.steps += 1;
        }
    }

    /// Counts a skipped line.
    pub(crate) fn count_skipped_line(&mut self) {
        if let Some(source) = self.rereading.and_then(|source_id| self.sources.get_mut(&source_id)) {
            source.skipped_lines += 1;
        }
    }

    /// Adds a notification. Returns it if it must be reported at once.
    pub(crate) fn add(
        &mut self,
        source_id: usize,
        notification: LoopNotification,
        is_live: bool,
    ) -> Option<LoopNotification> {
        let Some(source) = self.sources.get_mut(&source_id) else {
            return Some(notification).filter(|_| is_live);
        };
        if self.rereading == Some(source_id) {
            source.pending.push((notification, is_live));
            return None;
        }
        let is_new = source.reported.insert(notification.key());
        Some(notification).filter(|_| is_live && is_new)
    }
}
