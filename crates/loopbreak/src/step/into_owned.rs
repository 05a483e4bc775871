//! Steps that own their texts, for callers that keep a step longer than the text it was read from.

use super::{
    Action, CompletedObjective, Label, Objectives, Outcome, Place, PlaceExit, PlaceRef, Step, StepText, Task,
};

impl Step<'_> {
    /// Converts the step into one that owns its texts.
    pub fn into_owned(self) -> Step<'static> {
        Step {
            run: self.run.map(Label::into_owned),
            turn: self.turn,
            at: self.at,
            agent: self.agent.map(StepText::into_owned),
            model: self.model.map(StepText::into_owned),
            batch: self.batch.map(Label::into_owned),
            harness: self.harness,
            action: self.action.map(Action::into_owned),
            outcome: self.outcome.map(Outcome::into_owned),
            say: self.say.map(StepText::into_owned),
            user: self.user.map(StepText::into_owned),
            place: self.place.map(Place::into_owned),
            destination: self.destination.map(PlaceRef::into_owned),
            score: self.score,
            objectives: self.objectives.map(Objectives::into_owned),
            task: self.task.map(Task::into_owned),
            progress: self.progress,
            refused: self.refused,
            critic: self.critic,
            usage: self.usage,
            unknown_keys: self.unknown_keys,
        }
    }
}

impl Outcome<'_> {
    /// Converts the outcome into one that owns its texts.
    pub fn into_owned(self) -> Outcome<'static> {
        Outcome {
            text: self.text.map(StepText::into_owned),
            error: self.error,
            exit: self.exit,
            denied: self.denied,
        }
    }
}

impl Place<'_> {
    /// Converts the place into one that owns its texts.
    pub fn into_owned(self) -> Place<'static> {
        Place {
            id: self.id.map(Label::into_owned),
            name: self.name.map(StepText::into_owned),
            exits: self.exits.into_iter().map(PlaceExit::into_owned).collect(),
        }
    }
}

impl PlaceExit<'_> {
    /// Converts the exit into one that owns its texts.
    pub fn into_owned(self) -> PlaceExit<'static> {
        PlaceExit { name: self.name.into_owned(), to: self.to.map(PlaceRef::into_owned) }
    }
}

impl PlaceRef<'_> {
    /// Converts the reference into one that owns its texts.
    pub fn into_owned(self) -> PlaceRef<'static> {
        PlaceRef { id: self.id.map(Label::into_owned), name: self.name.map(StepText::into_owned) }
    }
}

impl Objectives<'_> {
    /// Converts the objectives into ones that own their texts.
    pub fn into_owned(self) -> Objectives<'static> {
        Objectives {
            active: into_owned_texts(self.active),
            completed: self.completed.into_iter().map(CompletedObjective::into_owned).collect(),
        }
    }
}

impl CompletedObjective<'_> {
    /// Converts the objective into one that owns its texts.
    pub fn into_owned(self) -> CompletedObjective<'static> {
        CompletedObjective {
            objective: self.objective.into_owned(),
            completed_turn: self.completed_turn,
            completion_action: self.completion_action.map(StepText::into_owned),
            completion_response: self.completion_response.map(StepText::into_owned),
            completion_location: self.completion_location.map(StepText::into_owned),
            completion_score: self.completion_score,
        }
    }
}

impl Task<'_> {
    /// Converts the task into one that owns its texts.
    pub fn into_owned(self) -> Task<'static> {
        Task {
            id: self.id.into_owned(),
            status: self.status.map(StepText::into_owned),
            blockers: into_owned_texts(self.blockers),
            work: into_owned_texts(self.work),
            session: self.session.map(Label::into_owned),
        }
    }
}

fn into_owned_texts(texts: Vec<StepText<'_>>) -> Vec<StepText<'static>> {
    texts.into_iter().map(StepText::into_owned).collect()
}
