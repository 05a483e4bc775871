//! Answers arbitrary bytes as an event of each agent, with a store that all inputs share.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use loopbreak::Settings;
use loopbreak_hooks::{HookEnvironment, agents, answer};
use tempfile::TempDir;

static FOLDER: LazyLock<TempDir> =
    LazyLock::new(|| tempfile::tempdir().expect("a folder for temporary files"));

fuzz_target!(|data: &[u8]| {
    let environment = HookEnvironment {
        store: Some(FOLDER.path().join("loopbreak.db")),
        disabled: false,
        limit: None,
        clock: &|| 1_700_000_000_000,
        user_config: None,
        load_settings: &|_| Ok(Settings::default().into()),
        warn: &|_| {},
    };
    for agent in agents::ALL {
        if let Some(response) = answer(Some(*agent), data, &environment) {
            assert!(response.starts_with('{'), "{agent:?}: {response}");
        }
    }
});
