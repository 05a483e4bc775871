//! Stores damaged at random: bytes, pages, lengths.

use std::fs;
use std::path::Path;

use crate::chore_failure::ChoreFailure;
use crate::faults::fault_lab::FaultLab;
use crate::faults::fault_trial::{ExpectedEnd, FaultTrial};
use crate::faults::hook_process::HookConditions;
use crate::faults::part_figures::PartFigures;
use crate::faults::seeded_random::SeededRandom;
use crate::trial::TrialHome;

/// The sessions that the store has.
pub(super) const SESSIONS: [&str; 3] = ["first", "other", "third"];
/// Number of steps of each before the damage.
pub(super) const STEPS: usize = 5;
const PAGE: usize = 4096;

pub(super) fn run(lab: &FaultLab) -> Result<PartFigures, ChoreFailure> {
    let with_log = lab.used_home(&SESSIONS, STEPS)?;
    let in_one_file = lab.copy_home(&with_log)?;
    in_one_file.sql("PRAGMA wal_checkpoint(TRUNCATE)").map_err(ChoreFailure::Failed)?;
    let trials: Vec<u64> = (0..lab.count(240, 6) as u64).collect();
    lab.run_all(&trials, |number| {
        let home = if number % 2 == 0 { &in_one_file } else { &with_log };
        let mut random = SeededRandom::new(lab.seed.wrapping_mul(1_000_003).wrapping_add(*number));
        let home = lab.copy_home(home)?;
        let damage = damage(&home, &mut random)?;
        let label = format!("damage {number} ({damage})");
        heals(FaultTrial::new(lab, label, home))
    })
}

/// Damages one of the files of the store, and describes it.
fn damage(home: &TrialHome, random: &mut SeededRandom) -> Result<String, ChoreFailure> {
    let store = home.store();
    let log = store.with_file_name("loopbreak.db-wal");
    let has_log = fs::metadata(&log).is_ok_and(|metadata| metadata.len() > 0);
    let path = if has_log && random.below(4) != 0 { log } else { store };
    let failed = |error: std::io::Error| ChoreFailure::io("damage a store", &error);
    let mut bytes = fs::read(&path).map_err(failed)?;
    let what = damage_bytes(&mut bytes, random);
    fs::write(&path, bytes).map_err(failed)?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(format!("{what} in {name}"))
}

fn damage_bytes(bytes: &mut Vec<u8>, random: &mut SeededRandom) -> String {
    let length = bytes.len();
    let at = random.below(length);
    // Half of the damage is where a store has its structure: near the beginning, and at the beginnings of pages.
    let at = match random.below(4) {
        0 => random.below(length.min(200)),
        1 => (at / PAGE * PAGE + random.below(16)).min(length.saturating_sub(1)),
        _ => at,
    };
    match random.below(6) {
        0 => {
            bytes[at] ^= 1 << random.below(8);
            format!("bit at {at}")
        }
        1 => {
            let end = (at + 1 + random.below(64)).min(length);
            bytes[at..end].fill_with(|| random.next() as u8);
            format!("bytes {at} to {end}")
        }
        2 => {
            for _ in 0..64 {
                let at = random.below(length);
                bytes[at] = random.next() as u8;
            }
            "64 bytes".to_owned()
        }
        3 => {
            bytes.truncate(at);
            format!("cut at {at}")
        }
        4 => {
            let start = at / PAGE * PAGE;
            let end = (start + PAGE).min(length);
            bytes[start..end].fill(0);
            format!("page at {start} zeroed")
        }
        _ => {
            let (one, two) = (at / PAGE * PAGE, random.below(length) / PAGE * PAGE);
            if one + PAGE <= length && two + PAGE <= length && one != two {
                let copy = bytes[one..one + PAGE].to_vec();
                bytes[two..two + PAGE].copy_from_slice(&copy);
            }
            format!("page at {two} overwritten with that at {one}")
        }
    }
}

/// Checks that hooks work after damage: at the latest the third, and from then on all.
pub(super) fn heals(mut trial: FaultTrial<'_>) -> Result<PartFigures, ChoreFailure> {
    trial.is_damaged = true;
    let conditions = HookConditions::default();
    for session in [SESSIONS[0], SESSIONS[1], SESSIONS[0]] {
        trial.hook(session, &conditions, ExpectedEnd::Success)?;
    }
    for session in [SESSIONS[0], SESSIONS[2], "fresh"] {
        trial.next_hook_works(session)?;
    }
    trial.finish()
}

/// Damages a store so that the next hook puts it aside.
pub(super) fn make_unreadable(store: &Path) -> Result<(), ChoreFailure> {
    fs::write(store, "this is not a database ".repeat(500))
        .map_err(|error| ChoreFailure::io("damage a store", &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_damage_changes_the_bytes_and_a_seed_repeats_it() {
        let original: Vec<u8> = (0..40_960_u32).map(|number| (number / 7 % 251) as u8 + 1).collect();
        let damaged = |seed| {
            let mut bytes = original.clone();
            (damage_bytes(&mut bytes, &mut SeededRandom::new(seed)), bytes)
        };
        let changed = (0..100).filter(|seed| damaged(*seed).1 != original).count();
        assert!(changed > 95, "{changed}");
        assert_eq!(damaged(5), damaged(5));
    }
}
