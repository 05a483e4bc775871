//! Score, and places or tools, over a run.

use loopbreak_analysis::recording::visible_text;
use loopbreak_analysis::{RunTimeline, plain};
use serde::Serialize;

/// Number of lanes, without the one for all others.
const LANES: usize = 8;
const NAME: usize = 60;

/// The lanes, and the stays in each.
#[derive(Debug, Serialize)]
pub(super) struct TimelineLanes {
    /// `place` or `tool`.
    #[serde(rename = "k")]
    kind: &'static str,
    /// Names and turns, the busiest first.
    #[serde(rename = "n")]
    names: Vec<(String, u64)>,
    /// First turn, last turn and lane; the number after the last lane stands for all others.
    #[serde(rename = "s")]
    stays: Vec<(u64, u64, usize)>,
}

impl TimelineLanes {
    /// Creates lanes of places if there are any, otherwise of tools.
    pub(super) fn new(places: &RunTimeline, tools: &RunTimeline, columns: usize) -> Self {
        let (kind, timeline) = if places.places().is_empty() { ("tool", tools) } else { ("place", places) };
        let all = timeline.places();
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by_key(|index| std::cmp::Reverse(all[*index].turns));
        let mut lane_of = vec![LANES; all.len()];
        for (lane, index) in order.iter().take(LANES).enumerate() {
            lane_of[*index] = lane;
        }
        let mut stays: Vec<(u64, u64, usize)> = Vec::new();
        let mut before = None;
        for bucket in timeline.columns(columns) {
            let from = before.map_or(bucket.turn, |turn: u64| turn + 1).min(bucket.turn);
            before = Some(bucket.turn);
            let Some(lane) = bucket.place.map(|place| lane_of[place as usize]) else { continue };
            match stays.last_mut() {
                Some((_, to, last)) if *last == lane && *to + 1 >= from => *to = bucket.turn,
                _ => stays.push((from, bucket.turn, lane)),
            }
        }
        let mut names: Vec<(String, u64)> = order
            .iter()
            .take(LANES)
            .map(|index| (visible_text(&all[*index].name, NAME), all[*index].turns))
            .collect();
        let others: u64 = order.iter().skip(LANES).map(|index| all[*index].turns).sum();
        if others > 0 {
            let count = order.len() - LANES;
            names.push((format!("{count} {}", if count == 1 { "other" } else { "others" }), others));
        }
        TimelineLanes { kind, names, stays }
    }
}

/// A turn, and the score from then on.
#[derive(Debug, Serialize)]
pub(super) struct ScoreChange(u64, #[serde(serialize_with = "plain")] f64);

/// Returns the turns at which the score changed, in at most `columns` columns.
pub(super) fn score(timeline: &RunTimeline, columns: usize) -> Vec<ScoreChange> {
    let mut changes: Vec<ScoreChange> = Vec::new();
    for bucket in timeline.columns(columns) {
        let Some(score) = bucket.score else { continue };
        if changes.last().map(|last| last.1) != Some(score) {
            changes.push(ScoreChange(bucket.turn, score));
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use loopbreak::Place;

    use super::*;

    #[test]
    fn lanes_are_the_busiest_tools_and_one_for_the_others() {
        let mut tools = RunTimeline::default();
        for turn in 1..=60_u64 {
            let name = if turn <= 30 { "bash".to_owned() } else { format!("tool{turn}") };
            let place = Place { name: Some(name.into()), ..Place::default() };
            tools.add(turn, None, Some(&place));
        }
        let lanes = TimelineLanes::new(&RunTimeline::default(), &tools, 600);
        assert_eq!((lanes.kind, lanes.names.len()), ("tool", LANES + 1));
        assert_eq!((&*lanes.names[0].0, lanes.names[0].1), ("bash", 30));
        assert_eq!((&*lanes.names[LANES].0, lanes.names[LANES].1), ("23 others", 23));
        assert_eq!(lanes.stays[0], (1, 30, 0));
        assert!(lanes.stays.iter().all(|(from, to, lane)| from <= to && *lane <= LANES));
        assert_eq!(lanes.stays.last().unwrap().1, 60);
    }

    #[test]
    fn a_score_is_told_where_it_changes() {
        let mut timeline = RunTimeline::default();
        for (turn, score) in [(1, 0.0), (2, 0.0), (3, 5.5), (4, 5.5), (5, 0.0)] {
            timeline.add(turn, Some(score), None);
        }
        assert_eq!(serde_json::to_string(&score(&timeline, 600)).unwrap(), "[[1,0],[3,5.5],[5,0]]");
    }
}
