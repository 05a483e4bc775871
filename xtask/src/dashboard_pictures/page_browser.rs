//! A browser that takes pictures: Chromium, controlled through a pipe with its debugging protocol. Its option `--screenshot` cannot
//! tell when a page is done that follows events for ever.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::chore_failure::ChoreFailure;

/// Longest time until a page is done.
const PATIENCE: Duration = Duration::from_mins(1);
/// Time for figures that follow the first ones.
const SETTLE: Duration = Duration::from_secs(1);

/// A page in its own browser. It ends with this value.
pub(super) struct PageBrowser {
    process: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    session: Option<String>,
    sent: u64,
}

impl PageBrowser {
    /// Opens a page in a window of this size.
    pub(super) fn open(
        address: &str,
        (width, height): (u32, u32),
        dark: bool,
        profile: &Path,
    ) -> Result<Self, ChoreFailure> {
        // The browser reads commands from its third pipe and answers on its fourth.
        let mut process = Command::new("sh")
            .args(["-c", "exec chromium \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", "sh"])
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
            ])
            .args(["--disable-background-networking", "--disable-sync", "--disable-component-update"])
            .args(["--hide-scrollbars", "--remote-debugging-pipe"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| ChoreFailure::io("start the browser", &error))?;
        let (Some(to), Some(from)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(ChoreFailure::Failed("the browser has no pipes".to_owned()));
        };
        let from = BufReader::new(from);
        let mut browser = PageBrowser { process, to, from, session: None, sent: 0 };
        let target = browser.call("Target.createTarget", &json!({"url": "about:blank"}))?;
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let session = browser.call("Target.attachToTarget", &attach)?;
        browser.session = session["sessionId"].as_str().map(str::to_owned);
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        browser.call("Emulation.setDeviceMetricsOverride", &size)?;
        let scheme = if dark { "dark" } else { "light" };
        let media = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        browser.call("Emulation.setEmulatedMedia", &media)?;
        browser.call("Page.navigate", &json!({"url": address}))?;
        Ok(browser)
    }

    /// Takes a picture when an expression is true in the page.
    pub(super) fn picture(&mut self, is_done: &str) -> Result<Vec<u8>, ChoreFailure> {
        let started = Instant::now();
        loop {
            let asked = json!({"expression": is_done, "returnByValue": true});
            if self.call("Runtime.evaluate", &asked)?["result"]["value"] == true {
                break;
            }
            if started.elapsed() > PATIENCE {
                return Err(ChoreFailure::Failed(format!("{is_done} is not true in the page")));
            }
            sleep(Duration::from_millis(50));
        }
        sleep(SETTLE);
        let taken = self.call("Page.captureScreenshot", &json!({"format": "png"}))?;
        let png = taken["data"].as_str().and_then(decode_base64);
        png.ok_or_else(|| ChoreFailure::Failed("the browser took no picture".to_owned()))
    }

    fn call(&mut self, method: &str, params: &Value) -> Result<Value, ChoreFailure> {
        self.sent += 1;
        let mut message = json!({"id": self.sent, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let failed = |error| ChoreFailure::io("talk to the browser", &error);
        self.to.write_all(format!("{message}\0").as_bytes()).map_err(failed)?;
        loop {
            let mut answer = Vec::new();
            self.from.read_until(0, &mut answer).map_err(failed)?;
            if answer.pop().is_none() {
                return Err(ChoreFailure::Failed("the browser has ended".to_owned()));
            }
            let answer: Value = serde_json::from_slice(&answer)
                .map_err(|error| ChoreFailure::Failed(format!("{method}: {error}")))?;
            if answer["id"] == self.sent {
                if answer["error"].is_null() {
                    return Ok(answer["result"].clone());
                }
                return Err(ChoreFailure::Failed(format!("{method}: {}", answer["error"])));
            }
        }
    }
}

impl Drop for PageBrowser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Decodes base64 with padding. Returns `None` if the text is not that.
fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for group in text.trim_end_matches('=').as_bytes().chunks(4) {
        let mut bits = 0_u32;
        for byte in group {
            bits = bits << 6 | u32::from(value(*byte)?);
        }
        bits <<= 6 * (4 - group.len());
        bytes.extend(&bits.to_be_bytes()[1..group.len()]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_decoded_with_and_without_padding() {
        for (text, expected) in
            [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob")]
        {
            assert_eq!(decode_base64(text).unwrap(), expected.as_bytes(), "{text}");
        }
        assert!(decode_base64("Z*==").is_none());
    }
}
