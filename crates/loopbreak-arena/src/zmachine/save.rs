//! Snapshots, and the save and restore instructions of a story.

use std::sync::Arc;

use super::fault::{FaultKind, FaultResult};
use super::machine::{MachinePhase, MachineState, ZMachine};
use super::output::{set_transcript, transcript};

/// A snapshot of a machine: memory, stack, random state and pending input. Taken before a command, it undoes the
/// command.
#[derive(Clone, Debug)]
pub struct MachineSnapshot {
    state: Arc<MachineState>,
    slot: Option<Arc<MachineState>>,
}

impl MachineSnapshot {
    pub(super) fn take(machine: &ZMachine) -> Self {
        MachineSnapshot { state: Arc::new(machine.state.clone()), slot: machine.slot.clone() }
    }

    pub(super) fn restore_to(&self, machine: &mut ZMachine) -> FaultResult<()> {
        if !self.state.memory.story.is_same(machine.story()) {
            return Err(FaultKind::OtherStory);
        }
        machine.state = (*self.state).clone();
        machine.slot.clone_from(&self.slot);
        Ok(())
    }
}

impl ZMachine {
    /// Saves the state for the story. The program counter is before the branch that reports the result.
    pub(super) fn save_story(&mut self) -> FaultResult<()> {
        self.pay_for_copy()?;
        self.slot = Some(Arc::new(self.state.clone()));
        self.state.branch(true)
    }

    /// Restores the state that the story saved. Execution continues after the save, and random numbers do not repeat.
    pub(super) fn restore_story(&mut self) -> FaultResult<()> {
        let Some(saved) = &self.slot else { return self.state.branch(false) };
        let saved = (**saved).clone();
        self.pay_for_copy()?;
        self.replace(saved)?;
        self.state.branch(true)
    }

    /// Restarts the story.
    pub(super) fn restart_story(&mut self) -> FaultResult<()> {
        self.pay_for_copy()?;
        self.replace(MachineState::new(Arc::clone(self.story()), self.seed))?;
        self.state.random.reseed(0);
        Ok(())
    }

    /// Charges for copying the whole memory: a story that does nothing else must exhaust its budget soon.
    fn pay_for_copy(&mut self) -> FaultResult<()> {
        self.budget.spend(self.state.memory.dynamic.len() as u64 / 8)
    }

    /// Replaces the state but keeps what lies outside the story: transcript, random state and output streams.
    fn replace(&mut self, state: MachineState) -> FaultResult<()> {
        let keeps_transcript = transcript(&self.state.memory)?;
        let before = std::mem::replace(&mut self.state, state);
        self.state.random = before.random;
        self.state.streams = before.streams;
        self.state.phase = MachinePhase::Running;
        set_transcript(&mut self.state.memory, keeps_transcript)
    }
}
