//! Tests of the engine through its public interface, as one program, because every test program is linked separately.

mod advice;
mod after_compaction;
mod complaints;
mod continuations;
mod events;
mod facets;
mod limits;
mod mistakes;
mod nothing_done;
mod places;
mod policy;
mod properties;
mod repeats;
mod root_names;
mod round_trip;
mod rulings;
mod same_call;
mod seeds_table;
mod series;
mod signals;
mod snapshots;
mod spared;
mod steps;
mod web_agents;
mod wishes;
