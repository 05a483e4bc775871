//! The dashboard of `loopbreak serve`, in a real browser.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::browser::TestBrowser;
use crate::support::folder;
use crate::support::served_api::ServedApi;

/// Longest time until something appears, also on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// A call that has the same result each time.
fn repeated(run: &str) -> Value {
    json!({"run": run, "action": {"name": "bash", "args": {"command": "make"}},
           "outcome": "all quiet", "model": "m-1",
           "usage": {"input_tokens": 100, "output_tokens": 10, "cost_usd": 0.25}})
}

/// Waits until an expression is true in the page.
fn wait_for(browser: &mut TestBrowser, expression: &str) {
    let started = Instant::now();
    while browser.eval(&format!("Boolean({expression})")) != json!(true) {
        if started.elapsed() > PATIENCE {
            let text = browser.eval("document.body.innerText");
            panic!("{expression} is not true; the page says {text}");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Waits until the page shows a text.
fn wait_for_text(browser: &mut TestBrowser, text: &str) {
    wait_for(browser, &format!("document.body.innerText.includes({})", json!(text)));
}

/// Opens a view.
fn go(browser: &mut TestBrowser, view: &str) {
    browser.eval(&format!("location.hash = {}", json!(view)));
}

/// Presses the button with a text.
fn press(browser: &mut TestBrowser, text: &str) {
    let button = format!(
        "[...document.querySelectorAll('main button')].find((b) => b.textContent === {})",
        json!(text)
    );
    wait_for(browser, &button);
    browser.eval(&format!("{button}.click()"));
}

#[test]
fn the_first_run_appears_while_it_runs_and_people_decide_about_it() {
    let home = folder();
    let server = ServedApi::start(home.path(), &["--no-token"]);
    let mut browser = TestBrowser::open_address(&format!("http://{}/", server.address), home.path());
    wait_for_text(&mut browser, "Send the first run");
    wait_for_text(&mut browser, &format!("curl http://{}/v1/steps", server.address));

    // It arrives, without a reload.
    for _ in 0..4 {
        server.steps(&repeated("job <img src=x>"));
    }
    wait_for_text(&mut browser, "job <img src=x>");
    assert_eq!(browser.eval("document.images.length"), json!(0), "names are texts");
    wait_for_text(&mut browser, "Open loops");

    // The loop is an issue. Allowing it reaches the guard of the run that is still live.
    go(&mut browser, "#/loops");
    wait_for_text(&mut browser, "Most expensive");
    let id = server.get("/v1/loops")["loops"][0]["loop"].as_str().unwrap().to_owned();
    press(&mut browser, "Allow");
    wait_for_text(&mut browser, "No loop is open.");
    assert_eq!(server.get(&format!("/v1/loops/{id}"))["state"], "allowed");

    // A run that is watched shows the next step, and is stopped.
    server.steps(&json!({"run": "second", "action": "look", "outcome": "a room"}));
    go(&mut browser, "#/runs/second");
    wait_for(&mut browser, "document.querySelectorAll('ol.steps > li').length === 1");
    server.steps(&json!({"run": "second", "action": "open door", "outcome": "it is locked"}));
    wait_for(&mut browser, "document.querySelectorAll('ol.steps > li').length === 2");
    wait_for_text(&mut browser, "open door");
    press(&mut browser, "Stop the run");
    wait_for_text(&mut browser, "Somebody asked to stop it");
    let answer = server.steps(&json!({"run": "second", "action": "wait", "outcome": "nothing"}));
    assert_eq!(answer["verdict"], "stop", "{answer}");
    press(&mut browser, "Let it continue");
    wait_for_text(&mut browser, "Stop the run");

    // Nothing was asked of anybody else.
    let origin = format!("http://{}", server.address);
    let foreign = format!(
        "performance.getEntriesByType('resource').filter((e) => !e.name.startsWith({})).length",
        json!(origin)
    );
    assert_eq!(browser.eval(&foreign), json!(0));
}

#[test]
fn every_view_fits_a_phone_and_can_be_read_aloud() {
    let home = folder();
    let server = ServedApi::start(home.path(), &["--no-token"]);
    for number in 0..3 {
        for _ in 0..4 {
            server.steps(&repeated(&format!("a-run-with-a-long-name-without-any-space-{number}")));
        }
    }
    let mut browser = TestBrowser::open_address(&format!("http://{}/", server.address), home.path());
    browser.resize(390, 800);
    let id = server.get("/v1/loops")["loops"][0]["loop"].as_str().unwrap().to_owned();
    for (view, text) in [
        ("#/", "Waste per day"),
        ("#/runs", "the latest first"),
        ("#/runs/a-run-with-a-long-name-without-any-space-1", "Timeline"),
        ("#/loops", "Most expensive"),
        (&format!("#/loops/{id}"), "Runs with this loop"),
        ("#/effect", "too few runs"),
        ("#/send", "Agents with telemetry"),
    ] {
        go(&mut browser, view);
        wait_for_text(&mut browser, text);
        // A scroll bar takes some of the width of the window.
        let hidden = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
        assert_eq!(browser.eval(hidden), json!(0), "{view}");
        assert_eq!(browser.eval("document.querySelectorAll('h1').length"), json!(1), "{view}");
        let unnamed = "[...document.querySelectorAll('button, a, input, svg[role=img], table')].filter((e) => \
            !(e.textContent.trim() || e.getAttribute('aria-label'))).length";
        assert_eq!(browser.eval(unnamed), json!(0), "{view}: everything has a name");
    }
    // The keyboard reaches the content without passing all links.
    assert_eq!(browser.eval("document.querySelector('a.skip').getAttribute('href')"), json!("#main"));
    assert_eq!(browser.eval("document.querySelectorAll('[aria-current=page]').length"), json!(1));
}
