//! State that is kept from turn to turn: the map, the objectives, the context of the player, and totals.

use std::collections::VecDeque;

use loopbreak::{Usage, Verdict, verdict::Audience};

use super::episode_orchestrator::EpisodeRules;
use crate::episode::{ObjectiveList, WorldObjective};
use crate::game_text;
use crate::player_context::{PastAction, PlayerContext};
use crate::world::WorldMap;
use crate::world::{WorldLocation, WorldObservation};

/// Number of recent actions in the context: as many as the `novelty` detector considers.
const RECENT_ACTIONS: usize = 15;
/// Number of characters of each answer in the context.
const ANSWER: usize = 120;

/// State that is kept from turn to turn.
pub(super) struct EpisodeProgress {
    pub(super) context: PlayerContext,
    pub(super) map: WorldMap,
    pub(super) objectives: ObjectiveList,
    pub(super) completed: usize,
    pub(super) refused: u64,
    pub(super) overridden: u64,
    pub(super) player_failures: u64,
    pub(super) critic_failures: u64,
    /// Total usage.
    pub(super) used: Usage,
    /// Usage since the last turn.
    spent: Usage,
    recent: VecDeque<PastAction>,
    inventory: Option<String>,
}

impl EpisodeProgress {
    pub(super) fn new(rules: &EpisodeRules) -> Self {
        EpisodeProgress {
            context: PlayerContext::default(),
            map: WorldMap::default(),
            objectives: ObjectiveList::new(rules.stale_after),
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

    /// Adds usage of a participant.
    pub(super) fn spend(&mut self, usage: Usage) {
        let cost = usage.cost_usd.filter(|cost| cost.is_finite() && *cost >= 0.0);
        for sum in [&mut self.used, &mut self.spent] {
            add(&mut sum.input_tokens, usage.input_tokens, u64::saturating_add);
            add(&mut sum.output_tokens, usage.output_tokens, u64::saturating_add);
            add(&mut sum.cost_usd, cost, |sum, cost| sum + cost);
        }
    }

    /// Returns the usage since the last call of this method; `None` if no participant reports it.
    pub(super) fn take_usage(&mut self) -> Option<Usage> {
        let spent = std::mem::take(&mut self.spent);
        (spent != Usage::default()).then_some(spent)
    }

    /// Updates the map and the objectives. Returns the completed objectives.
    pub(super) fn update_map(
        &mut self,
        from: Option<&WorldLocation>,
        action: &str,
        observation: &WorldObservation,
        turn: u64,
        rules: &EpisodeRules,
    ) -> Vec<WorldObjective> {
        let Some(here) = &observation.place else { return Vec::new() };
        self.map.add(here);
        // A world that lists no exits may mention them in the description of the place.
        if here.exits.is_empty() && game_text::place_title(&observation.text) == Some(here.name.as_str()) {
            self.map.add_exits(here.id, &game_text::mentioned_directions(&observation.text));
        }
        let mut completed = Vec::new();
        if let (Some(from), Some(way)) = (from, game_text::direction_of(action)) {
            if from.id == here.id {
                self.objectives.obstacle(&here.name, here.id, way, &observation.text, turn);
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

    /// Sets the context for the first turn.
    pub(super) fn begin(&mut self, observation: &WorldObservation) {
        if let Some(place) = &observation.place {
            self.map.add(place);
        }
        self.context = PlayerContext { text: observation.text.clone(), ..self.context_of(observation) };
    }

    /// Sets the context after a turn.
    pub(super) fn update_context(
        &mut self,
        turn: u64,
        action: String,
        observation: &WorldObservation,
        objectives: Vec<String>,
        verdict: &Verdict,
    ) {
        if matches!(action.trim().to_lowercase().as_str(), "i" | "inv" | "inventory") {
            self.inventory = Some(observation.text.clone());
        }
        self.recent.push_back(PastAction {
            action: action.clone(),
            answer: game_text::one_line(&observation.text, ANSWER),
        });
        if self.recent.len() > RECENT_ACTIONS {
            self.recent.pop_front();
        }
        self.context = PlayerContext {
            turn,
            last_action: Some(action),
            text: observation.text.clone(),
            objectives,
            advice: advice_for(verdict, Audience::Agent),
            critic_advice: advice_for(verdict, Audience::Critic),
            ..self.context_of(observation)
        };
    }

    fn context_of(&self, observation: &WorldObservation) -> PlayerContext {
        let told = observation.inventory.as_ref().map(|things| things.join(", "));
        PlayerContext {
            place: observation.place.as_ref().map(|place| place.name.clone()),
            exits: observation.place.as_ref().map(|place| place.exits.clone()).unwrap_or_default(),
            score: observation.score,
            inventory: told.or_else(|| self.inventory.clone()),
            recent: self.recent.iter().cloned().collect(),
            ..PlayerContext::default()
        }
    }
}

fn add<T: Copy>(sum: &mut Option<T>, more: Option<T>, plus: impl Fn(T, T) -> T) {
    *sum = match (*sum, more) {
        (Some(sum), Some(more)) => Some(plus(sum, more)),
        (sum, more) => sum.or(more),
    };
}

/// Returns the advice of a verdict for an audience.
pub(super) fn advice_for(verdict: &Verdict, audience: Audience) -> Vec<String> {
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
    fn usage_that_is_not_reported_is_unknown() {
        let mut progress = EpisodeProgress::new(&EpisodeRules::default());
        progress.spend(Usage::default());
        assert_eq!(progress.take_usage(), None);
        progress.spend(Usage { input_tokens: Some(10), ..Usage::default() });
        progress.spend(Usage { input_tokens: Some(5), cost_usd: Some(0.25), ..Usage::default() });
        let spent = Usage { input_tokens: Some(15), cost_usd: Some(0.25), ..Usage::default() };
        assert_eq!((progress.take_usage(), progress.take_usage()), (Some(spent), None));
        assert_eq!(progress.used, spent);
    }
}
