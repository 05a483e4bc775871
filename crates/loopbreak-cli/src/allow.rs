//! `loopbreak allow`: the user overrules the guard at once.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use loopbreak::config::AllowRule;
use loopbreak_config::{ConfigFileLayout, ConfigLayers, ConfigSource, find_config_file};
use loopbreak_store::{Change, Event, Memory, Run, Sqlite, Store as _, now};
use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::error::UserError;
use crate::output::printable;
use crate::status::{failed, name, open, warn};
use crate::{exit, output};

/// Among how many of the latest runs the last refusal is looked for.
const RUNS: usize = 50;

/// Allow a call that was refused.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak allow last            The last call that was refused, in any session: it is free there from now on
  loopbreak allow last --save     The same, in all sessions of that project: adds [[allow]] to loopbreak.toml
  loopbreak allow last --run 5f2c Only in the session that begins with these letters

It holds from the next call on. LOOPBREAK=off switches the guard off for a session.")]
pub(crate) struct AllowArgs {
    /// Which call
    #[arg(value_name = "CALL")]
    which: Which,
    /// Look only at the run whose session begins with this text
    #[arg(long, value_name = "RUN")]
    run: Option<String>,
    /// Add the rule to the configuration of the project as well
    #[arg(long)]
    save: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Which {
    /// The last one that was refused, or that a human was asked about
    Last,
}

pub(crate) fn run(args: &AllowArgs) -> Result<u8, UserError> {
    let Which::Last = args.which;
    let nothing = || {
        UserError::failed("no call was refused").hint("`loopbreak log RUN` shows what happened in a session")
    };
    let mut store = open()?.ok_or_else(nothing)?;
    let (run, event) = last(&store, args.run.as_deref())?.ok_or_else(nothing)?;
    let detail: Value = serde_json::from_str(&event.detail).unwrap_or_default();
    let rule = AllowRule::deserialize(&detail["rule"]).map_err(|_| nothing())?;

    let mut kept = Ok(());
    let now = now();
    let allow = |snapshot: Option<&str>| {
        let mut memory = Memory::read(snapshot, warn);
        memory.allow(rule.clone());
        match memory.write_beside() {
            Ok(text) => {
                let detail = json!({"rule": rule, "action": detail["action"]}).to_string();
                Some(Change { snapshot: Some(text), ..Change::event("allowed", detail) })
            }
            Err(why) => {
                kept = Err(UserError::failed(why));
                None
            }
        }
    };
    store.update(&run.key(), &run.folder, now, allow).map_err(|error| failed(&error))?;
    kept?;
    let action = printable(detail["action"].as_str().unwrap_or_default());
    output::print(&format!("allowed in {}: {action}\n", name(&run)))?;
    if args.save {
        let file = save(&rule, Path::new(&run.folder))?;
        output::print(&format!("and in all sessions: [[allow]] is in {}\n", file.display()))?;
    }
    Ok(exit::DONE)
}

/// The last refusal, with its run.
fn last(store: &Sqlite, session: Option<&str>) -> Result<Option<(Run, Event)>, UserError> {
    let runs = match session {
        Some(session) => store.find(session),
        None => store.runs(i64::MIN, RUNS),
    };
    let mut found: Option<(Run, Event)> = None;
    for run in runs.map_err(|error| failed(&error))?.into_iter().take(RUNS) {
        // The latest come first: what was seen last before a refusal has none after it.
        if found.as_ref().is_some_and(|(_, event)| event.at >= run.seen) {
            break;
        }
        let events = store.events(&run).map_err(|error| failed(&error))?;
        let refused = events.into_iter().rfind(|event| matches!(event.kind.as_str(), "refused" | "asked"));
        if let Some(event) =
            refused.filter(|event| found.as_ref().is_none_or(|(_, known)| event.at > known.at))
        {
            found = Some((run, event));
        }
    }
    Ok(found)
}

/// Adds the rule to the configuration that holds in a folder, or begins one. What would not be valid is not written.
fn save(rule: &AllowRule, folder: &Path) -> Result<PathBuf, UserError> {
    let here = if folder.is_dir() { folder } else { Path::new(".") };
    let source = find_config_file(here)?;
    let file =
        source.as_ref().map_or_else(|| here.join("loopbreak.toml"), |source| PathBuf::from(&source.name));
    let before = source.as_ref().map_or("", |source| source.text.as_str());
    let table = match source.as_ref().map(|source| source.layout) {
        Some(ConfigFileLayout::Pyproject) => "[[tool.loopbreak.allow]]",
        _ => "[[allow]]",
    };
    let mut added = format!("{table}\n");
    for (key, value) in [("tool", &rule.tool), ("args", &rule.args)] {
        if let Some(value) = value {
            let _ = writeln!(added, "{key} = {}", toml::Value::from(value.as_str()));
        }
    }
    let gap = match before {
        "" => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    let text = format!("{before}{gap}{added}");
    let valid =
        ConfigLayers::default().file(ConfigSource::new(file.display().to_string(), text.clone())).load();
    if !valid.is_ok_and(|loaded| loaded.config.allow.contains(rule)) {
        return Err(UserError::failed(format!("cannot add the rule to {}", file.display()))
            .hint(format!("it holds in this session; write it down by hand:\n{added}")));
    }
    let real = fs::canonicalize(&file).unwrap_or_else(|_| file.clone());
    output::save(&real, text.as_bytes())?;
    Ok(file)
}
