//! `loopbreak config init`: writes a configuration file with comments.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use loopbreak_config::parse_profile;
use loopbreak_config::reference::{full_starter_file, starter_file};
use loopbreak_store::write_file_atomically;

use super::args::InitArgs;
use crate::error::UserError;
use crate::exit;

pub(super) fn run(args: &InitArgs) -> Result<u8, UserError> {
    let profile = args.profile.as_deref().map(parse_profile).transpose();
    let profile = profile.map_err(|error| UserError::usage(error.to_string()).hint(error.hint))?;
    let mut path = args.path.clone().unwrap_or_default();
    if path.as_os_str().is_empty() || path.is_dir() {
        path.push("loopbreak.toml");
    }
    if path.file_name().is_some_and(|name| name == "pyproject.toml") {
        return Err(UserError::usage(format!("{} is not only for Loopbreak", path.display()))
            .hint("write a loopbreak.toml, or add [tool.loopbreak] by hand"));
    }
    let text = if args.all { full_starter_file(profile) } else { starter_file(profile) };
    write(&path, &text, args.force)?;
    eprint_line!("wrote {}", path.display());
    Ok(exit::DONE)
}

fn write(path: &Path, text: &str, force: bool) -> Result<(), UserError> {
    let failed = |error| UserError::failed(format!("cannot write {}: {error}", path.display()));
    if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) {
        // A link may come with a cloned repository, and lead anywhere.
        return Err(UserError::usage(format!("{} is a link; nothing was written", path.display()))
            .hint("name the file that it leads to, or remove the link"));
    }
    if force {
        return write_file_atomically(path, |out| out.write_all(text.as_bytes())).map_err(failed);
    }
    let created = OpenOptions::new().write(true).create_new(true).open(path);
    created.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => UserError::usage(format!("{} already exists", path.display()))
            .hint("to overwrite it, add --force; to check it, run `loopbreak config check`"),
        _ => failed(error),
    })
}
