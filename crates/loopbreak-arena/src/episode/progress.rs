//! What goes on from turn to turn: the map, the objectives, what the player is shown, and the sums.

use std::collections::VecDeque;

use loopbreak::{Audience, Usage, Verdict};

use super::orchestrator::Rules;
use crate::context::{Context, Deed};
use crate::map::Map;
use crate::objectives::{Objective, Objectives};
use crate::texts;
use crate::world::{Sight, Spot};

/// So many deeds are shown to the player: as many as Loopbreak looks at for novelty.
const DEEDS: usize = 15;
/// So much of the answer to each.
const ANSWER: usize = 120;

/// What goes on from turn to turn.
pub(super) struct Progress {
    pub(super) context: Context,
    pub(super) map: Map,
    pub(super) objectives: Objectives,
    pub(super) completed: usize,
    pub(super) refused: u64,
    pub(super) overridden: u64,
    pub(super) player_failures: u64,
    pub(super) critic_failures: u64,
    /// What was used in all.
    pub(super) used: Usage,
    /// What was used since the last turn.
    spent: Usage,
    recent: VecDeque<Deed>,
    inventory: Option<String>,
}

impl Progress {
    pub(super) fn new(rules: &Rules) -> Self {
        Progress {
            context: Context::default(),
            map: Map::default(),
            objectives: Objectives::new(rules.stale_after),
            completed: 0,
            refused: 0,
            overridden: 0,
            player_failures: 0,
            critic_failures: 0,
            used: Usage::default(),
            spent: Usage::default(),
            recent: VecDeque::new(),
            inventory: None,
        }
    }

    /// Adds what somebody used.
    pub(super) fn spend(&mut self, usage: Usage) {
        let cost = usage.cost_usd.filter(|cost| cost.is_finite() && *cost >= 0.0);
        for sum in [&mut self.used, &mut self.spent] {
            add(&mut sum.input_tokens, usage.input_tokens, u64::saturating_add);
            add(&mut sum.output_tokens, usage.output_tokens, u64::saturating_add);
            add(&mut sum.cost_usd, cost, |sum, cost| sum + cost);
        }
    }

    /// What was used since this was asked last; nothing, if nobody counts.
    pub(super) fn spent(&mut self) -> Option<Usage> {
        let spent = std::mem::take(&mut self.spent);
        (spent != Usage::default()).then_some(spent)
    }

    /// Brings map and objectives up to date: gives what was completed.
    pub(super) fn walked(
        &mut self,
        from: Option<&Spot>,
        action: &str,
        sight: &Sight,
        turn: u64,
        rules: &Rules,
    ) -> Vec<Objective> {
        let Some(here) = &sight.place else { return Vec::new() };
        self.map.add(here);
        // A world that lists no exits may speak of them where it describes the place.
        if here.exits.is_empty() && texts::title(&sight.text) == Some(here.name.as_str()) {
            self.map.add_ways(here.id, &texts::mentioned(&sight.text));
        }
        let mut completed = Vec::new();
        if let (Some(from), Some(way)) = (from, texts::way(action)) {
            if from.id == here.id {
                self.objectives.obstacle(&here.name, here.id, way, &sight.text, turn);
            } else {
                self.map.connect(from.id, way, here.id);
                completed = self.objectives.complete(from.id, way);
                self.completed += completed.len();
            }
        }
        self.objectives.give_up_stale(turn);
        if rules.discover_every > 0 && turn.is_multiple_of(rules.discover_every) {
            self.objectives.discover(&self.map, here.id, turn);
        }
        completed
    }

    /// What the player is shown at the beginning.
    pub(super) fn begin(&mut self, sight: &Sight) {
        if let Some(place) = &sight.place {
            self.map.add(place);
        }
        self.context = Context { text: sight.text.clone(), ..self.seen(sight) };
    }

    /// What the player is shown after a turn.
    pub(super) fn after(
        &mut self,
        turn: u64,
        action: String,
        sight: &Sight,
        objectives: Vec<String>,
        verdict: &Verdict,
    ) {
        if matches!(action.trim().to_lowercase().as_str(), "i" | "inv" | "inventory") {
            self.inventory = Some(sight.text.clone());
        }
        self.recent.push_back(Deed { action: action.clone(), answer: texts::gist(&sight.text, ANSWER) });
        if self.recent.len() > DEEDS {
            self.recent.pop_front();
        }
        self.context = Context {
            turn,
            last_action: Some(action),
            text: sight.text.clone(),
            objectives,
            advice: said_to(verdict, Audience::Agent),
            critic_advice: said_to(verdict, Audience::Critic),
            ..self.seen(sight)
        };
    }

    fn seen(&self, sight: &Sight) -> Context {
        let told = sight.inventory.as_ref().map(|things| things.join(", "));
        Context {
            place: sight.place.as_ref().map(|place| place.name.clone()),
            exits: sight.place.as_ref().map(|place| place.exits.clone()).unwrap_or_default(),
            score: sight.score,
            inventory: told.or_else(|| self.inventory.clone()),
            recent: self.recent.iter().cloned().collect(),
            ..Context::default()
        }
    }
}

fn add<T: Copy>(sum: &mut Option<T>, more: Option<T>, plus: impl Fn(T, T) -> T) {
    *sum = match (*sum, more) {
        (Some(sum), Some(more)) => Some(plus(sum, more)),
        (sum, more) => sum.or(more),
    };
}

/// The texts of a verdict for somebody.
pub(super) fn said_to(verdict: &Verdict, audience: Audience) -> Vec<String> {
    verdict
        .advice
        .iter()
        .filter(|advice| advice.audience == audience)
        .map(|advice| advice.text.clone())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_counts_is_not_zero() {
        let mut progress = Progress::new(&Rules::default());
        progress.spend(Usage::default());
        assert_eq!(progress.spent(), None);
        progress.spend(Usage { input_tokens: Some(10), ..Usage::default() });
        progress.spend(Usage { input_tokens: Some(5), cost_usd: Some(0.25), ..Usage::default() });
        let spent = Usage { input_tokens: Some(15), output_tokens: None, cost_usd: Some(0.25) };
        assert_eq!((progress.spent(), progress.spent()), (Some(spent), None));
        assert_eq!(progress.used, spent);
    }
}
