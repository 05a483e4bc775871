//! A browser for tests: Chromium, controlled through a pipe with its debugging protocol.

#![allow(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A page in its own browser.
pub(crate) struct TestBrowser {
    process: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    session: Option<String>,
    sent: u64,
}

impl TestBrowser {
    /// Opens a page at this fragment. The browser keeps all its files in the folder.
    pub(crate) fn open(page: &Path, fragment: &str, folder: &Path) -> Self {
        TestBrowser::open_address(&format!("file://{}{fragment}", page.display()), folder)
    }

    /// Opens the page at an address.
    pub(crate) fn open_address(address: &str, folder: &Path) -> Self {
        // The browser reads commands from its third pipe and answers on its fourth.
        let mut process = Command::new("sh")
            .args(["-c", "exec chromium \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", "sh"])
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--remote-debugging-pipe",
            ])
            .arg("--window-size=1200,900")
            .arg(format!("--user-data-dir={}", folder.join("profile").display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (to, from) = (process.stdin.take().unwrap(), BufReader::new(process.stdout.take().unwrap()));
        let mut browser = TestBrowser { process, to, from, session: None, sent: 0 };
        let target = browser.call("Target.createTarget", &json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let session = browser.call("Target.attachToTarget", &attach);
        browser.session = session["sessionId"].as_str().map(str::to_owned);
        browser.call("Page.enable", &json!({}));
        browser.call("Page.navigate", &json!({"url": address}));
        // The page exists from here on. Load events do not help, because the blank page before it causes them
        // too.
        browser.eval("document.readyState === 'complete' || new Promise((done) => addEventListener('load', () => done(true)))");
        // Rendered at least once.
        browser.eval("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))");
        browser
    }

    fn read(&mut self) -> Value {
        let mut message = Vec::new();
        self.from.read_until(0, &mut message).unwrap();
        assert!(
            !message.is_empty(),
            "the browser `chromium` does not start or has died; `cargo xtask ci` installs it"
        );
        message.pop();
        serde_json::from_slice(&message).unwrap()
    }

    fn call(&mut self, method: &str, params: &Value) -> Value {
        self.sent += 1;
        let mut message = json!({"id": self.sent, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.to.write_all(message.to_string().as_bytes()).unwrap();
        self.to.write_all(&[0]).unwrap();
        loop {
            let answer = self.read();
            if answer["id"] == self.sent {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
        }
    }

    /// Evaluates an expression in the page.
    pub(crate) fn eval(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let result = self.call("Runtime.evaluate", &params);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {result}");
        result["result"]["value"].clone()
    }

    /// Makes the window as wide and as high as this, in CSS pixels, and waits until the page has been drawn again.
    pub(crate) fn resize(&mut self, width: u32, height: u32) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", &size);
        self.wait();
    }

    /// Waits for effects of an action, such as a new address.
    pub(crate) fn wait(&mut self) {
        self.eval("new Promise((done) => setTimeout(() => requestAnimationFrame(() => setTimeout(done))))");
    }

    /// Presses and releases a key.
    pub(crate) fn key(&mut self, key: &str) {
        let text = match key {
            "Enter" => "\r",
            key if key.len() == 1 => key,
            _ => "",
        };
        let code = match key {
            "Tab" => 9,
            "Enter" => 13,
            "Escape" => 27,
            "End" => 35,
            "Home" => 36,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            _ => 0,
        };
        for kind in ["keyDown", "keyUp"] {
            let mut params = json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code});
            if kind == "keyDown" && !text.is_empty() {
                params["text"] = json!(text);
            }
            self.call("Input.dispatchKeyEvent", &params);
        }
        self.wait();
    }
}

impl Drop for TestBrowser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
