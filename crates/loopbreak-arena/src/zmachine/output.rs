//! Where text goes: to the screen, to the transcript, into a table in memory.

use super::fault::{FaultKind, FaultResult};
use super::memory::MachineMemory;
use super::story::FLAGS_2;

/// Text into memory inside text into memory: so many at once.
const TABLES: usize = 16;

/// A table that text goes into.
#[derive(Clone, Debug, PartialEq, Eq)]
struct OutputTable {
    at: u16,
    length: u16,
}

/// The switches of the output, which are part of what a snapshot holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OutputStreams {
    screen: bool,
    /// Text goes to the upper window, which is decoration: nobody reads it.
    upper: bool,
    tables: Vec<OutputTable>,
}

/// What one command printed.
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

    /// Switches a stream on (its number) or off (its number below zero).
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
            // The commands of the player are known to whoever gives them.
            _ => {}
        }
        Ok(())
    }

    /// Prints a text wherever it goes now.
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

/// A character as a code of the machine, in a table.
fn code(character: char) -> u8 {
    match character {
        '\n' => 13,
        _ => u8::try_from(character).ok().filter(u8::is_ascii).unwrap_or(b'?'),
    }
}

/// Whether a transcript is kept: the story sets and clears the bit as it likes.
pub(super) fn transcript(memory: &MachineMemory) -> FaultResult<bool> {
    Ok(memory.word(FLAGS_2.into())? & 1 != 0)
}

pub(super) fn set_transcript(memory: &mut MachineMemory, on: bool) -> FaultResult<()> {
    let flags = memory.word(FLAGS_2.into())?;
    memory.set_word(FLAGS_2.into(), if on { flags | 1 } else { flags & !1 })
}
