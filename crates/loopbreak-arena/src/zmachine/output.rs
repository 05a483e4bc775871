//! Output streams: the screen, the transcript, and tables in memory.

use super::fault::{FaultKind, FaultResult};
use super::memory::MachineMemory;
use super::story::FLAGS_2;

/// Maximum number of nested output tables.
const TABLES: usize = 16;

/// A table in memory that receives text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct OutputTable {
    at: u16,
    length: u16,
}

/// The state of the output streams, which is part of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OutputStreams {
    screen: bool,
    /// Text goes to the upper window, which is decoration and ignored.
    upper: bool,
    tables: Vec<OutputTable>,
}

/// The output of one command.
#[derive(Clone, Debug, Default)]
pub(super) struct PrintedText {
    pub(super) screen: String,
    pub(super) transcript: String,
    characters: usize,
}

impl OutputStreams {
    pub(super) fn new() -> Self {
        OutputStreams { screen: true, upper: false, tables: Vec::new() }
    }

    pub(super) fn choose_window(&mut self, window: u16) {
        self.upper = window == 1;
    }

    /// Switches a stream on (positive number) or off (negative number).
    pub(super) fn switch(
        &mut self,
        stream: i16,
        table: Option<u16>,
        memory: &mut MachineMemory,
    ) -> FaultResult<()> {
        match stream {
            1 | -1 => self.screen = stream > 0,
            2 | -2 => set_transcript(memory, stream > 0)?,
            3 => {
                if self.tables.len() >= TABLES {
                    return Err(FaultKind::TooManyTables);
                }
                let at = table.ok_or(FaultKind::MissingOperand)?;
                self.tables.push(OutputTable { at, length: 0 });
            }
            -3 => {
                if let Some(table) = self.tables.pop() {
                    memory.set_word(table.at.into(), table.length)?;
                }
            }
            // The stream of player commands is not needed.
            _ => {}
        }
        Ok(())
    }

    /// Prints a text to the active streams.
    pub(super) fn print(
        &mut self,
        text: &str,
        memory: &mut MachineMemory,
        printed: &mut PrintedText,
        limit: usize,
    ) -> FaultResult<()> {
        printed.characters += text.len();
        if printed.characters > limit {
            return Err(FaultKind::TooMuchText(limit));
        }
        if let Some(table) = self.tables.last_mut() {
            for character in text.chars() {
                let at = u32::from(table.at) + 2 + u32::from(table.length);
                memory.set_byte(at, code(character))?;
                table.length = table.length.wrapping_add(1);
            }
            return Ok(());
        }
        if self.upper {
            return Ok(());
        }
        if self.screen {
            printed.screen.push_str(text);
        }
        if transcript(memory)? {
            printed.transcript.push_str(text);
        }
        Ok(())
    }
}

/// Returns the character code for a table in memory.
fn code(character: char) -> u8 {
    match character {
        '\n' => 13,
        _ => u8::try_from(character).ok().filter(u8::is_ascii).unwrap_or(b'?'),
    }
}

/// Returns whether a transcript is kept: the story sets and clears the bit.
pub(super) fn transcript(memory: &MachineMemory) -> FaultResult<bool> {
    Ok(memory.word(FLAGS_2.into())? & 1 != 0)
}

pub(super) fn set_transcript(memory: &mut MachineMemory, on: bool) -> FaultResult<()> {
    let flags = memory.word(FLAGS_2.into())?;
    memory.set_word(FLAGS_2.into(), if on { flags | 1 } else { flags & !1 })
}
