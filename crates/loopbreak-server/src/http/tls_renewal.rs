//! Takes renewed certificates into use without a restart.

use std::convert::Infallible;
use std::path::Path;
use std::time::SystemTime;

use super::tls_files::TlsFiles;
use super::tls_identity::TlsIdentity;

/// Tells whether a file has changed: its time, its length, and on Unix its number, which a file that was moved into its
/// place has not.
type CertificateStamp = Option<(SystemTime, u64, u64)>;

/// Reads the files again when they change, and when the program gets the signal `SIGHUP`.
#[derive(Debug)]
pub(crate) struct TlsRenewal {
    identity: TlsIdentity,
    files: TlsFiles,
    stamps: [CertificateStamp; 2],
    #[cfg(unix)]
    hangups: Option<tokio::signal::unix::Signal>,
}

impl TlsRenewal {
    /// Begins to look at the files. From now on, `SIGHUP` does not end the program.
    pub(crate) fn new(identity: TlsIdentity, files: TlsFiles) -> Self {
        TlsRenewal {
            identity,
            stamps: stamps(&files),
            files,
            #[cfg(unix)]
            hangups: tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup()).ok(),
        }
    }

    /// Renews the certificate for ever.
    pub(crate) async fn run(mut self) -> Infallible {
        loop {
            let is_asked = self.wait().await;
            let (identity, files, old) = (self.identity.clone(), self.files.clone(), self.stamps);
            // The files may lie in a folder that answers slowly.
            let looked = tokio::task::spawn_blocking(move || {
                let new = stamps(&files);
                if is_asked || new != old {
                    // A failure is said once. The next change, such as that of the key after that of its certificate, is another try.
                    match identity.renew(&files) {
                        Ok(()) => (files.report)(&format!(
                            "the certificate was read again from {}",
                            files.certificate.display()
                        )),
                        Err(error) => (files.report)(&format!(
                            "warning: {error}; the previous certificate stays in use; {}",
                            error.hint()
                        )),
                    }
                }
                new
            });
            if let Ok(new) = looked.await {
                self.stamps = new;
            }
        }
    }

    /// Waits for the next look. Returns true if somebody asks for it.
    async fn wait(&mut self) -> bool {
        let pause = tokio::time::sleep(self.files.look_time);
        #[cfg(unix)]
        if let Some(hangups) = &mut self.hangups {
            return tokio::select! {
                () = pause => false,
                _ = hangups.recv() => true,
            };
        }
        pause.await;
        false
    }
}

fn stamps(files: &TlsFiles) -> [CertificateStamp; 2] {
    [stamp(&files.certificate), stamp(&files.key)]
}

fn stamp(path: &Path) -> CertificateStamp {
    let metadata = std::fs::metadata(path).ok()?;
    #[cfg(unix)]
    let number = std::os::unix::fs::MetadataExt::ino(&metadata);
    #[cfg(not(unix))]
    let number = 0;
    Some((metadata.modified().ok()?, metadata.len(), number))
}
