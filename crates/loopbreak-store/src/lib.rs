//! What Loopbreak keeps between processes: runs, the guards put away between two steps, what happened, and what came of
//! it: tasks, attempts, context entries, recoveries.
//!
//! [`Store`] says what a store can do; [`Sqlite`] is the one that is used where nothing else is set up. It decides
//! nothing: whoever changes a run brings the engine along, in the closure given to [`Store::update`]. [`Memory`] is what
//! is put away of a run between two steps, whoever shows them to its guard, and [`keep`] what a verdict leaves behind.
//! [`tasks`] is pure, and shared by all who work through a roadmap: which task comes next, and what reports and recoveries
//! change.

mod atomic_file;
mod clock;
mod damage;
mod hold;
mod keep;
mod memory;
mod migrate;
mod open;
mod path;
mod prune;
mod records;
mod rows;
mod sqlite;
mod standing;
mod store;
pub mod tasks;

pub use atomic_file::{write_copy_atomically, write_file_atomically};
pub use clock::now;
pub use hold::Hold;
pub use keep::{keep, quoted};
pub use memory::{Mark, Memory, Seen};
pub use path::{default_path, make_folder};
pub use prune::Limits;
pub use records::{Attempt, ContextEntry, Records, Recovery, Task};
pub use sqlite::{Options, Sqlite};
pub use standing::{LIVE_MS, Standing, standing, standings, summed};
pub use store::{Change, Event, Run, RunKey, Store, StoreError};
