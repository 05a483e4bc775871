//! Writes whole files: either the complete new content is in place afterwards, or the old file is untouched.
//!
//! The content goes into a temporary file in the same folder, which then replaces the target. The temporary
//! name is random and created exclusively: a predictable name could be a link that somebody planted there,
//! for example in a cloned repository, and writing through it would overwrite its target.

use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

/// Writes a whole file. An existing file keeps its mode and its owner; a new one gets the user's default mode.
pub fn write_file_atomically(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    replace(path, fs::metadata(path).ok().as_ref(), fill)
}

/// Writes a copy of an existing file with other content: the copy gets the mode and the owner of the original, so a
/// copy of a private file is private.
pub fn write_copy_atomically(path: &Path, original: &Path, content: &[u8]) -> io::Result<()> {
    let original = fs::metadata(original)?;
    replace(path, Some(&original), |out| out.write_all(content))
}

/// Replaces a file by an empty one, and opens it. Unlike with [`File::create`], a link is not followed. An existing file keeps its
/// mode and its owner.
pub fn replace_with_empty_file(path: &Path) -> io::Result<File> {
    let model = fs::metadata(path).ok();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let temporary = temporary_file(folder.unwrap_or(Path::new(".")), model.is_none())?;
    if let Some(model) = &model {
        keep_owner(temporary.as_file(), model);
        temporary.as_file().set_permissions(model.permissions())?;
    }
    Ok(temporary.persist(path)?)
}

/// Writes a whole file that only its owner can read.
pub fn write_private_file_atomically(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut temporary = temporary_file(folder.unwrap_or(Path::new(".")), false)?;
    temporary.write_all(content)?;
    temporary.as_file().sync_all()?;
    temporary.persist(path)?;
    Ok(())
}

fn replace(
    path: &Path,
    model: Option<&Metadata>,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let temporary = temporary_file(folder.unwrap_or(Path::new(".")), model.is_none())?;
    let mut out = io::BufWriter::new(temporary);
    fill(&mut out)?;
    let temporary = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    if let Some(model) = model {
        keep_owner(temporary.as_file(), model);
        temporary.as_file().set_permissions(model.permissions())?;
    }
    // Without this, a power cut can leave an empty file under the new name.
    temporary.as_file().sync_all()?;
    temporary.persist(path)?;
    Ok(())
}

/// Creates the temporary file. Only its owner can read it until it is complete, unless it becomes a new file,
/// which gets the mode of the umask.
#[cfg(unix)]
fn temporary_file(folder: &Path, is_new: bool) -> io::Result<NamedTempFile> {
    use std::os::unix::fs::PermissionsExt as _;

    let mut builder = tempfile::Builder::new();
    if is_new {
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.prefix(".loopbreak-").tempfile_in(folder)
}

#[cfg(not(unix))]
fn temporary_file(folder: &Path, _is_new: bool) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(".loopbreak-").tempfile_in(folder)
}

/// Gives the file the owner and the group of the one it replaces. Only root may change the owner. For other
/// users this fails if the owner differs, and the file belongs to the user.
#[cfg(unix)]
fn keep_owner(file: &File, model: &Metadata) {
    use std::os::unix::fs::{MetadataExt as _, fchown};

    let _ = fchown(file, Some(model.uid()), Some(model.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_file: &File, _model: &Metadata) {}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) {
        write_file_atomically(path, |out| out.write_all(text.as_bytes())).unwrap();
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        write(&path, "old");
        let failed = write_file_atomically(&path, |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("disk is full"))
        });
        assert!(failed.is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_private_file_stays_private_and_so_does_its_copy() {
        use std::os::unix::fs::PermissionsExt as _;

        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let folder = tempfile::tempdir().unwrap();
        let (path, copy) = (folder.path().join("settings.json"), folder.path().join("copy"));
        fs::write(&path, "secret").unwrap();
        for private in [0o600, 0o640] {
            fs::set_permissions(&path, fs::Permissions::from_mode(private)).unwrap();
            write(&path, "changed");
            write_copy_atomically(&copy, &path, b"secret").unwrap();
            assert_eq!((mode(&path), mode(&copy)), (private, private));
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_private_file_is_private_even_if_it_was_not_before() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trusted.json");
        fs::write(&path, "old").unwrap();
        for _ in 0..2 {
            write_private_file_atomically(&path, b"new").unwrap();
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_new_file_has_the_default_mode_of_the_user() {
        use std::os::unix::fs::PermissionsExt as _;

        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let folder = tempfile::tempdir().unwrap();
        let (ours, plain) = (folder.path().join("ours"), folder.path().join("plain"));
        write(&ours, "x");
        fs::write(&plain, "x").unwrap();
        assert_eq!(mode(&ours), mode(&plain));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_place_of_an_output_is_replaced_and_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (victim, path) = (folder.path().join("bashrc"), folder.path().join("events.jsonl"));
        fs::write(&victim, "alias ll=ls").unwrap();
        std::os::unix::fs::symlink(&victim, &path).unwrap();
        replace_with_empty_file(&path).unwrap().write_all(b"new").unwrap();
        assert_eq!(fs::read_to_string(&victim).unwrap(), "alias ll=ls");
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_under_a_likely_temporary_name_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let victim = folder.path().join("bashrc");
        fs::write(&victim, "alias ll=ls").unwrap();
        let path = folder.path().join("settings.json");
        for planted in ["settings.json.part", ".settings.json.tmp", "settings.json~"] {
            std::os::unix::fs::symlink(&victim, folder.path().join(planted)).unwrap();
        }
        write(&path, "{}");
        assert_eq!(fs::read_to_string(&victim).unwrap(), "alias ll=ls");
        assert!(!fs::symlink_metadata(&path).unwrap().is_symlink());
    }
}
