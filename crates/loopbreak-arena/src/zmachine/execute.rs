//! Executes instructions. The numbers are those of section 14 of the standard.

use super::decode::{DecodedInstruction, OperandCount};
use super::fault::{FaultKind, FaultResult};
use super::machine::{MachinePhase, ZMachine};
use super::objects::ObjectRelation;
use super::pending_line::PendingLine;
use super::stack::LOCALS;
use super::text::{character, unpack};

impl ZMachine {
    /// Executes one instruction.
    #[inline]
    pub(super) fn step(&mut self) -> FaultResult<()> {
        let instruction = self.state.decode()?;
        match instruction.class {
            OperandCount::Two => self.two(&instruction),
            OperandCount::One => self.one(&instruction),
            OperandCount::None => self.none(&instruction),
            OperandCount::Many => self.many(&instruction),
        }
    }

    fn two(&mut self, instruction: &DecodedInstruction) -> FaultResult<()> {
        let (a, b) = (instruction.operand(0)?, instruction.operand(1)?);
        let (signed_a, signed_b) = (a.cast_signed(), b.cast_signed());
        let state = &mut self.state;
        match instruction.number {
            1 => state.branch(instruction.operands()[1..].contains(&a)),
            2 => state.branch(signed_a < signed_b),
            3 => state.branch(signed_a > signed_b),
            4 | 5 => {
                let by = if instruction.number == 4 { -1 } else { 1 };
                let value = state.read_in_place(a)?.cast_signed().wrapping_add(by);
                state.set_in_place(a, value.cast_unsigned())?;
                state.branch(if by < 0 { value < signed_b } else { value > signed_b })
            }
            6 => {
                let parent = state.memory.relative(a, ObjectRelation::Parent)?;
                state.branch(parent == b)
            }
            7 => state.branch(a & b == b),
            8 => state.store(a | b),
            9 => state.store(a & b),
            10 => {
                let has = state.memory.has_attribute(a, b)?;
                state.branch(has)
            }
            11 => state.memory.set_attribute(a, b, true),
            12 => state.memory.set_attribute(a, b, false),
            13 => state.set_in_place(a, b),
            14 => state.memory.insert(a, b),
            15 => {
                let value = state.memory.word(a.wrapping_add(b.wrapping_mul(2)).into())?;
                state.store(value)
            }
            16 => {
                let value = state.memory.byte(a.wrapping_add(b).into())?;
                state.store(value.into())
            }
            17 => {
                let value = state.memory.property_value(a, b)?;
                state.store(value)
            }
            18 => {
                let address = state.memory.property_address(a, b)?;
                state.store(address)
            }
            19 => {
                let next = state.memory.next_property(a, b)?;
                state.store(next)
            }
            20 => state.store(a.wrapping_add(b)),
            21 => state.store(a.wrapping_sub(b)),
            22 => state.store(a.wrapping_mul(b)),
            23 | 24 if b == 0 => Err(FaultKind::DivisionByZero),
            23 => state.store(signed_a.wrapping_div(signed_b).cast_unsigned()),
            24 => state.store(signed_a.wrapping_rem(signed_b).cast_unsigned()),
            _ => Err(instruction.unknown()),
        }
    }

    fn one(&mut self, instruction: &DecodedInstruction) -> FaultResult<()> {
        let a = instruction.operand(0)?;
        let state = &mut self.state;
        match instruction.number {
            0 => state.branch(a == 0),
            1 | 2 => {
                let kin =
                    if instruction.number == 1 { ObjectRelation::Sibling } else { ObjectRelation::Child };
                let object = state.memory.relative(a, kin)?;
                state.store(object)?;
                state.branch(object != 0)
            }
            3 => {
                let parent = state.memory.relative(a, ObjectRelation::Parent)?;
                state.store(parent)
            }
            4 => {
                let length = state.memory.property_length(a)?;
                state.store(length)
            }
            5 | 6 => {
                let by = if instruction.number == 5 { 1 } else { u16::MAX };
                let value = state.read_in_place(a)?.wrapping_add(by);
                state.set_in_place(a, value)
            }
            7 => self.print_packed(a.into()).map(drop),
            9 => state.memory.remove(a),
            10 => match state.memory.name_of(a)? {
                Some(at) => self.print_packed(at).map(drop),
                None => Ok(()),
            },
            11 => state.return_value(a),
            12 => state.jump(a.cast_signed()),
            13 => self.print_packed(2 * u32::from(a)).map(drop),
            14 => {
                let value = state.read_in_place(a)?;
                state.store(value)
            }
            15 => state.store(!a),
            _ => Err(instruction.unknown()),
        }
    }

