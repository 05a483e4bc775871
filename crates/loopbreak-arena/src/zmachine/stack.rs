//! The stack: calls inside calls, their local variables, and the values they work with.

use super::fault::{FaultKind, FaultResult};

/// Calls inside calls.
const FRAMES: usize = 1024;
/// Values of all of them together.
const VALUES: usize = 16 * 1024;
/// Local variables of one routine.
pub(super) const LOCALS: usize = 15;

/// One routine at work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CallFrame {
    /// Where its caller goes on: at the byte that says where the result goes.
    pub(super) return_to: u32,
    /// The number of values that are not its own.
    floor: usize,
    locals: [u16; LOCALS],
    count: u8,
}

/// All routines at work, and their values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CallStack {
    frames: Vec<CallFrame>,
    values: Vec<u16>,
    /// The routine at work, which is not among the frames.
    now: CallFrame,
}

impl CallFrame {
    fn new(return_to: u32, floor: usize) -> Self {
        CallFrame { return_to, floor, locals: [0; LOCALS], count: 0 }
    }
}

impl CallStack {
    /// Nothing is called yet.
    pub(super) fn new() -> Self {
        CallStack { frames: Vec::new(), values: Vec::new(), now: CallFrame::new(0, 0) }
    }

    /// Enters a routine with these local variables.
    pub(super) fn enter(&mut self, return_to: u32, locals: [u16; LOCALS], count: u8) -> FaultResult<()> {
        if self.frames.len() >= FRAMES {
            return Err(FaultKind::StackFull);
        }
        let mut frame = CallFrame::new(return_to, self.values.len());
        (frame.locals, frame.count) = (locals, count);
        self.frames.push(std::mem::replace(&mut self.now, frame));
        Ok(())
    }

    /// Leaves the routine: where does its caller go on?
    pub(super) fn leave(&mut self) -> FaultResult<u32> {
        let caller = self.frames.pop().ok_or(FaultKind::NothingToReturnTo)?;
        let left = std::mem::replace(&mut self.now, caller);
        self.values.truncate(left.floor);
        Ok(left.return_to)
    }

    #[inline]
    pub(super) fn push(&mut self, value: u16) -> FaultResult<()> {
        if self.values.len() >= VALUES {
            return Err(FaultKind::StackFull);
        }
        self.values.push(value);
        Ok(())
    }

    #[inline]
    pub(super) fn pop(&mut self) -> FaultResult<u16> {
        if self.values.len() <= self.now.floor {
            return Err(FaultKind::StackEmpty);
        }
        self.values.pop().ok_or(FaultKind::StackEmpty)
    }

    /// The value on top, to be looked at or changed where it is.
    pub(super) fn top(&mut self) -> FaultResult<&mut u16> {
        if self.values.len() <= self.now.floor {
            return Err(FaultKind::StackEmpty);
        }
        self.values.last_mut().ok_or(FaultKind::StackEmpty)
    }

    /// A local variable, counted from 1.
    #[inline]
    pub(super) fn local(&mut self, number: u8) -> FaultResult<&mut u16> {
        if number == 0 || number > self.now.count {
            return Err(FaultKind::NoLocal(number));
        }
        self.now.locals.get_mut(usize::from(number - 1)).ok_or(FaultKind::NoLocal(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_routine_cannot_take_the_values_of_its_caller() {
        let mut stack = CallStack::new();
        stack.push(7).unwrap();
        stack.enter(100, [0; LOCALS], 0).unwrap();
        assert_eq!(stack.pop(), Err(FaultKind::StackEmpty));
        stack.push(8).unwrap();
        assert_eq!(stack.leave(), Ok(100));
        assert_eq!(stack.pop(), Ok(7));
        assert_eq!(stack.leave(), Err(FaultKind::NothingToReturnTo));
    }

    #[test]
    fn calls_without_end_fill_the_stack_and_no_more() {
        let mut stack = CallStack::new();
        let full = (0..=FRAMES).find_map(|_| stack.enter(0, [0; LOCALS], 0).err());
        assert_eq!(full, Some(FaultKind::StackFull));
    }
}
