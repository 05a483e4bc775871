//! The tools of each agent.

use std::fmt;
use std::str::FromStr;

use serde_json::json;

use super::{ScriptedCall, ScriptedDeed};

/// The names and arguments of an agent's tools. It is parsed from the name of the agent:
///
/// ```
/// use loopbreak_hooks::scripted_model::{ScriptedDeed, ToolDialect};
///
/// let dialect: ToolDialect = "claude-code".parse()?;
/// assert_eq!(dialect.call(&ScriptedDeed::shell("ls")).tool, "Bash");
/// # Ok::<(), loopbreak_hooks::scripted_model::UnknownDialect>(())
/// ```
#[derive(Clone, Copy)]
pub struct ToolDialect {
    agent: &'static str,
    shell: fn(command: &str, background: bool) -> ScriptedCall,
    read_file: fn(path: &str) -> ScriptedCall,
    edit_file: fn(path: &str, old: &str, new: &str) -> ScriptedCall,
    subagent: fn(prompt: &str) -> ScriptedCall,
    wait: fn() -> ScriptedCall,
}

/// One entry per agent, checked with the versions that `cargo xtask agents` installs.
const DIALECTS: [ToolDialect; 10] = [
    ToolDialect {
        agent: "claude-code",
        shell: |command, background| {
            let mut arguments = json!({"command": command, "description": "Run a command"});
            if background {
                arguments["run_in_background"] = true.into();
            }
            ScriptedCall::new("Bash", arguments)
        },
        read_file: |path| ScriptedCall::new("Read", json!({ "file_path": path })),
        edit_file: |path, old, new| {
            ScriptedCall::new("Edit", json!({"file_path": path, "old_string": old, "new_string": new}))
        },
        subagent: |prompt| {
            let arguments = json!({
                "description": "Do a part of the job", "prompt": prompt, "subagent_type": "general-purpose",
                "run_in_background": false,
            });
            ScriptedCall::new("Agent", arguments)
        },
        wait: || ScriptedCall::new("Bash", json!({"command": "true", "description": "Wait"})),
    },
    ToolDialect {
        agent: "cline",
        shell: |command, background| {
            let command =
                if background { format!("{command} > /dev/null 2>&1 &") } else { command.to_owned() };
            ScriptedCall::new("run_commands", json!({"commands": [command]}))
        },
        read_file: |path| ScriptedCall::new("read_files", json!({"files": [{"path": path}]})),
        edit_file: |path, old, new| {
            ScriptedCall::new("editor", json!({"path": path, "old_text": old, "new_text": new}))
        },
        subagent: |prompt| {
            ScriptedCall::new("spawn_agent", json!({"systemPrompt": "You do a part.", "task": prompt}))
        },
        wait: || ScriptedCall::new("run_commands", json!({"commands": ["true"]})),
    },
    ToolDialect {
        agent: "codex",
        shell: |command, background| {
            let mut arguments = json!({ "cmd": command });
            if background {
                // The tool returns while the command still runs.
                arguments["yield_time_ms"] = 250.into();
            }
            ScriptedCall::new("exec_command", arguments)
        },
        // There is no tool that reads a file.
        read_file: |path| ScriptedCall::new("exec_command", json!({"cmd": format!("cat {path}")})),
        edit_file: |path, old, new| {
            let patch = update_patch(path, old, new);
            ScriptedCall::with_text("apply_patch", patch)
        },
        subagent: |prompt| {
            let arguments = json!({"task_name": "part", "message": prompt, "fork_turns": "none"});
            ScriptedCall::new("spawn_agent", arguments).in_namespace("collaboration")
        },
        // A subagent works beside the main agent.
        wait: || ScriptedCall::new("wait_agent", json!({"timeout_ms": 30_000})).in_namespace("collaboration"),
    },
    // Models in code mode write programs that call the tools.
    ToolDialect {
        agent: "codex-code",
        shell: |command, background| {
            let yield_time = if background { ", yield_time_ms: 250" } else { "" };
            code_call(&format!(
                "const result = await tools.exec_command({{cmd: {}{yield_time}}});",
                json!(command)
            ))
        },
        read_file: |path| {
            let command = json!(format!("cat {path}"));
            code_call(&format!("const result = await tools.exec_command({{cmd: {command}}});"))
        },
        edit_file: |path, old, new| {
            let patch = json!(update_patch(path, old, new));
            code_call(&format!("const result = await tools.apply_patch({patch});"))
        },
        subagent: |prompt| {
            let arguments = json!({"task_name": "part", "message": prompt, "fork_turns": "none"});
            ScriptedCall::new("spawn_agent", arguments).in_namespace("collaboration")
        },
        wait: || ScriptedCall::new("wait_agent", json!({"timeout_ms": 30_000})).in_namespace("collaboration"),
    },
    ToolDialect {
        agent: "copilot",
        shell: |command, background| {
            let mode = if background { "async" } else { "sync" };
            let arguments = json!({"command": command, "description": "Run a command", "mode": mode});
            ScriptedCall::new("bash", arguments)
        },
        read_file: |path| ScriptedCall::new("view", json!({ "path": path })),
        edit_file: |path, old, new| {
            ScriptedCall::new("edit", json!({"path": path, "old_str": old, "new_str": new}))
        },
        subagent: |prompt| {
            let arguments = json!({
                "name": "part", "description": "Do a part", "prompt": prompt, "agent_type": "general-purpose",
                "mode": "sync",
            });
            ScriptedCall::new("task", arguments)
        },
        wait: || ScriptedCall::new("bash", json!({"command": "true", "description": "Wait"})),
    },
    ToolDialect {
        agent: "gemini",
        shell: |command, background| {
            let mut arguments = json!({"command": command, "description": "Run a command"});
            if background {
                arguments["is_background"] = true.into();
            }
            ScriptedCall::new("run_shell_command", arguments)
        },
        read_file: |path| ScriptedCall::new("read_file", json!({ "file_path": path })),
        edit_file: |path, old, new| {
            let arguments = json!({
                "file_path": path, "old_string": old, "new_string": new, "instruction": "Replace the text",
            });
            ScriptedCall::new("replace", arguments)
        },
        subagent: |prompt| {
            ScriptedCall::new("invoke_agent", json!({"agent_name": "generalist", "prompt": prompt}))
        },
        wait: || ScriptedCall::new("run_shell_command", json!({"command": "true", "description": "Wait"})),
    },
    ToolDialect {
        agent: "opencode",
        shell: |command, _| {
            ScriptedCall::new("bash", json!({"command": command, "description": "Run a command"}))
        },
        read_file: |path| ScriptedCall::new("read", json!({ "filePath": path })),
        edit_file: |path, old, new| {
            ScriptedCall::new("edit", json!({"filePath": path, "oldString": old, "newString": new}))
        },
        subagent: |prompt| {
            let arguments = json!({"description": "Do a part", "prompt": prompt, "subagent_type": "general"});
            ScriptedCall::new("task", arguments)
        },
        wait: || ScriptedCall::new("bash", json!({"command": "true", "description": "Wait"})),
    },
    ToolDialect {
        agent: "pi",
        shell: |command, _| ScriptedCall::new("bash", json!({ "command": command })),
        read_file: |path| ScriptedCall::new("read", json!({ "path": path })),
        edit_file: |path, old, new| {
            let edits = json!([{"oldText": old, "newText": new}]);
            ScriptedCall::new("edit", json!({"path": path, "edits": edits}))
        },
        // There are no subagents.
        subagent: |prompt| ScriptedCall::new("bash", json!({"command": format!("echo {}", json!(prompt))})),
        wait: || ScriptedCall::new("bash", json!({"command": "true"})),
    },
    ToolDialect {
        agent: "qwen",
        shell: |command, background| {
            let arguments =
                json!({"command": command, "description": "Run a command", "is_background": background});
            ScriptedCall::new("run_shell_command", arguments)
        },
        read_file: |path| ScriptedCall::new("read_file", json!({ "file_path": path })),
        edit_file: |path, old, new| {
            ScriptedCall::new("edit", json!({"file_path": path, "old_string": old, "new_string": new}))
        },
        subagent: |prompt| {
            let arguments = json!({
                "description": "Do a part", "prompt": prompt, "subagent_type": "general-purpose",
            });
            ScriptedCall::new("agent", arguments)
        },
        wait: || {
            ScriptedCall::new(
                "run_shell_command",
                json!({"command": "true", "description": "Wait", "is_background": false}),
            )
        },
    },
    ToolDialect {
        agent: "openhands",
        shell: |command, background| {
            let end = if background { " &" } else { "" };
            ScriptedCall::new("terminal", json!({"command": format!("{command}{end}")}))
        },
        read_file: |path| ScriptedCall::new("file_editor", json!({"command": "view", "path": path})),
        edit_file: |path, old, new| {
            let arguments = json!({"command": "str_replace", "path": path, "old_str": old, "new_str": new});
            ScriptedCall::new("file_editor", arguments)
        },
        subagent: |prompt| {
            ScriptedCall::new("task", json!({"prompt": prompt, "subagent_type": "general-purpose"}))
        },
        wait: || ScriptedCall::new("terminal", json!({"command": "true"})),
    },
];

