//! Damaged or hostile story files: each is played, or ends in a fault with reason and address. None makes the machine
//! panic or run forever.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use loopbreak_arena::stories;
use loopbreak_arena::zmachine::{FaultKind, MachineFault, MachineLimits, StoryFile, ZMachine};

const LIMITS: MachineLimits = MachineLimits { instructions: 50_000, text: 16 * 1024 };
const COMMANDS: [&str; 12] = [
    "look",
    "north",
    "take all",
    "inventory",
    "south",
    "east",
    "examine me",
    "save",
    "restore",
    "verify",
    "script",
    "restart",
];

/// Random numbers that are the same on every machine.
struct ByteRng(u64);

impl ByteRng {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }
    fn byte(&mut self) -> u8 {
        u8::try_from(self.below(256)).unwrap()
    }
}

/// Plays a few commands. Returns how it ended.
fn play(bytes: &[u8]) -> Result<(), Option<MachineFault>> {
    let story = StoryFile::new(bytes).map_err(|_| None)?;
    let mut machine = ZMachine::with_limits(Arc::new(story), 1, LIMITS);
    machine.start()?;
    _ = machine.status();
    for command in COMMANDS {
        if machine.is_over() {
            break;
        }
        let before = machine.snapshot();
        machine.enter(command)?;
        _ = machine.status();
        if command == "inventory" {
            machine.restore(&before)?;
        }
    }
    Ok(())
}

/// Names each kind of ending, to check that the damage reaches many parts of the machine.
fn kind(result: &Result<(), Option<MachineFault>>) -> String {
    match result {
        Ok(()) => "played".to_owned(),
        Err(None) => "refused".to_owned(),
        Err(Some(fault)) => {
            let debug = format!("{:?}", fault.kind);
            debug.split(['(', ' ', '{']).next().unwrap().to_owned()
        }
    }
}

fn play_many(count: u64, damage: impl Fn(&mut ByteRng) -> Vec<u8>) -> BTreeMap<String, u32> {
    let mut ends = BTreeMap::new();
    for seed in 1..=count {
        let mut rng = ByteRng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let result = play(&damage(&mut rng));
        *ends.entry(kind(&result)).or_insert(0) += 1;
    }
    ends
}

#[test]
fn changed_bytes_cause_no_panic() {
    let ends = play_many(12_000, |rng| {
        let mut bytes = stories::SPILLWAY.to_vec();
        for _ in 0..=rng.below(40) {
            let at = rng.below(bytes.len());
            bytes[at] = rng.byte();
        }
        bytes[0] = 3;
        bytes
    });
    assert!(ends["played"] > 100 && ends.len() > 8, "{ends:?}");
}

#[test]
fn damaged_headers_cause_no_panic() {
    let ends = play_many(5000, |rng| {
        let mut bytes = stories::SPILLWAY.to_vec();
        for _ in 0..=rng.below(4) {
            bytes[rng.below(64)] = rng.byte();
        }
        bytes[0] = 3;
        bytes
    });
    assert!(ends["refused"] > 50 && ends["Outside"] > 10, "{ends:?}");
}

#[test]
fn truncated_or_shuffled_stories_end_in_a_fault() {
    let ends = play_many(5000, |rng| {
        let mut bytes = stories::SPILLWAY.to_vec();
        let (from, to) = (rng.below(bytes.len() - 512), rng.below(bytes.len() - 512));
        bytes.copy_within(from..from + 512, to.max(64));
        bytes.truncate(64 + rng.below(bytes.len()));
        bytes
    });
    assert!(ends.len() > 5, "{ends:?}");
}

#[test]
fn noise_after_a_valid_header_ends_in_a_fault() {
    let ends = play_many(5000, |rng| {
        let mut bytes = stories::SPILLWAY[..64].to_vec();
        bytes.extend((0..stories::SPILLWAY.len() - 64).map(|_| rng.byte()));
        bytes
    });
    assert!(ends.len() > 5, "{ends:?}");
}

/// Builds the smallest story with these instructions, in memory that is writable up to address 512.
fn story_of(instructions: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; 2048];
    bytes[0] = 3;
    // The code is at 1024, the dictionary at 768, objects at 64, global variables at 192, static memory from 512 on.
    for (at, address) in [(0x06, 1024_u16), (0x08, 768), (0x0a, 64), (0x0c, 192), (0x0e, 512), (0x18, 600)] {
        bytes[at..at + 2].copy_from_slice(&address.to_be_bytes());
    }
    // A text at 700 that prints nothing.
    bytes[700..702].copy_from_slice(&[0x94, 0xa5]);
    bytes[1024..1024 + instructions.len()].copy_from_slice(instructions);
    bytes
}

