//! The machine: runs a story from one line of the player to the next.

use std::sync::Arc;

use super::fault::{FaultKind, FaultResult, MachineFault};
use super::memory::MachineMemory;
use super::output::{OutputStreams, PrintedText, transcript};
use super::pending_line::PendingLine;
use super::random::StoryRandom;
use super::save::MachineSnapshot;
use super::stack::CallStack;
use super::story::StoryFile;
use super::text::unpack;

/// Limits per command. They are generous: the classics need about ten thousand instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MachineLimits {
    /// Number of instructions; each word of printed text counts as one.
    pub instructions: u64,
    /// Number of bytes of text.
    pub text: usize,
}

impl Default for MachineLimits {
    fn default() -> Self {
        MachineLimits { instructions: 2_000_000, text: 256 * 1024 }
    }
}

/// The remaining instructions of one command.
#[derive(Clone, Copy, Debug)]
pub(super) struct InstructionBudget {
    total: u64,
    left: u64,
}

impl InstructionBudget {
    pub(super) fn new(total: u64) -> Self {
        InstructionBudget { total, left: total }
    }

    #[inline]
    pub(super) fn spend(&mut self, amount: u64) -> FaultResult<()> {
        match self.left.checked_sub(amount) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(FaultKind::Budget(self.total)),
        }
    }
}

/// The output of a story until it waits for a line or ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MachineReply {
    /// The text, with the prompt at its end.
    pub text: String,
    /// Output to the transcript, including the entered line, if the story keeps one.
    pub transcript: String,
    /// True if the story has ended.
    pub over: bool,
}

/// The content of the status line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatusLine {
    /// Number of the object that is the current place.
    pub place: Option<u16>,
    /// Name of the place.
    pub name: Option<String>,
    /// Score; `None` if the story shows the time instead.
    pub score: Option<i16>,
    /// Number of moves; `None` if the story shows the time instead.
    pub moves: Option<u16>,
}

/// The activity of the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MachinePhase {
    Running,
    Waiting(PendingLine),
    Over,
    Faulted(MachineFault),
}

/// The complete mutable state of a machine.
#[derive(Clone, Debug)]
pub(super) struct MachineState {
    pub(super) memory: MachineMemory,
    pub(super) stack: CallStack,
    /// Program counter.
    pub(super) counter: u32,
    pub(super) random: StoryRandom,
    pub(super) streams: OutputStreams,
    pub(super) phase: MachinePhase,
}

impl MachineState {
    pub(super) fn new(story: Arc<StoryFile>, seed: u32) -> Self {
        MachineState {
            counter: story.start.into(),
            memory: MachineMemory::new(story),
            stack: CallStack::new(),
            random: StoryRandom::new(seed),
            streams: OutputStreams::new(),
            phase: MachinePhase::Running,
        }
    }
}

/// A Z-machine that runs a story.
///
/// ```no_run
/// use std::sync::Arc;
/// use loopbreak_arena::zmachine::{StoryFile, ZMachine};
///
/// let story = Arc::new(StoryFile::new(&std::fs::read("zork1.z3")?)?);
/// let mut machine = ZMachine::new(story, 1);
/// println!("{}", machine.start()?.text);
/// println!("{}", machine.enter("open mailbox")?.text);
/// assert_eq!(machine.status().moves, Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ZMachine {
    pub(super) state: MachineState,
    /// State that the story itself saved last.
    pub(super) slot: Option<Arc<MachineState>>,
    pub(super) seed: u32,
    pub(super) limits: MachineLimits,
    pub(super) budget: InstructionBudget,
    pub(super) printed: PrintedText,
    /// Reused buffer for text on its way to the output.
    pub(super) scratch: String,
}

impl ZMachine {
    /// Creates a machine at the start of a story. The seed determines all random events.
    pub fn new(story: Arc<StoryFile>, seed: u32) -> Self {
        ZMachine::with_limits(story, seed, MachineLimits::default())
    }

