//! Adds a rule to the configuration of a project.

use std::fs;
use std::path::{Path, PathBuf};

use loopbreak::settings::AllowRule;
use loopbreak_config::AllowRuleEdit;

use crate::error::UserError;
use crate::output;
use crate::store::warn;
use crate::trust_list::{is_fully_used, trust_present_content};

/// Adds a rule to the configuration that applies in a folder, or creates one. Returns its path.
pub(super) fn save_rule(rule: &AllowRule, folder: &Path) -> Result<PathBuf, UserError> {
    let here = if folder.is_dir() { folder } else { Path::new(".") };
    let edit = AllowRuleEdit::new(rule, here)?;
    if !edit.is_valid {
        let message = format!("cannot add the rule to {}", edit.path.display());
        return Err(UserError::failed(message).hint(format!(
            "the call is allowed in this session; to allow it in all, add by hand:\n{}",
            edit.added
        )));
    }
    // Of a file that applied as a whole, the user knows what is in it.
    let was_used = is_fully_used(here);
    let real = fs::canonicalize(&edit.path).unwrap_or_else(|_| edit.path.clone());
    output::write_file(&real, edit.text.as_bytes())?;
    if was_used {
        trust_present_content(&real)?;
    } else {
        let name = edit.path.display();
        warn(&format!("{name} has more that needs your trust: look at it, and run `loopbreak config trust`"));
    }
    Ok(edit.path)
}
