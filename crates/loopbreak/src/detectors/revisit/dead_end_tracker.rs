//! Places that were visited again and again without progress: the part of `revisit` that finds dead ends.
//!
//! A place has led to progress if there was any while the agent was there or soon after it left. Then it is never a dead end
//! again: a hub or a corridor on the way to something is not one. A place behind which a new place was found soon starts
//! its count again.

use super::settings::RevisitSettings;
use crate::detectors::StepContext;
use crate::memory::{HashKey, RingBuffer, snapshot_row, snapshot_type};
use crate::place::PlaceTrail;

/// Number of places whose visits are counted. The one left longest ago is forgotten first.
const PLACES: usize = 32;
/// Number of dead ends that an agent is told about. More would tell it nothing new.
const MOST_HINTS: u32 = 5;

snapshot_type! {
    /// The visits of an agent to its recent places.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(super) struct DeadEndTracker {
        /// The place that was entered last is the last one.
        #[serde(rename = "v")]
        places: RingBuffer<PlaceVisits, PLACES>,
        #[serde(rename = "h")]
        hints: u32,
    }
}

snapshot_row! {
    #[derive(Clone, Copy, Debug)]
    struct PlaceVisits {
        place: HashKey,
        visits: u32,
        /// The turn of the first of the visits.
        since: u64,
        /// True if the place led to progress, or the agent was told about it.
        settled: bool,
    }
}

/// A place that was visited often and never led to progress.
pub(super) struct DeadEnd {
    pub(super) visits: u32,
    pub(super) since: u64,
}

impl DeadEndTracker {
    /// Counts the visits. Returns the current place if this visit makes it a dead end.
    pub(super) fn observe(
        &mut self,
        context: &StepContext<'_>,
        settings: &RevisitSettings,
    ) -> Option<DeadEnd> {
        if context.origin.user {
            // The user may have sent the agent there.
            self.places.iter_mut().for_each(|place| place.visits = 0);
        }
        let here = context.trail.here()?;
        if context.moved {
            self.arrive(here, context, settings);
        }
        if context.further {
            for place in recent(context.trail, context.turn, settings.dead_end_reach) {
                if let Some(known) = self.find(place) {
                    known.settled = true;
                }
            }
        }
        // Back and forth between two places is for `oscillation` to report.
        if !context.moved
            || !context.scored
            || context.trail.oscillation().is_some()
            || self.hints >= MOST_HINTS
        {
            return None;
        }
        let place = self.find(here)?;
        if place.settled || place.visits < settings.dead_end_at {
            return None;
        }
        place.settled = true;
        let dead_end = DeadEnd { visits: place.visits, since: place.since };
        self.hints += 1;
        Some(dead_end)
    }

    /// Counts a visit. A place that is not remembered is new.
    fn arrive(&mut self, here: HashKey, context: &StepContext<'_>, settings: &RevisitSettings) {
        let known = self.find(here).copied();
        if known.is_none() {
            for place in recent(context.trail, context.turn, settings.dead_end_reach) {
                if let Some(known) = self.find(place) {
                    known.visits = 0;
                }
            }
        }
        let mut place = known.unwrap_or(PlaceVisits { place: here, visits: 0, since: 0, settled: false });
        if place.visits == 0 {
            place.since = context.turn;
        }
        place.visits = place.visits.saturating_add(1);
        self.places.retain(|known| known.place != here);
        self.places.push(place);
    }

    fn find(&mut self, place: HashKey) -> Option<&mut PlaceVisits> {
        self.places.iter_mut().rev().find(|known| known.place == place)
    }
}

/// Iterates over the places of the last turns. A place can occur several times.
fn recent(trail: &PlaceTrail, turn: u64, reach: u32) -> impl Iterator<Item = HashKey> {
    let within = move |turn_of_stay: u64| turn_of_stay.saturating_add(u64::from(reach)) >= turn;
    trail.newest().take_while(move |stay| within(stay.turn)).map(|stay| stay.place)
}
