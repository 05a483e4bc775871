//! Files that another user may have written.

use std::path::Path;

/// Returns why a file counts as one of another user, or `None` if only the user and root can have written it. A link is
/// judged by its target, but the folder that holds the link counts as well.
#[cfg(unix)]
pub(crate) fn foreign_reason(path: &Path) -> Option<&'static str> {
    use std::fs;
    use std::os::unix::fs::MetadataExt as _;

    const ROOT: u32 = 0;
    const WORLD_WRITABLE: u32 = 0o002;
    const STICKY: u32 = 0o1000;

    let user = nix::unistd::geteuid().as_raw();
    let is_foreign = |owner: u32| owner != user && owner != ROOT;
    let Ok(file) = fs::metadata(path) else { return Some("its owner is unknown") };
    if is_foreign(file.uid()) {
        return Some("it belongs to another user");
    }
    if file.mode() & WORLD_WRITABLE != 0 {
        return Some("every user may write it");
    }
    let target = fs::canonicalize(path).ok();
    let folders = [path.parent(), target.as_deref().and_then(Path::parent)];
    for folder in folders.into_iter().flatten() {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let Ok(folder) = fs::metadata(folder) else { return Some("the owner of its folder is unknown") };
        // In a sticky folder such as /tmp, nobody can replace the file of another user.
        let is_sticky = folder.mode() & STICKY != 0;
        if is_foreign(folder.uid()) {
            return Some("its folder belongs to another user");
        }
        if folder.mode() & WORLD_WRITABLE != 0 && !is_sticky {
            return Some("every user may write to its folder");
        }
    }
    None
}

/// Other systems have no owners in this sense: no file is foreign.
#[cfg(not(unix))]
pub(crate) fn foreign_reason(_path: &Path) -> Option<&'static str> {
    None
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn a_file_or_folder_that_everybody_may_write_is_foreign() {
        let folder = tempfile::tempdir().unwrap();
        let (inner, link) = (folder.path().join("inner"), folder.path().join("link.toml"));
        fs::create_dir(&inner).unwrap();
        let file = inner.join("loopbreak.toml");
        fs::write(&file, "").unwrap();
        symlink(&file, &link).unwrap();
        let set = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        let reasons = || (foreign_reason(&file), foreign_reason(&link));
        assert_eq!(reasons(), (None, None));
        set(&file, 0o666);
        assert_eq!(reasons(), (Some("every user may write it"), Some("every user may write it")));
        set(&file, 0o664);
        set(&inner, 0o777);
        let reason = Some("every user may write to its folder");
        assert_eq!(reasons(), (reason, reason));
        set(&inner, 0o1777);
        assert_eq!(reasons(), (None, None), "as in /tmp");
        assert!(foreign_reason(&inner.join("none")).is_some());
    }
}
