//! Errors in the options of a notifier.

use loopbreak_notify::AddressError;

/// An option of a notifier that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotifierError {
    /// The command is empty, or a quote in it is not closed.
    #[error("--exec {0:?}: the command is empty or has an unclosed quote")]
    Command(String),
    /// The option is neither a URL nor one of the known kinds.
    #[error("--notify: unknown kind of notification")]
    UnknownKind,
    /// The address cannot be parsed.
    #[error("--notify: invalid URL")]
    InvalidUrl,
    /// The address has another scheme than `http` or `https`.
    #[error("--notify: the URL must begin with http:// or https://")]
    UnsupportedScheme,
    /// The address needs the feature `https`, which this build does not have.
    #[error("--notify: this build of loopbreak cannot send to https:// URLs")]
    HttpsDisabled,
    /// The system has no program that shows notifications.
    #[error("--notify desktop: the program {0} was not found")]
    DesktopProgramMissing(&'static str),
    /// The desktop of this system cannot be notified.
    #[error("--notify desktop: this system is not supported")]
    DesktopUnsupported,
}

impl From<AddressError> for NotifierError {
    fn from(error: AddressError) -> Self {
        match error {
            AddressError::UnsupportedScheme => NotifierError::UnsupportedScheme,
            AddressError::HttpsDisabled => NotifierError::HttpsDisabled,
            _ => NotifierError::InvalidUrl,
        }
    }
}

impl NotifierError {
    /// Returns what the user can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            NotifierError::Command(_) => None,
            NotifierError::UnknownKind => {
                Some("use a URL such as https://example.com/hook, or slack=URL, ntfy=URL or desktop")
            }
            NotifierError::InvalidUrl | NotifierError::UnsupportedScheme => {
                Some("use the form https://example.com/hook or webhook=https://example.com/hook")
            }
            NotifierError::HttpsDisabled => Some("build it with the feature `https`, or use an http:// URL"),
            NotifierError::DesktopProgramMissing("notify-send") => {
                Some("install it (on Debian: libnotify-bin), or use --exec or a URL")
            }
            NotifierError::DesktopProgramMissing(_) | NotifierError::DesktopUnsupported => {
                Some("use --exec or a URL")
            }
        }
    }
}
