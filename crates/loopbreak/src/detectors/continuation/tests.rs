//! Tests of `continuation`.