fn fault_of(instructions: &[u8]) -> MachineFault {
    let mut machine = ZMachine::new(Arc::new(StoryFile::new(&story_of(instructions)).unwrap()), 1);
    machine.start().unwrap_err()
}

#[test]
fn a_fault_has_a_reason_and_an_address() {
    // nop; div 1 0 -> sp
    let fault = fault_of(&[0xb4, 0x17, 1, 0, 0]);
    assert_eq!(fault, MachineFault { kind: FaultKind::DivisionByZero, at: 1025 });
    assert_eq!(fault.to_string(), "division by zero (instruction at 0x00401)");
    // pop; ret_popped on an empty stack; an instruction of a later version; rtrue out of the first routine
    assert_eq!(fault_of(&[0xb9]).kind, FaultKind::StackEmpty);
    assert_eq!(fault_of(&[0xb8]).kind, FaultKind::StackEmpty);
    assert_eq!(fault_of(&[0xbe]).kind, FaultKind::UnknownInstruction(0xbe));
    assert_eq!(fault_of(&[0xb0]).kind, FaultKind::NothingToReturnTo);
    // storeb 600 0 1: static memory; jump far before the beginning; call 2000
    assert_eq!(fault_of(&[0xe2, 0x17, 2, 88, 0, 1]).kind, FaultKind::ReadOnly(600));
    assert_eq!(fault_of(&[0x8c, 0x80, 0]).kind, FaultKind::Outside(1027 - 32768 - 2));
    assert_eq!(fault_of(&[0xe0, 0x3f, 0xff, 0xff, 0]).kind, FaultKind::Outside(0x1_fffe));
    // store local 3, which the first routine does not have
    assert_eq!(fault_of(&[0x0d, 3, 9]).kind, FaultKind::NoLocal(3));
}

#[test]
fn endless_stories_exhaust_their_budget_soon() {
    let forever: &[(&str, &[u8])] = &[
        ("a jump to itself", &[0x8c, 0xff, 0xff]),
        ("saving forever", &[0xb5, 0xc2, 0x8c, 0xff, 0xfd]),
        ("restarting forever", &[0xb7]),
        ("verifying forever", &[0xbd, 0xc2, 0x8c, 0xff, 0xfd]),
        ("printing an empty text forever", &[0x87, 2, 188, 0x8c, 0xff, 0xfc]),
        ("moving nothing forever", &[0x0e, 0, 0, 0x8c, 0xff, 0xfc]),
    ];
    for (name, instructions) in forever {
        let started = Instant::now();
        let fault = fault_of(instructions);
        assert_eq!(fault.kind, FaultKind::Budget(MachineLimits::default().instructions), "{name}");
        assert!(started.elapsed() < Duration::from_secs(10), "{name}: {:?}", started.elapsed());
    }
    // new_line forever; push forever; call itself forever
    assert_eq!(
        fault_of(&[0xbb, 0x8c, 0xff, 0xfe]).kind,
        FaultKind::TooMuchText(MachineLimits::default().text)
    );
    assert_eq!(fault_of(&[0xe8, 0x7f, 1, 0x8c, 0xff, 0xfc]).kind, FaultKind::StackFull);
    let mut bytes = story_of(&[0xe0, 0x3f, 0x02, 0x08, 0]);
    // A routine at 1040 that calls itself.
    bytes[1040..1046].copy_from_slice(&[0, 0xe0, 0x3f, 0x02, 0x08, 0]);
    let mut machine = ZMachine::new(Arc::new(StoryFile::new(&bytes).unwrap()), 1);
    assert_eq!(machine.start().unwrap_err().kind, FaultKind::StackFull);
}

#[test]
fn a_fault_persists_until_the_machine_is_restored() {
    let mut healthy = ZMachine::new(stories::spillway(), 1);
    healthy.start().unwrap();
    let before = healthy.snapshot();
    let tight = MachineLimits { instructions: 200, text: 700 };
    let mut machine = ZMachine::with_limits(stories::spillway(), 1, tight);
    let first = machine.start().unwrap_err();
    assert_eq!(first.kind, FaultKind::Budget(200));
    assert_eq!(machine.enter("look").unwrap_err(), first);
    machine.restore(&before).unwrap();
    assert_eq!(machine.status().name.as_deref(), Some("Valley Road"));
}
