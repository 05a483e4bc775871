//! Keeps the agent from changing the guard: its configuration, its list of trusted files, its store, and its hooks.
//!
//! Only files that count for the session are protected, and only against calls that plainly write to them. Reading is never
//! refused, nor is any other file.

mod file_edit;
mod own_command;
mod patch_text;
mod protected_files;
mod shell_command;
mod shell_writes;
#[cfg(test)]
mod tests;
mod write_objection;

pub(crate) use write_objection::OwnFiles;
