//! The memory of one machine: what it may write to is its own, the rest is the story's.

use std::sync::Arc;

use super::fault::{FaultKind, FaultResult};
use super::story::StoryFile;

/// Where the machine tells of itself.
const FLAGS_1: usize = 0x01;
const STANDARD: std::ops::Range<usize> = 0x32..0x34;
const NO_STATUS_LINE: u8 = 0x10;
const SPLIT_SCREEN: u8 = 0x20;
const VARIABLE_PITCH: u8 = 0x40;

/// Bytes by address.
#[derive(Clone, Debug)]
pub(super) struct MachineMemory {
    pub(super) story: Arc<StoryFile>,
    pub(super) dynamic: Vec<u8>,
}

impl MachineMemory {
    /// The memory at the start. The machine tells the story of itself in the header: the screen can be split, letters
    /// are of one width, and the standard is 1.1. Some classics read these bytes without knowing that they do.
    pub(super) fn new(story: Arc<StoryFile>) -> Self {
        let mut dynamic = story.dynamic().to_vec();
        if let Some(flags) = dynamic.get_mut(FLAGS_1) {
            *flags = *flags & !(NO_STATUS_LINE | VARIABLE_PITCH) | SPLIT_SCREEN;
        }
        if let Some(standard) = dynamic.get_mut(STANDARD) {
            standard.copy_from_slice(&[1, 1]);
        }
        MachineMemory { story, dynamic }
    }

    /// The byte at an address.
    #[inline]
    pub(super) fn byte(&self, at: u32) -> FaultResult<u8> {
        let index = at as usize;
        match self.dynamic.get(index).or_else(|| self.story.bytes().get(index)) {
            Some(byte) => Ok(*byte),
            None => Err(FaultKind::Outside(at.into())),
        }
    }

    /// The word at an address, its high byte first.
    #[inline]
    pub(super) fn word(&self, at: u32) -> FaultResult<u16> {
        Ok(u16::from_be_bytes([self.byte(at)?, self.byte(at + 1)?]))
    }

    pub(super) fn set_byte(&mut self, at: u32, value: u8) -> FaultResult<()> {
        match self.dynamic.get_mut(at as usize) {
            Some(byte) => {
                *byte = value;
                Ok(())
            }
            None => Err(FaultKind::ReadOnly(at)),
        }
    }

    pub(super) fn set_word(&mut self, at: u32, value: u16) -> FaultResult<()> {
        let [high, low] = value.to_be_bytes();
        self.set_byte(at, high)?;
        self.set_byte(at + 1, low)
    }

    /// A global variable, counted from 0.
    #[inline]
    pub(super) fn global(&self, number: u8) -> FaultResult<u16> {
        self.word(self.global_at(number))
    }

    #[inline]
    pub(super) fn set_global(&mut self, number: u8, value: u16) -> FaultResult<()> {
        self.set_word(self.global_at(number), value)
    }

    fn global_at(&self, number: u8) -> u32 {
        u32::from(self.story.globals) + 2 * u32::from(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stories;

    #[test]
    fn the_machine_tells_of_itself_and_the_story_stays_as_it_is() {
        let memory = MachineMemory::new(stories::spillway());
        assert_eq!(
            [memory.byte(0x01), memory.byte(0x32), memory.byte(0x33)],
            [Ok(SPLIT_SCREEN), Ok(1), Ok(1)]
        );
        assert_eq!([stories::SPILLWAY[0x01], stories::SPILLWAY[0x32]], [0, 0]);
    }

    #[test]
    fn only_dynamic_memory_is_written_to() {
        let mut memory = MachineMemory::new(stories::spillway());
        let first_fixed = u32::from(memory.story.static_base);
        assert_eq!(memory.set_byte(first_fixed, 1), Err(FaultKind::ReadOnly(first_fixed)));
        assert_eq!(memory.set_word(first_fixed - 1, 1), Err(FaultKind::ReadOnly(first_fixed)));
        assert_eq!(memory.set_byte(first_fixed - 1, 7), Ok(()));
        assert_eq!(memory.byte(first_fixed - 1), Ok(7));
        let end = stories::SPILLWAY.len() as u32;
        assert_eq!(memory.byte(end), Err(FaultKind::Outside(end.into())));
    }
}
