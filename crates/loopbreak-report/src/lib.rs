//! Analysis of recorded runs: what a guard would have said, what that saves, what it would have destroyed.