    /// Creates a machine with these limits.
    pub fn with_limits(story: Arc<StoryFile>, seed: u32, limits: MachineLimits) -> Self {
        ZMachine {
            state: MachineState::new(story, seed),
            slot: None,
            seed,
            limits,
            budget: InstructionBudget::new(0),
            printed: PrintedText::default(),
            scratch: String::new(),
        }
    }

    /// Starts or restarts the story and runs it until it waits for a line.
    pub fn start(&mut self) -> Result<MachineReply, MachineFault> {
        self.state = MachineState::new(Arc::clone(&self.state.memory.story), self.seed);
        self.slot = None;
        self.begin_command();
        self.run()
    }

    /// Enters a line and runs the story until it waits for the next one.
    pub fn enter(&mut self, line: &str) -> Result<MachineReply, MachineFault> {
        let at = self.state.counter;
        let waiting = match &self.state.phase {
            MachinePhase::Waiting(waiting) => *waiting,
            MachinePhase::Faulted(fault) => return Err(fault.clone()),
            MachinePhase::Running | MachinePhase::Over => {
                return Err(MachineFault { kind: FaultKind::NotWaiting, at });
            }
        };
        self.begin_command();
        match self.take_line(waiting, line) {
            Ok(()) => self.run(),
            Err(kind) => Err(self.fail(kind, at)),
        }
    }

    fn begin_command(&mut self) {
        self.budget = InstructionBudget::new(self.limits.instructions);
        self.printed = PrintedText::default();
    }

    fn take_line(&mut self, waiting: PendingLine, line: &str) -> FaultResult<()> {
        let typed = self.state.take_line(waiting, line)?;
        if transcript(&self.state.memory)? {
            self.printed.transcript.push_str(&typed);
            self.printed.transcript.push('\n');
        }
        self.state.phase = MachinePhase::Running;
        Ok(())
    }

    fn run(&mut self) -> Result<MachineReply, MachineFault> {
        while self.state.phase == MachinePhase::Running {
            let at = self.state.counter;
            if let Err(kind) = self.budget.spend(1).and_then(|()| self.step()) {
                return Err(self.fail(kind, at));
            }
        }
        let printed = std::mem::take(&mut self.printed);
        Ok(MachineReply {
            text: printed.screen,
            transcript: printed.transcript,
            over: self.state.phase == MachinePhase::Over,
        })
    }

    fn fail(&mut self, kind: FaultKind, at: u32) -> MachineFault {
        let fault = MachineFault { kind, at };
        self.state.phase = MachinePhase::Faulted(fault.clone());
        fault
    }

    /// Returns the status line: the first three global variables are the place, the score and the moves.
    pub fn status(&self) -> StatusLine {
        let memory = &self.state.memory;
        let place = memory.global(0).ok().filter(|place| (1..=255).contains(place));
        let number = |global| memory.global(global).ok().filter(|_| !memory.story.tells_time);
        StatusLine {
            place,
            name: place.and_then(|place| self.name_of(place)),
            score: number(1).map(u16::cast_signed),
            moves: number(2),
        }
    }

    fn name_of(&self, object: u16) -> Option<String> {
        let at = self.state.memory.name_of(object).ok()??;
        let mut name = String::new();
        unpack(&self.state.memory, at, &mut InstructionBudget::new(1000), &mut name).ok()?;
        Some(name)
    }

    /// Returns whether the story has ended.
    pub fn is_over(&self) -> bool {
        self.state.phase == MachinePhase::Over
    }

    /// Returns a snapshot of the current state.
    pub fn snapshot(&self) -> MachineSnapshot {
        MachineSnapshot::take(self)
    }

    /// Restores a snapshot of the same story.
    pub fn restore(&mut self, snapshot: &MachineSnapshot) -> Result<(), MachineFault> {
        let at = self.state.counter;
        snapshot.restore_to(self).map_err(|kind| MachineFault { kind, at })
    }

    /// Returns the story.
    pub fn story(&self) -> &Arc<StoryFile> {
        &self.state.memory.story
    }
}
