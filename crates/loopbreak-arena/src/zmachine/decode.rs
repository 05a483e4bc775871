//! Decodes instructions.

use super::fault::{FaultKind, FaultResult};
use super::machine::MachineState;

/// Maximum number of operands.
const OPERANDS: usize = 4;

/// The class of an instruction, by its number of operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OperandCount {
    None,
    One,
    Two,
    Many,
}

/// An instruction with the values of its operands.
#[derive(Clone, Copy, Debug)]
pub(super) struct DecodedInstruction {
    pub(super) class: OperandCount,
    pub(super) number: u8,
    /// First byte, to name the instruction in a fault.
    pub(super) byte: u8,
    values: [u16; OPERANDS],
    count: u8,
}

impl DecodedInstruction {
    /// Returns the operands.
    #[inline]
    pub(super) fn operands(&self) -> &[u16] {
        &self.values[..usize::from(self.count)]
    }

    /// Returns a required operand.
    #[inline]
    pub(super) fn operand(&self, index: u8) -> FaultResult<u16> {
        if index < self.count { Ok(self.values[usize::from(index)]) } else { Err(FaultKind::MissingOperand) }
    }

    pub(super) fn unknown(&self) -> FaultKind {
        FaultKind::UnknownInstruction(self.byte)
    }
}

/// Values of the two bits for the type of an operand.
const LARGE: u8 = 0;
const SMALL: u8 = 1;
const VARIABLE: u8 = 2;

impl MachineState {
    /// Reads the instruction at the program counter and moves the counter past its operands.
    #[inline]
    pub(super) fn decode(&mut self) -> FaultResult<DecodedInstruction> {
        let byte = self.fetch()?;
        let mut instruction = DecodedInstruction {
            class: OperandCount::Two,
            number: byte & 31,
            byte,
            values: [0; OPERANDS],
            count: 0,
        };
        match byte {
            0x00..=0x7f => {
                let kind = |bit: u8| if byte & bit == 0 { SMALL } else { VARIABLE };
                instruction.values[0] = self.operand(kind(0x40))?;
                instruction.values[1] = self.operand(kind(0x20))?;
                instruction.count = 2;
            }
            0x80..=0xaf => {
                (instruction.class, instruction.number) = (OperandCount::One, byte & 15);
                instruction.values[0] = self.operand(byte >> 4 & 3)?;
                instruction.count = 1;
            }
            0xb0..=0xbf => (instruction.class, instruction.number) = (OperandCount::None, byte & 15),
            0xc0..=0xff => {
                if byte & 0x20 != 0 {
                    instruction.class = OperandCount::Many;
                }
                let kinds = self.fetch()?;
                for shift in [6, 4, 2, 0] {
                    let kind = kinds >> shift & 3;
                    if kind > VARIABLE {
                        break;
                    }
                    instruction.values[usize::from(instruction.count)] = self.operand(kind)?;
                    instruction.count += 1;
                }
            }
        }
        Ok(instruction)
    }

    #[inline]
    fn operand(&mut self, kind: u8) -> FaultResult<u16> {
        match kind {
            LARGE => Ok(u16::from_be_bytes([self.fetch()?, self.fetch()?])),
            SMALL => Ok(self.fetch()?.into()),
            _ => {
                let variable = self.fetch()?;
                self.variable(variable)
            }
        }
    }

    /// Reads the byte at the program counter.
    #[inline]
    pub(super) fn fetch(&mut self) -> FaultResult<u8> {
        let byte = self.memory.byte(self.counter)?;
        self.counter += 1;
        Ok(byte)
    }

    /// Reads a variable; reading the stack pops the value.
    #[inline]
    pub(super) fn variable(&mut self, variable: u8) -> FaultResult<u16> {
        match variable {
            0 => self.stack.pop(),
            1..=15 => self.stack.local(variable).copied(),
            16.. => self.memory.global(variable - 16),
        }
    }

    /// Writes a variable; writing the stack pushes the value.
    #[inline]
    pub(super) fn set_variable(&mut self, variable: u8, value: u16) -> FaultResult<()> {
        match variable {
            0 => self.stack.push(value)?,
            1..=15 => *self.stack.local(variable)? = value,
            16.. => self.memory.set_global(variable - 16, value)?,
        }
        Ok(())
    }

    /// Reads a variable named by an operand; the stack keeps its value.
    pub(super) fn read_in_place(&mut self, variable: u16) -> FaultResult<u16> {
        match variable as u8 {
            0 => self.stack.top().copied(),
            variable => self.variable(variable),
        }
    }

    /// Writes a variable named by an operand; on the stack it replaces the top value.
    pub(super) fn set_in_place(&mut self, variable: u16, value: u16) -> FaultResult<()> {
        match variable as u8 {
            0 => *self.stack.top()? = value,
            variable => self.set_variable(variable, value)?,
        }
        Ok(())
    }

    /// Stores a result in the variable named by the next byte.
    #[inline]
    pub(super) fn store(&mut self, value: u16) -> FaultResult<()> {
        let variable = self.fetch()?;
        self.set_variable(variable, value)
    }

    /// Branches as encoded in the next bytes, if the condition matches.
    #[inline]
    pub(super) fn branch(&mut self, condition: bool) -> FaultResult<()> {
        let first = self.fetch()?;
        let offset = if first & 0x40 != 0 {
            i16::from(first & 0x3f)
        } else {
            let far = u16::from_be_bytes([first & 0x3f, self.fetch()?]);
            // Fourteen bits, the highest of them is the sign.
            (far << 2).cast_signed() >> 2
        };
        if condition != (first & 0x80 != 0) {
            return Ok(());
        }
        match offset {
            0 | 1 => self.return_value(offset.cast_unsigned()),
            _ => self.jump(offset),
        }
    }

    /// Jumps relative to the program counter. The encoding counts from two bytes earlier.
    #[inline]
    pub(super) fn jump(&mut self, offset: i16) -> FaultResult<()> {
        let to = i64::from(self.counter) + i64::from(offset) - 2;
        self.counter = u32::try_from(to).map_err(|_| FaultKind::Outside(to))?;
        Ok(())
    }

    /// Returns from the routine with a value.
    #[inline]
    pub(super) fn return_value(&mut self, value: u16) -> FaultResult<()> {
        self.counter = self.stack.leave()?;
        self.store(value)
    }
}
