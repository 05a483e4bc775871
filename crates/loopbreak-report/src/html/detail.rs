//! The data of one run on a page, as JSON of bounded size.

use loopbreak_analysis::recording::{FinishedRecording, LoopBand, ProgressMark, SampleRank};
use loopbreak_analysis::{RunReport, StuckPeriod, plain_option};
use serde::Serialize;

use super::lanes::{self, ScoreChange, TimelineLanes};
use crate::markup::escape_json;

/// Numbers of columns in which a run is drawn: the first that leaves room for its steps.
const COLUMNS: [usize; 4] = [600, 200, 60, 20];

/// The parts of a run as JSON, not yet put together.
pub(super) struct RunDetail<'r> {
    report: &'r RunReport,
    recording: FinishedRecording,
    /// The timeline with the most columns.
    fine: String,
    /// The flags in order; those that must be kept are marked.
    flags: Vec<(bool, String)>,
    steps: Vec<(SampleRank, String)>,
}

/// The timeline of a run. The keys are short because a page has many of them.
#[derive(Serialize)]
struct DrawnTimeline<'d> {
    agents: &'d [String],
    /// Number of records.
    records: u64,
    score: Vec<ScoreChange>,
    lanes: TimelineLanes,
    bands: &'d [LoopBand],
    stuck: Vec<StuckStretch>,
    marks: &'d [ProgressMark],
    /// Numbers of further bands, marks and flags.
    more: [u64; 3],
}