/// Renders a patch in the form of Codex CLI.
fn update_patch(path: &str, old: &str, new: &str) -> String {
    format!("*** Begin Patch\n*** Update File: {path}\n@@\n-{old}\n+{new}\n*** End Patch\n")
}

/// Renders a program that shows the result of a tool.
fn code_call(statement: &str) -> ScriptedCall {
    let show = "text(typeof result === \"string\" ? result : JSON.stringify(result));";
    ScriptedCall::with_text("exec", format!("{statement}\n{show}\n"))
}

impl ToolDialect {
    /// Translates a deed into a call.
    pub fn call(&self, deed: &ScriptedDeed) -> ScriptedCall {
        match deed {
            ScriptedDeed::Shell { command, background } => (self.shell)(command, *background),
            ScriptedDeed::ReadFile { path } => (self.read_file)(path),
            ScriptedDeed::EditFile { path, old, new } => (self.edit_file)(path, old, new),
            ScriptedDeed::Subagent { prompt } => (self.subagent)(prompt),
            ScriptedDeed::AwaitSubagent => (self.wait)(),
            ScriptedDeed::UnknownTool => ScriptedCall::new("look_up_symbol", json!({"name": "main"})),
            ScriptedDeed::WrongArguments => {
                ScriptedCall::new((self.shell)("", false).tool, json!({"program": "ls"}))
            }
        }
    }
}

impl FromStr for ToolDialect {
    type Err = UnknownDialect;

    fn from_str(agent: &str) -> Result<Self, UnknownDialect> {
        DIALECTS.into_iter().find(|dialect| dialect.agent == agent).ok_or(UnknownDialect)
    }
}

impl fmt::Debug for ToolDialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToolDialect({})", self.agent)
    }
}

/// The error for an agent whose tools are not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownDialect;

impl fmt::Display for UnknownDialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = DIALECTS.iter().map(|dialect| dialect.agent).collect();
        write!(f, "the tools of this agent are not known; the agents are {}", names.join(", "))
    }
}

impl std::error::Error for UnknownDialect {}
