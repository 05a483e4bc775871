//! The service to ask, from settings and variables of the environment.

use std::path::{Path, PathBuf};
use std::time::Duration;

use loopbreak::settings::ServerSettings;

use crate::server_address::{ServerAddress, ServerAddressError};
use crate::server_secret::ServerSecret;

/// Environment variable with the address of the service.
pub const SERVER_VARIABLE: &str = "LOOPBREAK_SERVER";
/// Environment variable with the token for it.
pub const SERVER_TOKEN_VARIABLE: &str = "LOOPBREAK_TOKEN";
/// Environment variable with the time in which it has to answer, in milliseconds.
pub const SERVER_TIMEOUT_VARIABLE: &str = "LOOPBREAK_SERVER_TIMEOUT";

/// Bounds of the time for an answer.
const LEAST_TIME: Duration = Duration::from_millis(10);
const MOST_TIME: Duration = Duration::from_secs(10);

/// The service to ask.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerOptions {
    /// Its address.
    pub address: ServerAddress,
    /// The token for it.
    pub secret: Option<ServerSecret>,
    /// Time in which it has to answer.
    pub timeout: Duration,
    /// File with the only certificates that are trusted.
    pub ca_file: Option<PathBuf>,
}

/// The reason why a service cannot be asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ServerOptionsError {
    /// The address cannot be used.
    #[error(transparent)]
    Address(#[from] ServerAddressError),
    /// The token cannot be used.
    #[error("{0}")]
    Token(String),
    /// The path of a file is not absolute.
    #[error("server.{option} has to be an absolute path, or begin with ~/")]
    RelativePath {
        /// The option.
        option: &'static str,
    },
    /// The file with certificates cannot be used.
    #[error("{0}")]
    Certificates(String),
}

impl ServerOptions {
    /// Creates options for a service at an address.
    pub fn new(address: ServerAddress) -> Self {
        let timeout = Duration::from_millis(ServerSettings::default().timeout.millis);
        ServerOptions { address, secret: None, timeout, ca_file: None }
    }

    /// Combines the settings with variables of the environment, which have priority. Returns `None` if no service is named. An
    /// empty `LOOPBREAK_SERVER` names none either.
    pub fn find(
        settings: &ServerSettings,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Option<Self>, ServerOptionsError> {
        let named = variable(SERVER_VARIABLE);
        let url = named.as_deref().unwrap_or(&settings.url).trim();
        if url.is_empty() {
            return Ok(None);
        }
        let address = ServerAddress::parse(url, settings.plain_http)?;
        let home = variable("HOME");
        let path = |option, text: &str| absolute(option, text, home.as_deref());
        let secret = match variable(SERVER_TOKEN_VARIABLE).filter(|token| !token.trim().is_empty()) {
            Some(token) => Some(ServerSecret::new(&token).map_err(|error| {
                ServerOptionsError::Token(format!("invalid token in {SERVER_TOKEN_VARIABLE}: {error}"))
            })?),
            None => path("token_file", &settings.token_file)?
                .map(|file| ServerSecret::read(&file).map_err(ServerOptionsError::Token))
                .transpose()?,
        };
        let millis = variable(SERVER_TIMEOUT_VARIABLE).and_then(|time| time.trim().parse().ok());
        let timeout = Duration::from_millis(millis.unwrap_or(settings.timeout.millis));
        let timeout = timeout.clamp(LEAST_TIME, MOST_TIME);
        Ok(Some(ServerOptions { address, secret, timeout, ca_file: path("ca_file", &settings.ca_file)? }))
    }
}

/// Returns the path of a file that is named in the user's settings. The folder of a hook is that of the agent.
fn absolute(
    option: &'static str,
    text: &str,
    home: Option<&str>,
) -> Result<Option<PathBuf>, ServerOptionsError> {
    if text.is_empty() {
        return Ok(None);
    }
    let path = match (text.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => Path::new(home).join(rest),
        _ => PathBuf::from(text),
    };
    if path.is_absolute() { Ok(Some(path)) } else { Err(ServerOptionsError::RelativePath { option }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(
        settings: &ServerSettings,
        variables: &[(&str, &str)],
    ) -> Result<Option<ServerOptions>, ServerOptionsError> {
        ServerOptions::find(settings, &|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn variables_have_priority_over_settings_and_an_empty_address_names_no_service() {
        let mut settings = ServerSettings::default();
        assert!(find(&settings, &[]).unwrap().is_none());
        settings.url = "http://127.0.0.1:1".to_owned();
        let options = find(&settings, &[]).unwrap().unwrap();
        assert_eq!((options.address.as_str(), options.timeout.as_millis()), ("http://127.0.0.1:1", 150));
        let variables = [
            (SERVER_VARIABLE, "http://127.0.0.1:2"),
            (SERVER_TOKEN_VARIABLE, "abc"),
            (SERVER_TIMEOUT_VARIABLE, "400"),
        ];
        let options = find(&settings, &variables).unwrap().unwrap();
        assert_eq!((options.address.as_str(), options.timeout.as_millis()), ("http://127.0.0.1:2", 400));
        assert!(options.secret.is_some());
        assert!(find(&settings, &[(SERVER_VARIABLE, "")]).unwrap().is_none());
    }

    #[test]
    fn files_have_absolute_paths() {
        let settings = ServerSettings {
            url: "http://127.0.0.1:1".to_owned(),
            ca_file: "~/ca.pem".to_owned(),
            ..ServerSettings::default()
        };
        let options = find(&settings, &[("HOME", "/home/x")]).unwrap().unwrap();
        assert_eq!(options.ca_file.as_deref(), Some(Path::new("/home/x/ca.pem")));
        let settings = ServerSettings { ca_file: "ca.pem".to_owned(), ..settings };
        assert_eq!(find(&settings, &[]).unwrap_err(), ServerOptionsError::RelativePath { option: "ca_file" });
    }
}
