//! `cargo xtask quality`: the figures of `docs/quality.md`, computed from a folder of public runs.

mod action_spelling;
mod eval_figures;
mod first_measurement;
mod game_tables;
mod labelled_tables;
mod other_tables;
mod page_parts;
mod part_table;
mod python_literal;
mod quality_arguments;
mod repeated_action;
mod replay;
mod replayed_run;
mod run;
mod sample_folder;
mod saving_counts;
mod score_counts;
mod session_tables;
mod share;
mod split_list;
mod web_tables;

pub(crate) use run::run;
