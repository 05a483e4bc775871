//! What can go wrong in a story, and where.

use thiserror::Error;

/// The story did something that it cannot do. The machine stays where it was until it is restored or started again.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{kind} (instruction at {at:#07x})")]
pub struct MachineFault {
    /// What went wrong.
    pub kind: FaultKind,
    /// The address of the instruction.
    pub at: u32,
}

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FaultKind {
    /// An address behind the end of the story, or before its beginning.
    #[error("the address {0:#x} is outside the story")]
    Outside(i64),
    /// A write to what may only be read.
    #[error("the address {0:#x} may not be written to")]
    ReadOnly(u32),
    /// No such instruction in version 3.
    #[error("there is no instruction {0:#04x}")]
    UnknownInstruction(u8),
    /// Too few operands for the instruction.
    #[error("an operand is missing")]
    MissingOperand,
    /// More was taken from the stack than the routine had put there.
    #[error("the stack is empty")]
    StackEmpty,
    /// More values, or more calls inside calls, than fit.
    #[error("the stack is full")]
    StackFull,
    /// The routine has no such local variable.
    #[error("there is no local variable {0}")]
    NoLocal(u8),
    /// No routine begins with such a number of local variables.
    #[error("there is no routine at {0:#x}")]
    NoRoutine(u32),
    /// A return where nothing was called.
    #[error("there is nothing to return to")]
    NothingToReturnTo,
    /// A division by zero.
    #[error("division by zero")]
    DivisionByZero,
    /// No such object.
    #[error("there is no object {0}")]
    NoObject(u16),
    /// The tree of objects has a circle in it.
    #[error("the object tree is damaged at object {0}")]
    DamagedTree(u16),
    /// No such attribute.
    #[error("there is no attribute {0}")]
    NoAttribute(u16),
    /// The object does not have the property, or it is too long to be read or written as a number.
    #[error("object {object} has no property {property} that can be used so")]
    NoProperty {
        /// The object.
        object: u16,
        /// The property.
        property: u16,
    },
    /// The list of properties does not end.
    #[error("the properties of object {0} are damaged")]
    DamagedProperties(u16),
    /// An abbreviation inside an abbreviation.
    #[error("an abbreviation is used inside another one")]
    NestedAbbreviation,
    /// Text goes to memory inside text that goes to memory, too often.
    #[error("too many output tables at once")]
    TooManyTables,
    /// The buffer for the player's line is too small to hold anything.
    #[error("the input buffer at {0:#x} is too small")]
    SmallBuffer(u16),
    /// The command took too long.
    #[error("no end after {0} instructions")]
    Budget(u64),
    /// The command printed too much.
    #[error("more than {0} characters were printed")]
    TooMuchText(usize),
    /// A line was given to a machine that does not wait for one: it was not started, or the story is over.
    #[error("the story does not wait for a line")]
    NotWaiting,
    /// A snapshot of another story.
    #[error("the snapshot is of another story")]
    OtherStory,
}

/// What the parts of the machine return: the run loop adds where it was.
pub(super) type FaultResult<T> = std::result::Result<T, FaultKind>;
