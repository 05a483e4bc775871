//! Views of an episode for people: plain lines, or a screen that is redrawn after each turn.
//!
//! Everything here returns text. The program around it writes the text to the terminal and measures its size.

mod event_text;
mod game_screen;
mod human_player;
mod map_chart;
mod plain_lines;

pub use event_text::render_result;
pub use game_screen::GameScreen;
pub use human_player::HumanPlayer;
pub use map_chart::render_map;
pub use plain_lines::render_event;
