//! Score and place over a run of any length, in bounded memory.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use loopbreak::Place;
use serde::{Deserialize, Serialize};

/// Maximum number of buckets. Beyond it, every two neighbours are merged.
const BUCKETS: usize = 2048;
/// Maximum number of places.
const PLACES: usize = 4096;

/// A few consecutive steps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimelineBucket {
    /// The turn of the last of them.
    pub turn: u64,
    /// The score after them.
    pub score: Option<f64>,
    /// The place where most of them ended: an index into [`RunTimeline::places`].
    pub place: Option<u32>,
    /// Number of steps by which that place leads.
    lead: u32,
}

/// Score and place over a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunTimeline {
    buckets: Vec<TimelineBucket>,
    /// Steps per bucket, and number of steps in the last one.
    per_bucket: u64,
    in_last: u64,
    score: Option<f64>,
    range: Option<(f64, f64)>,
    place: Option<u32>,
    places: Vec<PlaceTurns>,
    known: HashMap<String, u32, RandomState>,
}

/// A place, and the number of turns spent there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceTurns {
    /// The name.
    pub name: String,
    /// Turns that ended there.
    pub turns: u64,
}

impl Default for RunTimeline {
    fn default() -> Self {
        RunTimeline {
            buckets: Vec::new(),
            per_bucket: 1,
            in_last: 0,
            score: None,
            range: None,
            place: None,
            places: Vec::new(),
            known: HashMap::default(),
        }
    }
}

impl RunTimeline {
    /// Adds a turn. Without a score or place, the previous ones still hold.
    pub fn add(&mut self, turn: u64, score: Option<f64>, place: Option<&Place<'_>>) {
        if let Some(score) = score.filter(|score| score.is_finite()) {
            self.score = Some(score);
            let (low, high) = self.range.unwrap_or((score, score));
            self.range = Some((low.min(score), high.max(score)));
        }
        if let Some(place) = place {
            self.place = self.arrive(place);
        }
        if let Some(here) = self.place {
            self.places[here as usize].turns += 1;
        }
        let step = TimelineBucket { turn, score: self.score, place: self.place, lead: 1 };
        if self.in_last < self.per_bucket
            && let Some(last) = self.buckets.last_mut()
        {
            *last = last.joined(step);
            self.in_last += 1;
            return;
        }
        if self.buckets.len() == BUCKETS {
            self.buckets = self.buckets.chunks(2).map(|pair| pair[0].joined(pair[1])).collect();
            self.per_bucket *= 2;
        }
        self.buckets.push(step);
        self.in_last = 1;
    }

    /// Frees the memory that is not needed after the last step.
    pub(crate) fn shrink(&mut self) {
        self.known = HashMap::default();
        self.buckets.shrink_to_fit();
        self.places.shrink_to_fit();
    }

    fn arrive(&mut self, place: &Place<'_>) -> Option<u32> {
        let key = match (&place.id, &place.name) {
            (Some(id), _) => id.as_text(),
            (None, Some(name)) => name.0.as_ref().into(),
            (None, None) => return None,
        };
        if let Some(known) = self.known.get(&*key) {
            return Some(*known);
        }
        if self.places.len() == PLACES {
            return None;
        }
        let name = place.name.as_deref().map_or_else(|| format!("Location_{key}"), str::to_owned);
        let index = self.places.len() as u32;
        self.known.insert(key.into_owned(), index);
        self.places.push(PlaceTurns { name, turns: 0 });
        Some(index)
    }

    /// Returns the steps in order, a few per bucket.
    pub fn buckets(&self) -> &[TimelineBucket] {
        &self.buckets
    }

    /// Returns the lowest and the highest score.
    pub fn range(&self) -> Option<(f64, f64)> {
        self.range
    }

    /// Returns all places in the order of their first visit.
    pub fn places(&self) -> &[PlaceTurns] {
        &self.places
    }

    /// Returns the run in at most `width` columns, fewer if it has fewer steps.
    pub fn columns(&self, width: usize) -> Vec<TimelineBucket> {
        let count = self.buckets.len().min(width);
        let edge = |column: usize| column * self.buckets.len() / count.max(1);
        let join = |column| {
            self.buckets[edge(column)..edge(column + 1)].iter().copied().reduce(TimelineBucket::joined)
        };
        (0..count).filter_map(join).collect()
    }
}

impl TimelineBucket {
    /// Merges two neighbours: the later score, and the place that leads.
    fn joined(self, later: TimelineBucket) -> TimelineBucket {
        let (place, lead) = if self.place == later.place {
            (self.place, self.lead.saturating_add(later.lead))
        } else if self.lead >= later.lead {
            (self.place, self.lead - later.lead)
        } else {
            (later.place, later.lead - self.lead)
        };
        TimelineBucket { turn: later.turn, score: later.score, place, lead }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(name: &str) -> Place<'_> {
        Place { name: Some(name.into()), ..Place::default() }
    }

    #[test]
    fn a_long_run_takes_no_more_memory_than_a_short_one() {
        let mut timeline = RunTimeline::default();
        for turn in 1..=100_000 {
            timeline.add(turn, Some(turn as f64), None);
        }
        assert!(timeline.buckets().len() <= BUCKETS);
        let columns = timeline.columns(50);
        assert_eq!(columns.len(), 50);
        assert_eq!(columns[49].turn, 100_000);
        assert!(columns.windows(2).all(|pair| pair[0].score < pair[1].score && pair[0].turn < pair[1].turn));
    }

    #[test]
    fn a_short_run_has_one_column_per_step() {
        let mut timeline = RunTimeline::default();
        for turn in 1..=3 {
            timeline.add(turn, None, None);
        }
        assert_eq!(timeline.columns(50).len(), 3);
        assert!(RunTimeline::default().columns(50).is_empty());
    }

    #[test]
    fn a_column_shows_where_most_of_its_turns_were_spent() {
        let mut timeline = RunTimeline::default();
        for (turn, name) in ["hall", "hall", "hall", "cellar"].iter().enumerate() {
            timeline.add(turn as u64, None, Some(&place(name)));
        }
        let columns = timeline.columns(1);
        assert_eq!(timeline.places()[columns[0].place.unwrap() as usize].name, "hall");
        assert_eq!(timeline.places()[0].turns, 3);
    }

    #[test]
    fn places_are_distinguished_by_id_and_shown_by_name() {
        let mut timeline = RunTimeline::default();
        let dam = |name: Option<&'static str>| Place {
            id: Some(20.into()),
            name: name.map(Into::into),
            exits: vec![],
        };
        timeline.add(1, None, Some(&dam(None)));
        timeline.add(2, None, Some(&dam(Some("Dam"))));
        timeline.add(3, None, None);
        assert_eq!(timeline.places(), [PlaceTurns { name: "Location_20".into(), turns: 3 }]);
    }
}
