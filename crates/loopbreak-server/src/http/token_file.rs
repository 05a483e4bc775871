//! The file with the token that the server makes up itself. Only its owner can read it.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use super::bearer_token::BearerToken;

/// Number of random bytes in a token.
const RANDOM_BYTES: usize = 32;
/// Longest file that is read, in bytes.
const FILE_BYTES: u64 = 4096;

impl BearerToken {
    /// Reads a token from a file that the user wrote. Returns a message if that fails.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = read_text(path)
            .map_err(|error| format!("cannot read the token file {}: {error}", path.display()))?;
        BearerToken::new(&text).map_err(|error| format!("invalid token in {}: {error}", path.display()))
    }

    /// Reads the token from a private file, and writes a new one first if there is none. A file that other users can read
    /// or write is replaced, because they may know its token. Returns a message if that fails.
    pub fn read_or_create(path: &Path) -> Result<Self, String> {
        let failed = |error: io::Error| format!("cannot write the token file {}: {error}", path.display());
        if !is_private(path) {
            match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
                _ => write_new(path).map_err(failed)?,
            }
        }
        BearerToken::read(path)
    }
}

fn read_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(FILE_BYTES).read_to_string(&mut text)?;
    Ok(text)
}

/// Returns whether a file is there, and nobody but the user can read or write it.
fn is_private(path: &Path) -> bool {
    let Ok(metadata) = fs::symlink_metadata(path) else { return false };
    #[cfg(unix)]
    let is_private =
        matches!(std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o777, 0o400 | 0o600);
    #[cfg(not(unix))]
    let is_private = true;
    metadata.is_file() && is_private
}

/// Writes a new token. If another process was faster, its token stays.
fn write_new(path: &Path) -> io::Result<()> {
    let mut random = [0; RANDOM_BYTES];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    let mut token = String::new();
    for byte in random {
        let _ = write!(token, "{byte:02x}");
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Temporary files are private from the start.
    let mut file = tempfile::Builder::new().prefix(".loopbreak-").tempfile_in(folder)?;
    writeln!(file, "{token}")?;
    file.as_file().sync_all()?;
    match file.persist_noclobber(path) {
        Err(error) if error.error.kind() != io::ErrorKind::AlreadyExists => Err(error.error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_made_up_once_and_only_its_owner_can_read_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mcp-token");
        let token = BearerToken::read_or_create(&path).unwrap();
        assert_eq!(BearerToken::read_or_create(&path).unwrap().expose(), token.expose());
        assert!(token.expose().len() == 64 && token.expose().bytes().all(|byte| byte.is_ascii_hexdigit()));
        let other = BearerToken::read_or_create(&folder.path().join("other")).unwrap();
        assert_ne!(other.expose(), token.expose());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "no temporary file is left");
        #[cfg(unix)]
        assert_eq!(
            std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&path).unwrap().permissions()) & 0o777,
            0o600
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_token_that_others_may_know_is_replaced_and_a_link_is_not_followed() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mcp-token");
        let known = "0123456789abcdef0123456789abcdef";
        fs::write(&path, known).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert_ne!(BearerToken::read_or_create(&path).unwrap().expose(), known);
        let (link, target) = (folder.path().join("link"), folder.path().join("target"));
        fs::write(&target, known).unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o600)).unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        assert_ne!(BearerToken::read_or_create(&link).unwrap().expose(), known);
        assert_eq!(fs::read_to_string(&target).unwrap(), known);
    }

    #[test]
    fn a_file_without_an_end_is_not_read_to_its_end() {
        #[cfg(unix)]
        assert!(
            BearerToken::read(Path::new("/dev/zero")).unwrap_err().contains("invalid token in /dev/zero")
        );
        let folder = tempfile::tempdir().unwrap();
        let error = BearerToken::read(&folder.path().join("none")).unwrap_err();
        assert!(error.starts_with("cannot read the token file "), "{error}");
    }
}
