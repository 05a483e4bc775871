//! The token for the service.

use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use loopbreak_store::open_regular_file;

/// Largest token file that is read, in bytes.
const FILE_BYTES: u64 = 4096;
/// Replacement for the token in a text.
const MASK: &str = "***";

/// The token for the service. It is sent to the service and shown nowhere.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerSecret(String);

impl ServerSecret {
    /// Reads a token from a text and ignores white space around it. Returns a message if it is invalid.
    pub fn new(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("a token has only visible ASCII characters and no spaces".to_owned());
        }
        Ok(ServerSecret(text.to_owned()))
    }

    /// Reads the token from a private file. Returns a message if that fails.
    pub fn read(path: &Path) -> Result<Self, String> {
        let name = path.display();
        let file =
            open_regular_file(path).map_err(|error| format!("cannot read the token file {name}: {error}"))?;
        if is_shared(&file) {
            return Err(format!("other users can read the token file {name}: run `chmod 600` on it"));
        }
        let mut text = String::new();
        file.take(FILE_BYTES)
            .read_to_string(&mut text)
            .map_err(|error| format!("cannot read the token file {name}: {error}"))?;
        ServerSecret::new(&text).map_err(|error| format!("invalid token in {name}: {error}"))
    }

    /// Returns the value of the authorization header.
    pub(crate) fn header(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// Returns a text with the token masked: a server could send it back.
    pub(crate) fn hide_in(&self, text: &str) -> String {
        text.replace(&self.0, MASK)
    }
}

impl fmt::Debug for ServerSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

#[cfg(unix)]
fn is_shared(file: &File) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn is_shared(_: &File) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_not_shown() {
        let secret = ServerSecret::new(" lb_abc \n").unwrap();
        assert_eq!((format!("{secret:?}"), secret.header()), ("***".to_owned(), "Bearer lb_abc".to_owned()));
        assert_eq!(secret.hide_in("no lb_abc here"), "no *** here");
        assert!(ServerSecret::new("two words").is_err() && ServerSecret::new("\n").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_token_file_that_others_can_read_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        std::fs::write(&path, "lb_abc\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(ServerSecret::read(&path).unwrap_err().contains("chmod 600"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(ServerSecret::read(&path).unwrap().header(), "Bearer lb_abc");
        assert!(ServerSecret::read(folder.path()).is_err(), "a folder");
    }
}
