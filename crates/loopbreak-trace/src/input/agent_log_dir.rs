//! The folders and databases in which coding agents keep their logs on this machine.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder or database in which an agent keeps its logs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentLogDir {
    /// Name of the agent.
    pub agent: &'static str,
    /// Path of the folder or database.
    pub path: PathBuf,
    /// True if it exists.
    pub exists: bool,
}

/// Returns the folders and databases of all known agents. `variable` looks up environment variables; without a home folder and
/// without the variables of the agents, the list is empty.
pub fn agent_log_dirs(variable: impl Fn(&str) -> Option<OsString>) -> Vec<AgentLogDir> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = set("HOME").or_else(|| set("USERPROFILE"));
    let below = |folder: &str| home.as_ref().map(|home| home.join(folder));
    let claude = set("CLAUDE_CONFIG_DIR").or_else(|| below(".claude"));
    let codex = set("CODEX_HOME").or_else(|| below(".codex"));
    // The variable names the folder that holds `.gemini`.
    let gemini = set("GEMINI_CLI_HOME").or_else(|| home.clone());
    let pi = set("PI_CODING_AGENT_DIR").or_else(|| below(".pi/agent"));
    let data = set("XDG_DATA_HOME").or_else(|| below(".local/share")).map(|data| data.join("opencode"));
    // The variable names a path, or a file in the folder of opencode.
    let database = set("OPENCODE_DB").unwrap_or_else(|| PathBuf::from("opencode.db"));
    let opencode = match data {
        _ if !cfg!(feature = "sqlite") || database == Path::new(":memory:") => None,
        Some(data) => Some(data.join(database)),
        None => Some(database).filter(|database| database.is_absolute()),
    };
    let places = [
        ("Claude Code", claude.map(|folder| folder.join("projects"))),
        ("Codex CLI", codex.map(|folder| folder.join("sessions"))),
        ("Gemini CLI", gemini.map(|home| home.join(".gemini/tmp"))),
        ("Qwen Code", below(".qwen/projects")),
        ("opencode", opencode),
        ("pi", pi.map(|folder| folder.join("sessions"))),
    ];
    let place = |(agent, path): (&'static str, Option<PathBuf>)| {
        let path = path?;
        Some(AgentLogDir { agent, exists: path.exists(), path })
    };
    places.into_iter().filter_map(place).collect()
}

impl AgentLogDir {
    /// Returns the folders that contain logs, or the databases. Gemini CLI and Qwen Code keep other files next to their
    /// logs, and opencode has a database for each of its release channels.
    pub fn log_folders(&self) -> Vec<PathBuf> {
        if matches!(self.agent, "Gemini CLI" | "Qwen Code") {
            return chats(&self.path);
        }
        if self.agent == "opencode" {
            return databases(&self.path);
        }
        if self.exists { vec![self.path.clone()] } else { Vec::new() }
    }
}

/// Returns the `chats` folders, one per project.
fn chats(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let chats = entries.filter_map(Result::ok).map(|entry| entry.path().join("chats"));
    let mut chats: Vec<PathBuf> = chats.filter(|path| path.is_dir()).collect();
    chats.sort();
    chats
}

/// Returns a database and those of other release channels next to it: `opencode.db`, `opencode-dev.db`.
fn databases(path: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    if path.is_file() {
        found.push(path.to_owned());
    }
    let entries = path.parent().and_then(|folder| fs::read_dir(folder).ok());
    let others = entries.into_iter().flatten().filter_map(Result::ok).filter(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name.starts_with("opencode-") && name.ends_with(".db")
    });
    found.extend(others.map(|entry| entry.path()).filter(|other| other.is_file() && other != path));
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environment_variables_override_the_default_folders() {
        let root = tempfile::tempdir().unwrap();
        let home = root.path().join("home");
        fs::create_dir_all(home.join(".gemini/tmp/ab12/chats")).unwrap();
        fs::create_dir_all(home.join(".gemini/tmp/bin")).unwrap();
        fs::create_dir_all(root.path().join("cc/projects")).unwrap();
        let places = agent_log_dirs(|name| match name {
            "HOME" => Some(home.clone().into()),
            "CLAUDE_CONFIG_DIR" => Some(root.path().join("cc").into()),
            "CODEX_HOME" => Some(OsString::new()),
            _ => None,
        });
        let shown: Vec<_> =
            places.iter().map(|place| (place.agent, place.path.as_path(), place.exists)).collect();
        assert_eq!(
            shown,
            [
                ("Claude Code", &*root.path().join("cc/projects"), true),
                ("Codex CLI", &*home.join(".codex/sessions"), false),
                ("Gemini CLI", &*home.join(".gemini/tmp"), true),
                ("Qwen Code", &*home.join(".qwen/projects"), false),
                ("opencode", &*home.join(".local/share/opencode/opencode.db"), false),
                ("pi", &*home.join(".pi/agent/sessions"), false),
            ]
        );
        assert_eq!(places[0].log_folders().len(), 1);
        assert!(places[1].log_folders().is_empty());
        assert_eq!(places[2].log_folders(), [home.join(".gemini/tmp/ab12/chats")]);
        assert!(agent_log_dirs(|_| None).is_empty());
        let own = agent_log_dirs(|name| (name == "GEMINI_CLI_HOME").then(|| home.clone().into()));
        assert_eq!((own[0].agent, own[0].log_folders().len()), ("Gemini CLI", 1));
    }

    #[cfg(feature = "sqlite")]
    #[test]
    fn the_databases_of_all_channels_of_opencode_are_found() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("data/opencode");
        fs::create_dir_all(folder.join("snapshot")).unwrap();
        for name in ["opencode.db", "opencode.db-wal", "opencode.db-shm", "opencode-dev.db", "own.db"] {
            fs::write(folder.join(name), "").unwrap();
        }
        let found = |database: Option<OsString>| {
            let places = agent_log_dirs(|name| match name {
                "XDG_DATA_HOME" => Some(root.path().join("data").into()),
                "OPENCODE_DB" => database.clone(),
                _ => None,
            });
            let databases: Vec<PathBuf> = places.iter().flat_map(AgentLogDir::log_folders).collect();
            databases.iter().map(|path| path.strip_prefix(&folder).unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(found(None), [Path::new("opencode-dev.db"), Path::new("opencode.db")]);
        assert_eq!(found(Some("own.db".into())), [Path::new("opencode-dev.db"), Path::new("own.db")]);
        assert_eq!(found(Some(folder.join("own.db").into())).len(), 2);
        assert!(found(Some(":memory:".into())).is_empty());
    }
}
