//! The memory of one machine: what it may write to is its own, the rest is the story's.

use std::sync::Arc;

use super::fault::{FaultKind, Result};
use super::story::Story;

/// Bytes by address.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    pub(super) story: Arc<Story>,
    pub(super) dynamic: Vec<u8>,
}

impl Memory {
    pub(super) fn new(story: Arc<Story>) -> Self {
        Memory { dynamic: story.dynamic().to_vec(), story }
    }

    /// The byte at an address.
    #[inline]
    pub(super) fn byte(&self, at: u32) -> Result<u8> {
        let index = at as usize;
        match self.dynamic.get(index).or_else(|| self.story.bytes().get(index)) {
            Some(byte) => Ok(*byte),
            None => Err(FaultKind::Outside(at.into())),
        }
    }

    /// The word at an address, its high byte first.
    #[inline]
    pub(super) fn word(&self, at: u32) -> Result<u16> {
        Ok(u16::from_be_bytes([self.byte(at)?, self.byte(at + 1)?]))
    }

    pub(super) fn set_byte(&mut self, at: u32, value: u8) -> Result<()> {
        match self.dynamic.get_mut(at as usize) {
            Some(byte) => {
                *byte = value;
                Ok(())
            }
            None => Err(FaultKind::ReadOnly(at)),
        }
    }

    pub(super) fn set_word(&mut self, at: u32, value: u16) -> Result<()> {
        let [high, low] = value.to_be_bytes();
        self.set_byte(at, high)?;
        self.set_byte(at + 1, low)
    }

    /// A global variable, counted from 0.
    #[inline]
    pub(super) fn global(&self, number: u8) -> Result<u16> {
        self.word(self.global_at(number))
    }

    #[inline]
    pub(super) fn set_global(&mut self, number: u8, value: u16) -> Result<()> {
        self.set_word(self.global_at(number), value)
    }

    fn global_at(&self, number: u8) -> u32 {
        u32::from(self.story.globals) + 2 * u32::from(number)
    }
}