    fn none(&mut self, instruction: &DecodedInstruction) -> FaultResult<()> {
        match instruction.number {
            0 => self.state.return_value(1),
            1 => self.state.return_value(0),
            2 => {
                self.state.counter = self.print_packed(self.state.counter)?;
                Ok(())
            }
            3 => {
                self.print_packed(self.state.counter)?;
                self.print("\n")?;
                self.state.return_value(1)
            }
            // No operation; the status line (12) is not displayed.
            4 | 12 => Ok(()),
            5 => self.save_story(),
            6 => self.restore_story(),
            7 => self.restart_story(),
            8 => {
                let value = self.state.stack.pop()?;
                self.state.return_value(value)
            }
            9 => self.state.stack.pop().map(drop),
            10 => {
                self.state.phase = MachinePhase::Over;
                Ok(())
            }
            11 => self.print("\n"),
            13 => {
                // The checksum reads every byte.
                self.budget.spend(self.story().bytes().len() as u64 / 8)?;
                let intact = self.story().is_intact();
                self.state.branch(intact)
            }
            _ => Err(instruction.unknown()),
        }
    }

    fn many(&mut self, instruction: &DecodedInstruction) -> FaultResult<()> {
        let operand = |index| instruction.operand(index);
        match instruction.number {
            0 => self.call(operand(0)?, &instruction.operands()[1..]),
            1 => {
                let at = operand(0)?.wrapping_add(operand(1)?.wrapping_mul(2));
                self.state.memory.set_word(at.into(), operand(2)?)
            }
            2 => {
                let at = operand(0)?.wrapping_add(operand(1)?);
                self.state.memory.set_byte(at.into(), operand(2)? as u8)
            }
            3 => self.state.memory.set_property(operand(0)?, operand(1)?, operand(2)?),
            4 => {
                self.state.phase =
                    MachinePhase::Waiting(PendingLine { text: operand(0)?, words: operand(1)? });
                Ok(())
            }
            5 => match character(operand(0)?) {
                Some(character) => self.print(character.encode_utf8(&mut [0; 4])),
                None => Ok(()),
            },
            6 => self.print(&operand(0)?.cast_signed().to_string()),
            7 => {
                let range = operand(0)?.cast_signed();
                let drawn = if range > 0 {
                    self.state.random.roll(range.cast_unsigned())
                } else {
                    self.state.random.reseed(range.unsigned_abs());
                    0
                };
                self.state.store(drawn)
            }
            8 => self.state.stack.push(operand(0)?),
            9 => {
                let value = self.state.stack.pop()?;
                self.state.set_in_place(operand(0)?, value)
            }
            // Windows have no size here (10); commands come only from the player (20); there is no sound (21).
            10 | 20 | 21 => Ok(()),
            11 => {
                self.state.streams.choose_window(operand(0)?);
                Ok(())
            }
            19 => {
                let (stream, table) = (operand(0)?.cast_signed(), operand(1).ok());
                self.state.streams.switch(stream, table, &mut self.state.memory)
            }
            _ => Err(instruction.unknown()),
        }
    }

    fn call(&mut self, packed: u16, arguments: &[u16]) -> FaultResult<()> {
        if packed == 0 {
            return self.state.store(0);
        }
        let state = &mut self.state;
        let at = 2 * u32::from(packed);
        let count = state.memory.byte(at)?;
        if usize::from(count) > LOCALS {
            return Err(FaultKind::NoRoutine(at));
        }
        let mut locals = [0; LOCALS];
        for (index, local) in locals.iter_mut().enumerate().take(usize::from(count)) {
            *local = match arguments.get(index) {
                Some(argument) => *argument,
                None => state.memory.word(at + 1 + 2 * index as u32)?,
            };
        }
        state.stack.enter(state.counter, locals, count)?;
        state.counter = at + 1 + 2 * u32::from(count);
        Ok(())
    }

    /// Prints the packed text at an address, and returns the address after it.
    fn print_packed(&mut self, at: u32) -> FaultResult<u32> {
        let mut text = std::mem::take(&mut self.scratch);
        text.clear();
        let end = unpack(&self.state.memory, at, &mut self.budget, &mut text)?;
        self.print(&text)?;
        self.scratch = text;
        Ok(end)
    }

    fn print(&mut self, text: &str) -> FaultResult<()> {
        let state = &mut self.state;
        state.streams.print(text, &mut state.memory, &mut self.printed, self.limits.text)
    }
}