/// A period without progress.
#[derive(Serialize)]
struct StuckStretch(u64, u64, #[serde(serialize_with = "plain_option")] Option<f64>);

impl<'r> RunDetail<'r> {
    pub(super) fn new(report: &'r RunReport, recording: FinishedRecording) -> Self {
        let flags = recording.flags.iter().map(|flag| (flag.ends, json(flag))).collect();
        let steps = recording.steps.iter().map(|(rank, row)| (*rank, json(row))).collect();
        let mut detail = RunDetail { report, recording, fine: String::new(), flags, steps };
        detail.fine = detail.drawn(COLUMNS[0], 0);
        detail
    }

    /// Returns the size in bytes if nothing is left out.
    pub(super) fn size(&self) -> usize {
        let flags: usize = self.flags.iter().map(|(_, flag)| flag.len() + 1).sum();
        let steps: usize = self.steps.iter().map(|(_, step)| step.len() + 1).sum();
        self.fine.len() + flags + steps + FRAME
    }

    /// Renders the run in at most `room` bytes, with a coarser timeline, fewer flags and fewer steps if necessary.
    pub(super) fn write(&self, room: usize) -> String {
        let whole = self.size() <= room;
        let flags_room = if whole { usize::MAX } else { room / 3 };
        let mut used = FRAME;
        let mut flags: Vec<bool> = self.flags.iter().map(|(ends, _)| *ends).collect();
        used += self.flags.iter().filter(|(ends, _)| *ends).map(|(_, flag)| flag.len() + 1).sum::<usize>();
        for (index, (_, flag)) in self.flags.iter().enumerate().filter(|(_, (ends, _))| !ends) {
            if used + flag.len() < flags_room {
                used += flag.len() + 1;
                flags[index] = true;
            }
        }
        let left_out = flags.iter().filter(|kept| !**kept).count() as u64;
        let drawn = if whole { self.fine.clone() } else { self.coarse(room / 4, left_out) };
        used += drawn.len();
        let mut order: Vec<usize> = (0..self.steps.len()).collect();
        order.sort_by_key(|index| (self.steps[*index].0, *index));
        let mut steps = vec![false; self.steps.len()];
        for index in order {
            let length = self.steps[index].1.len() + 1;
            if used + length <= room {
                used += length;
                steps[index] = true;
            }
        }
        let flags = self.flags.iter().zip(flags).filter(|(_, kept)| *kept).map(|((_, flag), _)| &**flag);
        let steps = self.steps.iter().zip(steps).filter(|(_, kept)| *kept).map(|((_, step), _)| &**step);
        format!(
            "{},\"flags\":[{}],\"steps\":[{}]}}",
            drawn.strip_suffix('}').unwrap_or(&drawn),
            flags.collect::<Vec<_>>().join(","),
            steps.collect::<Vec<_>>().join(",")
        )
    }

    fn coarse(&self, room: usize, left_out: u64) -> String {
        let mut drawn = String::new();
        for columns in COLUMNS {
            drawn = self.drawn(columns, left_out);
            if drawn.len() <= room {
                break;
            }
        }
        drawn
    }

    fn drawn(&self, columns: usize, flags_left_out: u64) -> String {
        let (recording, report) = (&self.recording, self.report);
        // With few columns, there is also less of everything else.
        let first = |length: usize| length.min(columns / 5);
        let (all_bands, all_marks, agents) = (&recording.bands, &recording.marks, &recording.agents);
        let (shown_bands, shown_marks) = (first(all_bands.len()), first(all_marks.len()));
        let stretch = |stuck: &StuckPeriod| StuckStretch(stuck.from, stuck.to, stuck.score);
        json(&DrawnTimeline {
            agents: &agents[..first(agents.len())],
            records: recording.records,
            score: lanes::score(&report.timeline, columns),
            lanes: TimelineLanes::new(&report.timeline, &recording.tools, columns),
            bands: &all_bands[..shown_bands],
            stuck: report.stuck.iter().take(first(report.stuck.len())).map(stretch).collect(),
            marks: &all_marks[..shown_marks],
            more: [
                recording.bands_left_out + (all_bands.len() - shown_bands) as u64,
                recording.marks_left_out + (all_marks.len() - shown_marks) as u64,
                recording.flags_left_out + flags_left_out,
            ],
        })
    }
}

/// The brackets and names around flags and steps.
const FRAME: usize = 32;

/// Serializes a value for a page.
fn json(value: &impl Serialize) -> String {
    // This cannot fail: no map has keys that are not text.
    escape_json(&serde_json::to_string(value).unwrap_or_else(|_| "{}".to_owned()))
}

/// Returns the largest size per run for which all together need at most `total`. Runs that need less leave room for
/// the others.
pub(super) fn share(sizes: &[usize], total: usize) -> usize {
    let mut sorted = sizes.to_vec();
    sorted.sort_unstable();
    let (mut left, mut count) = (total, sorted.len());
    for size in sorted {
        if size > left / count {
            return left / count;
        }
        left -= size;
        count -= 1;
    }
    usize::MAX
}

#[cfg(test)]
mod tests {
    use loopbreak::{Config, Step};

    use loopbreak_analysis::RunAnalysis;
    use loopbreak_analysis::prices::StepCost;
    use loopbreak_analysis::recording::RunRecording;

    use super::*;

    #[test]
    fn those_that_need_less_leave_room_to_the_others() {
        assert_eq!(share(&[10, 20, 30], 60), usize::MAX);
        assert_eq!(share(&[10, 100, 100], 110), 50);
        assert_eq!(share(&[], 5), usize::MAX);
        assert_eq!(share(&[7, 7], 3), 1);
    }

    #[test]
    fn a_run_fits_into_the_room_it_is_given_and_is_json_all_the_same() {
        let mut analysis = RunAnalysis::new(&Config::default(), "long");
        let mut recording = RunRecording::default();
        for turn in 1..=5000_u64 {
            let (action, text) = if turn % 40 < 12 {
                ("same".to_owned(), "x".repeat(900))
            } else {
                (format!("do {turn}"), "<&> some more of it ".repeat(50))
            };
            let line = serde_json::json!({"action": {"name": "bash", "args": {"command": action}}, "outcome": text,
                "place": format!("room {}", turn / 100), "score": turn / 60, "agent": format!("agent {}", turn / 1000)});
            let line = line.to_string();
            let step = Step::from_json(&line).unwrap();
            let verdict = analysis.observe(&step);
            recording.add(&step, &verdict, &StepCost::default());
        }
        let report = analysis.finish("long.jsonl", "steps");
        let detail = RunDetail::new(&report, recording.finish(&report.findings));
        assert!(detail.size() > 100_000 && detail.size() < 1_000_000, "{}", detail.size());
        for room in [8000, 20_000, 100_000, usize::MAX] {
            let written = detail.write(room);
            assert!(written.len() <= room, "{} in {room}", written.len());
            let read: serde_json::Value = serde_json::from_str(&written).unwrap();
            let steps = read["steps"].as_array().unwrap();
            assert!(!steps.is_empty() && !read["flags"].as_array().unwrap().is_empty(), "{room}");
            assert!(steps.windows(2).all(|two| two[0]["n"].as_u64() < two[1]["n"].as_u64()));
        }
    }
}
