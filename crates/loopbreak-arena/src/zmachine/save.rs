//! Snapshots, and what the story itself saves and restores.

use std::sync::Arc;

use super::fault::{FaultKind, FaultResult};
use super::machine::{MachinePhase, MachineState, ZMachine};
use super::output::{set_transcript, transcript};

/// A machine as it was: memory, stack, chance, what it waited for. To undo a command, take one before it.
#[derive(Clone, Debug)]
pub struct MachineSnapshot {
    state: Arc<MachineState>,
    slot: Option<Arc<MachineState>>,
}

impl MachineSnapshot {
    pub(super) fn take(machine: &ZMachine) -> Self {
        MachineSnapshot { state: Arc::new(machine.state.clone()), slot: machine.slot.clone() }
    }

    pub(super) fn put_back(&self, machine: &mut ZMachine) -> FaultResult<()> {
        if !self.state.memory.story.is_same(machine.story()) {
            return Err(FaultKind::OtherStory);
        }
        machine.state = (*self.state).clone();
        machine.slot.clone_from(&self.slot);
        Ok(())
    }
}

impl ZMachine {
    /// The story saves itself. The counter stands before the branch that tells it how that went.
    pub(super) fn save_story(&mut self) -> FaultResult<()> {
        self.pay_for_copy()?;
        self.slot = Some(Arc::new(self.state.clone()));
        self.state.branch(true)
    }

    /// The story restores what it saved. It goes on behind the save, and chance does not run back.
    pub(super) fn restore_story(&mut self) -> FaultResult<()> {
        let Some(saved) = &self.slot else { return self.state.branch(false) };
        let saved = (**saved).clone();
        self.pay_for_copy()?;
        self.replace(saved)?;
        self.state.branch(true)
    }

    /// The story begins again.
    pub(super) fn restart_story(&mut self) -> FaultResult<()> {
        self.pay_for_copy()?;
        self.replace(MachineState::new(Arc::clone(self.story()), self.seed))?;
        self.state.random.reseed(0);
        Ok(())
    }

    /// Copying the whole memory is dear: a story that does nothing else must come to the end of its budget soon.
    fn pay_for_copy(&mut self) -> FaultResult<()> {
        self.budget.spend(self.state.memory.dynamic.len() as u64 / 8)
    }

    /// What is outside the story stays: the transcript, chance, where text goes.
    fn replace(&mut self, state: MachineState) -> FaultResult<()> {
        let keeps_transcript = transcript(&self.state.memory)?;
        let before = std::mem::replace(&mut self.state, state);
        self.state.random = before.random;
        self.state.streams = before.streams;
        self.state.phase = MachinePhase::Running;
        set_transcript(&mut self.state.memory, keeps_transcript)
    }
}
