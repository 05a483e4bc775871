//! Tests of `side_effect`.
