//! Tasks that send each other back. Each attempt on its own looks healthy; only the sequence of send-backs shows the
//! cycle. A task that was sent back is the next one, so nothing comes between them.

use super::TaskCycle;
use super::task_cycle::{repeated_length, smallest_rotation};
use super::task_history::ID_BYTES;
use crate::memory::{ClippedText, HashKey, RingBuffer, key_of, key_of_parts, snapshot_type};
use crate::settings::TaskSettings;

/// Longest period that is looked for, in send-backs.
const LONGEST: usize = 12;
/// Number of send-backs that are kept: the longest cycle, eight rounds.
const SENT: usize = 8 * LONGEST;

snapshot_type! {
    #[derive(Clone, Debug)]
    struct SendBack {
        #[serde(rename = "f")]
        from: ClippedText<ID_BYTES>,
        #[serde(rename = "t")]
        to: ClippedText<ID_BYTES>,
        #[serde(rename = "n")]
        turn: u64,
    }
}

snapshot_type! {
    /// The last send-backs between tasks.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(crate) struct SendBackHistory {
        sent: RingBuffer<SendBack, SENT>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reported: Option<(HashKey, u32)>,
    }
}

impl SendBackHistory {
    pub(crate) fn is_empty(&self) -> bool {
        self.sent.len() == 0
    }

    /// Records that one task sent another one back. Returns the cycle that this continues, and whether it is new or worse
    /// than when it was last reported.
    pub(crate) fn record(
        &mut self,
        from: &str,
        to: &str,
        turn: u64,
        settings: &TaskSettings,
    ) -> Option<(TaskCycle, bool)> {
        self.sent.push(SendBack { from: from.into(), to: to.into(), turn });
        let found = self.find(settings);
        let news = found.as_ref().is_some_and(|cycle| cycle.is_news_after(self.reported));
        if news || found.is_none() {
            self.reported = found.as_ref().map(TaskCycle::report_key);
        }
        found.map(|cycle| (cycle, news))
    }

    fn find(&self, settings: &TaskSettings) -> Option<TaskCycle> {
        let sent: Vec<&SendBack> = self.sent.newest().collect();
        let key = |sent: &&SendBack| key_of_parts(&[key_of(&sent.from), key_of(&sent.to)]);
        let keys: Vec<HashKey> = sent.iter().map(key).collect();
        (1..=LONGEST).find_map(|period| {
            let length = repeated_length(&keys, period);
            let rounds = (length / period) as u32;
            // A review that sends the same task back is healthier than tasks that send each other back.
            let factor = if period == 1 { 2 } else { 1 };
            let severity = settings.cycle_severity(rounds, factor)?;
            let ends = sent[..period].iter().flat_map(|sent| [&sent.from, &sent.to]);
            let mut tasks: Vec<String> = ends.map(ToString::to_string).collect();
            tasks.sort();
            tasks.dedup();
            Some(TaskCycle {
                tasks,
                rounds,
                count: length as u32,
                since: sent[length - 1].turn,
                severity,
                identity: smallest_rotation(&keys[..period]),
                sent_back: true,
            })
        })
    }
}
