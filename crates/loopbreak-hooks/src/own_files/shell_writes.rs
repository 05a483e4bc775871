//! The files that shell commands plainly write to.

use std::path::{Path, PathBuf};

use super::own_command::users_command;
use super::protected_files::resolve;
use super::shell_command::{ShellCommand, split_commands};

/// Deepest nesting of shells in shells that is followed.
const MAX_DEPTH: usize = 3;
/// Words before a command that do not change what it does.
const PREFIXES: [&str; 20] = [
    "sudo", "doas", "env", "command", "builtin", "exec", "nohup", "time", "nice", "if", "then", "else",
    "elif", "do", "while", "until", "!", "npx", "uvx", "bunx",
];

/// The effects of shell commands on files and on the guard.
#[derive(Debug, Default)]
pub(super) struct ShellWrites {
    /// The files that they write to.
    pub(super) files: Vec<ShellWrite>,
    /// Commands of Loopbreak that only the user may run.
    pub(super) users_commands: Vec<String>,
}

/// A file that a shell command writes to.
#[derive(Debug)]
pub(super) struct ShellWrite {
    pub(super) path: PathBuf,
    pub(super) effect: WriteEffect,
}

/// The effect of a command on a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum WriteEffect {
    /// The new content stands in the command. `appends` says that the old content is kept.
    Inline { appends: bool },
    /// The file is edited, by this script.
    Edit(String),
    /// The file is replaced by another one.
    Replace,
    /// The file is removed, emptied or moved away.
    Removal,
    /// Its owner or its mode is changed.
    Mode,
}

impl ShellWrites {
    /// Lists what a shell line does in a folder.
    pub(super) fn list(text: &str, folder: &Path) -> Self {
        let mut writes = ShellWrites::default();
        writes.add_line(text, &mut folder.to_owned(), 0);
        writes
    }

    /// Adds the commands of a line. They may change the folder of those after them.
    fn add_line(&mut self, text: &str, folder: &mut PathBuf, depth: usize) {
        for command in split_commands(text) {
            self.add_command(&command, folder, depth);
        }
    }

    fn add_command(&mut self, command: &ShellCommand, folder: &mut PathBuf, depth: usize) {
        let words = without_prefixes(&command.words);
        let program = words.first().map_or("", |word| word.rsplit('/').next().unwrap_or(word));
        for (target, appends) in &command.outputs {
            let is_inline = ["", "echo", "printf", "cat", ":", "true"].contains(&program);
            let inline = WriteEffect::Inline { appends: *appends };
            self.add(folder, target, if is_inline { inline } else { WriteEffect::Replace });
        }
        let is_option = |word: &&String| word.starts_with('-') && word.len() > 1;
        let arguments = words.get(1..).unwrap_or_default();
        let operands: Vec<&String> = arguments.iter().filter(|word| !is_option(word)).collect();
        let has_short = |letter: char| {
            // What follows these letters is a value.
            let is_value = |word: &str| word[1..].starts_with(['-', 'M', 'm', 'I', 'e', 'f']);
            arguments.iter().filter(is_option).any(|word| !is_value(word) && word.contains(letter))
        };
        match program {
            "cd" | "pushd" => {
                if let Some(target) = operands.first().and_then(|target| resolve(folder, target)) {
                    *folder = target;
                }
            }
            "sh" | "bash" | "zsh" | "dash" | "ksh"
                if depth < MAX_DEPTH
                    && arguments.iter().any(|word| is_option(&word) && word.ends_with('c')) =>
            {
                if let Some(line) = operands.first() {
                    self.add_line(line, &mut folder.clone(), depth + 1);
                }
            }
            "eval" if depth < MAX_DEPTH => self.add_line(&arguments.join(" "), folder, depth + 1),
            "tee" | "sponge" => {
                let appends = has_short('a');
                self.add_all(folder, &operands, &WriteEffect::Inline { appends });
            }
            "sed" | "gsed" | "perl" | "ruby" | "yq"
                if has_short('i')
                    || arguments.iter().any(|word| word.starts_with("--in-place") || word == "--inplace") =>
            {
                for file in &operands {
                    let script =
                        arguments.iter().filter(|word| word != file).cloned().collect::<Vec<_>>().join(" ");
                    self.add(folder, file, WriteEffect::Edit(script));
                }
            }
            "patch" | "ed" | "ex" => self.add_all(folder, &operands, &WriteEffect::Replace),
            "cp" | "mv" | "ln" | "install" | "rsync" => {
                self.add_copies(program, arguments, &operands, folder);
            }
            "rm" | "unlink" | "shred" | "rmdir" | "truncate" | "trash" => {
                self.add_all(folder, &operands, &WriteEffect::Removal);
            }
            "chmod" | "chown" | "chgrp" | "setfacl" => self.add_all(folder, &operands, &WriteEffect::Mode),
            "dd" => {
                for target in operands.iter().filter_map(|word| word.strip_prefix("of=")) {
                    self.add(folder, target, WriteEffect::Replace);
                }
            }
            "curl" | "wget" => {
                let named =
                    arguments.windows(2).filter(|pair| ["-o", "-O", "--output"].contains(&pair[0].as_str()));
                for pair in named {
                    self.add(folder, &pair[1], WriteEffect::Replace);
                }
            }
            "loopbreak" => {
                self.users_commands.extend(users_command(words));
                let named =
                    arguments.windows(2).filter(|pair| ["-o", "--output"].contains(&pair[0].as_str()));
                for pair in named {
                    self.add(folder, &pair[1], WriteEffect::Replace);
                }
            }
            _ => {}
        }
    }

    /// Adds the target of a copy, which may be a folder, and the source of a move.
    fn add_copies(&mut self, program: &str, arguments: &[String], operands: &[&String], folder: &Path) {
        let after = |pair: &&[String]| ["-t", "--target-directory"].contains(&pair[0].as_str());
        let named = arguments.windows(2).find(after).map(|pair| pair[1].as_str());
        let named =
            named.or_else(|| arguments.iter().find_map(|word| word.strip_prefix("--target-directory=")));
        let target = named.or_else(|| operands.last().map(|word| word.as_str())).unwrap_or_default();
        for source in operands.iter().filter(|source| source.as_str() != target) {
            if program == "mv" {
                self.add(folder, source, WriteEffect::Removal);
            }
            let name = source.rsplit('/').next().unwrap_or_default();
            self.add(folder, &format!("{}/{name}", target.trim_end_matches('/')), WriteEffect::Replace);
        }
        self.add(folder, target, WriteEffect::Replace);
    }

    fn add_all(&mut self, folder: &Path, targets: &[&String], effect: &WriteEffect) {
        for target in targets {
            self.add(folder, target, effect.clone());
        }
    }

    fn add(&mut self, folder: &Path, target: &str, effect: WriteEffect) {
        if let Some(path) = resolve(folder, target) {
            self.files.push(ShellWrite { path, effect });
        }
    }
}

/// Returns the words of a command without assignments, and without words that do not change what it does.
fn without_prefixes(words: &[String]) -> &[String] {
    let is_assignment = |word: &str| {
        word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        })
    };
    let mut rest = words;
    let mut after_prefix = false;
    while let Some(first) = rest.first() {
        let is_prefix = PREFIXES.contains(&first.as_str());
        let is_option = after_prefix && first.starts_with('-');
        if !(is_prefix || is_option || is_assignment(first)) {
            break;
        }
        after_prefix |= is_prefix;
        rest = &rest[1..];
    }
    rest
}
