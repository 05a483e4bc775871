//! A turn that was played. The step for the guard and the entries of the journal come from the same record.

use loopbreak::step::CompletedObjective;
use loopbreak::{
    Action, Outcome, Place, Step, Usage,
    step::{Critic, EpochMillis, Label, Objectives},
};

use crate::episode::WorldObjective;
use crate::world::WorldObservation;

/// A proposal with its scores.
#[derive(Clone, Debug)]
pub(super) struct JudgedProposal {
    pub(super) action: String,
    pub(super) reason: String,
    /// Score given by the critic, if any.
    pub(super) base: Option<f64>,
    pub(super) justification: String,
    /// The score that decides.
    pub(super) score: f64,
}

/// The run and the player that turns belong to.
#[derive(Clone, Debug)]
pub(super) struct EpisodeActor {
    pub(super) run: String,
    pub(super) model: String,
    /// True if there is a critic.
    pub(super) judged: bool,
}

/// A turn that was played.
#[derive(Clone, Debug)]
pub(super) struct PlayedTurn {
    pub(super) number: u64,
    pub(super) at: EpochMillis,
    pub(super) chosen: JudgedProposal,
    /// True if it was taken although it had been refused, because nothing better was proposed.
    pub(super) overridden: bool,
    pub(super) observation: WorldObservation,
    pub(super) completed: Vec<WorldObjective>,
    /// Open objectives, if they changed.
    pub(super) objectives: Option<Vec<String>>,
    /// Usage of all participants since the previous turn.
    pub(super) usage: Option<Usage>,
}

impl EpisodeActor {
    /// Builds the step of a refused proposal.
    pub(super) fn refused<'s>(&'s self, judged: &'s JudgedProposal, at: EpochMillis) -> Step<'s> {
        Step {
            run: Some(Label::from(self.run.as_str())),
            at: Some(at),
            model: Some(self.model.as_str().into()),
            action: Some(Action::new(judged.action.as_str())),
            critic: Some(Critic { score: judged.base }),
            refused: true,
            ..Step::default()
        }
    }

    /// Builds the step of a turn.
    pub(super) fn step<'s>(&'s self, turn: &'s PlayedTurn) -> Step<'s> {
        let PlayedTurn { chosen, observation, .. } = turn;
        let active = turn.objectives.as_deref().unwrap_or_default();
        let objectives = (!active.is_empty() || !turn.completed.is_empty()).then(|| Objectives {
            active: active.iter().map(|text| text.as_str().into()).collect(),
            completed: turn
                .completed
                .iter()
                .map(|objective| CompletedObjective {
                    objective: objective.text.as_str().into(),
                    ..CompletedObjective::default()
                })
                .collect(),
        });
        Step {
            run: Some(Label::from(self.run.as_str())),
            turn: Some(turn.number),
            at: Some(turn.at),
            model: Some(self.model.as_str().into()),
            action: Some(Action::new(chosen.action.as_str())),
            outcome: Some(Outcome::new(observation.text.as_str())),
            say: (!chosen.reason.is_empty()).then(|| chosen.reason.as_str().into()),
            place: observation.place.as_ref().map(|location| Place {
                id: Some(Label::from(i64::from(location.id))),
                name: Some(location.name.as_str().into()),
                exits: location.exits.iter().map(|exit| exit.as_str().into()).collect(),
            }),
            score: observation.score.map(f64::from),
            objectives,
            critic: chosen.base.map(|score| Critic { score: Some(score) }),
            usage: turn.usage,
            ..Step::default()
        }
    }
}
