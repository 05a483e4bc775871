//! Every command of the documentation works: it is run in a project that is made for it, another test runs it, or
//! `docs/untested-commands.md` says why no test does.
//!
//! | part | content |
//! |---|---|
//! | `doc_page` | finds the commands of a page, and what it shows below them |
//! | `untested_commands` | the commands that no test runs, with the reasons |
//! | `command_rules` | the commands that do not just end with exit code 0 |
//! | `prepared_project` | the project, and running a command in it |
//! | `shown_output` | compares what a page shows with what was printed |
//! | `page_runs` | a test per page |
//! | `inline_commands` | the commands in sentences and tables |

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

mod command_rules;
mod doc_page;
mod inline_commands;
mod page_runs;
mod prepared_project;
mod shown_output;
mod untested_commands;
