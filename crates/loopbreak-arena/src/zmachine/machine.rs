//! The machine: a story, where it is, and the way from one line of the player to the next.

use std::sync::Arc;

use super::fault::{Fault, FaultKind, Result};
use super::input::Waiting;
use super::memory::Memory;
use super::output::{Printed, Streams, transcript};
use super::random::Random;
use super::save::Snapshot;
use super::stack::Stack;
use super::story::Story;
use super::text::unpack;

/// What one command may take. Generous for any honest story: the classics need some ten thousand instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Instructions; the words of printed text count too.
    pub instructions: u64,
    /// Bytes of text.
    pub text: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { instructions: 2_000_000, text: 256 * 1024 }
    }
}

/// What is left of the instructions of one command.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    total: u64,
    left: u64,
}

impl Budget {
    pub(super) fn new(total: u64) -> Self {
        Budget { total, left: total }
    }

    #[inline]
    pub(super) fn spend(&mut self, amount: u64) -> Result<()> {
        match self.left.checked_sub(amount) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(FaultKind::Budget(self.total)),
        }
    }
}

/// What the story printed until it waited for a line, or ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The text, with the prompt at its end.
    pub text: String,
    /// What went into the transcript, the line itself included, where the story keeps one.
    pub transcript: String,
    /// The story has ended.
    pub over: bool,
}

/// What the status line shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// The number of the object that is the place.
    pub place: Option<u16>,
    /// Its name.
    pub name: Option<String>,
    /// The score; none where the story shows the time instead.
    pub score: Option<i16>,
    /// The moves; none where the story shows the time instead.
    pub moves: Option<u16>,
}

/// What the machine is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Running,
    Waiting(Waiting),
    Over,
    Faulted(Fault),
}

/// Everything that changes while a story is played.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) memory: Memory,
    pub(super) stack: Stack,
    /// The address of what is read next.
    pub(super) counter: u32,
    pub(super) random: Random,
    pub(super) streams: Streams,
    pub(super) phase: Phase,
}

impl State {
    pub(super) fn new(story: Arc<Story>, seed: u32) -> Self {
        State {
            counter: story.start.into(),
            memory: Memory::new(story),
            stack: Stack::new(),
            random: Random::new(seed),
            streams: Streams::new(),
            phase: Phase::Running,
        }
    }
}

/// A Z-machine with a story in it.
///
/// ```no_run
/// use std::sync::Arc;
/// use loopbreak_arena::zmachine::{Machine, Story};
///
/// let story = Arc::new(Story::new(&std::fs::read("zork1.z3")?)?);
/// let mut machine = Machine::new(story, 1);
/// println!("{}", machine.start()?.text);
/// println!("{}", machine.enter("open mailbox")?.text);
/// assert_eq!(machine.status().moves, Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Machine {
    pub(super) state: State,
    /// What the story itself saved last, for when it asks for it.
    pub(super) slot: Option<Arc<State>>,
    pub(super) seed: u32,
    pub(super) limits: Limits,
    pub(super) budget: Budget,
    pub(super) printed: Printed,
    /// Text on its way to the output, kept for its memory.
    pub(super) scratch: String,
}

impl Machine {
    /// A machine at the start of a story. The seed decides all that is left to chance.
    pub fn new(story: Arc<Story>, seed: u32) -> Self {
        Machine::with_limits(story, seed, Limits::default())
    }

    /// The same, with other limits.
    pub fn with_limits(story: Arc<Story>, seed: u32, limits: Limits) -> Self {
        Machine {
            state: State::new(story, seed),
            slot: None,
            seed,
            limits,
            budget: Budget::new(0),
            printed: Printed::default(),
            scratch: String::new(),
        }
    }

    /// Begins the story, or begins it again: up to the first line that it waits for.
    pub fn start(&mut self) -> std::result::Result<Reply, Fault> {
        self.state = State::new(Arc::clone(&self.state.memory.story), self.seed);
        self.slot = None;
        self.begin_command();
        self.run()
    }

    /// Gives the story a line and runs it until it waits for the next.
    pub fn enter(&mut self, line: &str) -> std::result::Result<Reply, Fault> {
        let at = self.state.counter;
        let waiting = match &self.state.phase {
            Phase::Waiting(waiting) => *waiting,
            Phase::Faulted(fault) => return Err(fault.clone()),
            Phase::Running | Phase::Over => return Err(Fault { kind: FaultKind::NotWaiting, at }),
        };
        self.begin_command();
        match self.take_line(waiting, line) {
            Ok(()) => self.run(),
            Err(kind) => Err(self.fail(kind, at)),
        }
    }

    fn begin_command(&mut self) {
        self.budget = Budget::new(self.limits.instructions);
        self.printed = Printed::default();
    }

    fn take_line(&mut self, waiting: Waiting, line: &str) -> Result<()> {
        let typed = self.state.take_line(waiting, line)?;
        if transcript(&self.state.memory)? {
            self.printed.transcript.push_str(&typed);
            self.printed.transcript.push('\n');
        }
        self.state.phase = Phase::Running;
        Ok(())
    }

    fn run(&mut self) -> std::result::Result<Reply, Fault> {
        while self.state.phase == Phase::Running {
            let at = self.state.counter;
            if let Err(kind) = self.budget.spend(1).and_then(|()| self.step()) {
                return Err(self.fail(kind, at));
            }
        }
        let printed = std::mem::take(&mut self.printed);
        Ok(Reply {
            text: printed.screen,
            transcript: printed.transcript,
            over: self.state.phase == Phase::Over,
        })
    }

    fn fail(&mut self, kind: FaultKind, at: u32) -> Fault {
        let fault = Fault { kind, at };
        self.state.phase = Phase::Faulted(fault.clone());
        fault
    }

    /// The status line: the first three global variables are the place, the score and the moves.
    pub fn status(&self) -> Status {
        let memory = &self.state.memory;
        let place = memory.global(0).ok().filter(|place| (1..=255).contains(place));
        let number = |global| memory.global(global).ok().filter(|_| !memory.story.tells_time);
        Status {
            place,
            name: place.and_then(|place| self.name_of(place)),
            score: number(1).map(u16::cast_signed),
            moves: number(2),
        }
    }

    fn name_of(&self, object: u16) -> Option<String> {
        let at = self.state.memory.name_of(object).ok()??;
        let mut name = String::new();
        unpack(&self.state.memory, at, &mut Budget::new(1000), &mut name).ok()?;
        Some(name)
    }

    /// Whether the story has ended.
    pub fn is_over(&self) -> bool {
        self.state.phase == Phase::Over
    }

    /// Everything as it is now, to come back to.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::of(self)
    }

    /// Goes back to a snapshot of the same story.
    pub fn restore(&mut self, snapshot: &Snapshot) -> std::result::Result<(), Fault> {
        let at = self.state.counter;
        snapshot.put_back(self).map_err(|kind| Fault { kind, at })
    }

    /// The story that is played.
    pub fn story(&self) -> &Arc<Story> {
        &self.state.memory.story
    }
}
