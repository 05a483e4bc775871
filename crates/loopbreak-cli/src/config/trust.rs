//! `loopbreak config trust` and `untrust`: the files of projects that the user has trusted.

use std::io::{self, BufRead as _, IsTerminal as _};
use std::path::{Path, PathBuf};

use loopbreak_config::{ConfigSource, LoadError, TrustedFiles, find_config_file, read_config_file};

use super::args::{TrustArgs, UntrustArgs};
use crate::error::UserError;
use crate::output::printable;
use crate::trust_list::TrustList;
use crate::{config_loading, exit, output};

/// Longest answer that is read, in bytes.
const ANSWER_BYTES: u64 = 1_000;

pub(super) fn run(args: &TrustArgs) -> Result<u8, UserError> {
    let list = TrustList::load()?;
    if args.list {
        output::print(&list.files.render())?;
        return Ok(exit::DONE);
    }
    let (path, source) = find(args.path.as_deref())?;
    let name = printable(&path.display().to_string());
    if list.files.is_trusted(&path, &source) {
        output::print(&format!("{name} is already trusted\n"))?;
        return Ok(exit::DONE);
    }
    let described = TrustedFiles::describe(&source).map_err(|error| {
        config_loading::report(LoadError::Invalid {
            source_file: Some(source.clone()),
            user_file: None,
            error,
        })
    })?;
    output::print(&described)?;
    if !args.yes && !confirm()? {
        output::print("not trusted\n")?;
        return Ok(exit::FAILED);
    }
    list.trust(&path, &source)?;
    output::print(&format!("trusted {name} until it is changed\n"))?;
    Ok(exit::DONE)
}

pub(super) fn untrust(args: &UntrustArgs) -> Result<u8, UserError> {
    let mut list = TrustList::load()?;
    // A file that is gone or broken can be untrusted as well.
    let path = match args.path.as_deref() {
        Some(path) if !path.is_dir() => path.to_owned(),
        folder => find(folder)?.0,
    };
    let name = printable(&path.display().to_string());
    if !list.files.untrust(&path) {
        return Err(UserError::failed(format!("{name} is not trusted"))
            .hint("`loopbreak config trust --list` shows the trusted files"));
    }
    list.save()?;
    output::print(&format!("{name} is not trusted any more\n"))?;
    Ok(exit::DONE)
}

/// Asks the user on the terminal.
fn confirm() -> Result<bool, UserError> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(UserError::usage("nobody is there to confirm, so nothing was trusted")
            .hint("if you have looked at the file, run it again with --yes"));
    }
    output::print("trust it as it is? [y/N] ")?;
    let mut answer = String::new();
    io::Read::take(io::stdin().lock(), ANSWER_BYTES)
        .read_line(&mut answer)
        .map_err(|error| UserError::failed(format!("cannot read the answer: {error}")))?;
    Ok(["y", "yes"].contains(&answer.trim().to_lowercase().as_str()))
}

/// Finds the file that the user means.
fn find(path: Option<&Path>) -> Result<(PathBuf, ConfigSource), UserError> {
    let folder = match path {
        Some(path) if !path.is_dir() => return Ok((path.to_owned(), read_config_file(path)?)),
        folder => folder.unwrap_or(Path::new(".")),
    };
    let source = find_config_file(folder)?.ok_or_else(|| {
        UserError::usage(format!("no configuration file found in {} or above it", folder.display()))
            .hint("`loopbreak config init` writes one")
    })?;
    Ok((PathBuf::from(&source.name), source))
}
