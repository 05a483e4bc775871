//! Readers of agent logs: each turns one log format into [`loopbreak`] steps.
