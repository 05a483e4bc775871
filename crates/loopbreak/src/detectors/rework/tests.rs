//! Tests of `rework`.
