//! Faults of a story.

use thiserror::Error;

/// An invalid operation of a story. The machine stays in this state until it is restored or restarted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{kind} (instruction at {at:#07x})")]
pub struct MachineFault {
    /// Kind of the fault.
    pub kind: FaultKind,
    /// Address of the instruction.
    pub at: u32,
}

/// The kind of a fault.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FaultKind {
    /// An address outside the story.
    #[error("the address {0:#x} is outside the story")]
    Outside(i64),
    /// A write to read-only memory.
    #[error("the address {0:#x} may not be written to")]
    ReadOnly(u32),
    /// An instruction that version 3 does not have.
    #[error("there is no instruction {0:#04x}")]
    UnknownInstruction(u8),
    /// Too few operands for the instruction.
    #[error("an operand is missing")]
    MissingOperand,
    /// More values were popped than the routine had pushed.
    #[error("the stack is empty")]
    StackEmpty,
    /// Too many values or nested calls.
    #[error("the stack is full")]
    StackFull,
    /// A local variable that the routine does not have.
    #[error("there is no local variable {0}")]
    NoLocal(u8),
    /// An invalid routine header.
    #[error("there is no routine at {0:#x}")]
    NoRoutine(u32),
    /// A return outside a routine.
    #[error("there is nothing to return to")]
    NothingToReturnTo,
    /// A division by zero.
    #[error("division by zero")]
    DivisionByZero,
    /// An object that does not exist.
    #[error("there is no object {0}")]
    NoObject(u16),
    /// The object tree contains a cycle.
    #[error("the object tree is damaged at object {0}")]
    DamagedTree(u16),
    /// An attribute that does not exist.
    #[error("there is no attribute {0}")]
    NoAttribute(u16),
    /// A property that the object does not have, or that is too long to be read or written as a number.
    #[error("object {object} has no usable property {property}")]
    NoProperty {
        /// Number of the object.
        object: u16,
        /// Number of the property.
        property: u16,
    },
    /// The list of properties does not end.
    #[error("the properties of object {0} are damaged")]
    DamagedProperties(u16),
    /// An abbreviation inside an abbreviation.
    #[error("an abbreviation is used inside another one")]
    NestedAbbreviation,
    /// Too many nested output tables in memory.
    #[error("too many output tables at once")]
    TooManyTables,
    /// The input buffer is too small to hold anything.
    #[error("the input buffer at {0:#x} is too small")]
    SmallBuffer(u16),
    /// The command exceeded the instruction limit.
    #[error("no end after {0} instructions")]
    Budget(u64),
    /// The command exceeded the text limit.
    #[error("more than {0} characters were printed")]
    TooMuchText(usize),
    /// A line was entered while the machine was not waiting for one: it was not started, or the story is over.
    #[error("the story does not wait for a line")]
    NotWaiting,
    /// A snapshot of another story.
    #[error("the snapshot is of another story")]
    OtherStory,
}

/// The result of internal operations; the run loop adds the address.
pub(super) type FaultResult<T> = std::result::Result<T, FaultKind>;
