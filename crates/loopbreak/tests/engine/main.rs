//! The engine, tested from outside: what goes in, and what comes out. One program, for every further one is linked anew.

mod advice;
mod complaints;
mod events;
mod facets;
mod limits;
mod mistakes;
mod nothing_done;
mod outputs;
mod patience;
mod places;
mod policy;
mod properties;
mod repeats;
mod round_trip;
mod rulings;
mod seeds_table;
mod series;
mod snapshots;
mod spared;
mod stagnation;
mod steps;
mod targets;
mod tasks;
mod web_agents;
mod wishes;
