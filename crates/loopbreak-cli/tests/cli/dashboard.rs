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

/// Waits until something on the server is so.
fn wait_until(is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn the_page_of_a_loop_follows_it_and_takes_every_decision() {
    let home = folder();
    let server = ServedApi::start(home.path(), &["--no-token"]);
    for _ in 0..4 {
        server.steps(&repeated("first"));
    }
    let id = server.get("/v1/loops")["loops"][0]["loop"].as_str().unwrap().to_owned();
    let mut browser = TestBrowser::open_address(&format!("http://{}/", server.address), home.path());
    go(&mut browser, &format!("#/loops/{id}"));
    wait_for_text(&mut browser, "Runs with this loop");
    wait_for(&mut browser, "document.querySelectorAll('main tbody tr').length === 1");

    // Another run with the same loop appears without a reload.
    for _ in 0..4 {
        server.steps(&repeated("second"));
    }
    wait_for(&mut browser, "document.querySelectorAll('main tbody tr').length === 2");

    // Each decision reaches the server, and the page shows it.
    for (button, state) in
        [("Mute", "muted"), ("Fixed", "fixed"), ("Allow", "allowed"), ("Open again", "open")]
    {
        press(&mut browser, button);
        wait_for(
            &mut browser,
            &format!("document.querySelector('main p').textContent.startsWith('{state},')"),
        );
        assert_eq!(server.get(&format!("/v1/loops/{id}"))["state"], state);
    }
    // The link leads to the run, and back to the loop.
    browser.eval(
        "[...document.querySelectorAll('main tbody a')].find((a) => a.textContent === 'second').click()",
    );
    wait_for_text(&mut browser, "Timeline");
    wait_for(&mut browser, &format!("document.querySelector('main a[href$=\"/loops/{id}\"]')"));
}

#[test]
fn the_overview_shows_alerts_and_compares_projects() {
    let home = folder();
    let config = home.path().join("config/loopbreak");
    std::fs::create_dir_all(&config).unwrap();
    let rule = "[[alert]]\nname = 'expensive <b>day</b>'\nkind = 'cost_per_day'\nthreshold = 0.5\n\
                webhook = 'http://127.0.0.1:1/secret'\n";
    std::fs::write(config.join("loopbreak.toml"), rule).unwrap();
    let server = ServedApi::start(home.path(), &["--no-token"]);
    for _ in 0..4 {
        server.steps(&repeated("job"));
        let step = repeated("elsewhere").to_string();
        let headers = ["Content-Type: application/json", "Loopbreak-Project: web"];
        assert_eq!(server.request("POST", "/v1/steps", &headers, &step).status, 200);
    }
    let mut browser = TestBrowser::open_address(&format!("http://{}/", server.address), home.path());
    wait_for_text(&mut browser, "Waste per day");
    // It is raised some seconds later, by a thread that stores no event.
    wait_until(|| !server.get("/v1/alerts?projects=all")["alerts"][0]["messages"][0]["error"].is_null());
    wait_for_text(&mut browser, "expensive <b>day</b>");
    wait_for_text(&mut browser, "webhook waiting");
    assert_eq!(browser.eval("document.querySelectorAll('main b').length"), json!(0), "names are texts");
    // The figures are those of one project, and the waste can be compared with that of the others.
    let cards = "document.querySelector('dl.cards').innerText";
    assert!(browser.eval(cards).as_str().unwrap().contains("$1.00"), "{}", browser.eval(cards));
    press(&mut browser, "By project");
    let legend = "[...document.querySelectorAll('ul.legend li')].map((e) => e.textContent).sort().join()";
    wait_for(&mut browser, &format!("{legend} === 'default,web'"));
    assert!(
        browser
            .eval("document.querySelector('svg.chart').getAttribute('aria-label')")
            .as_str()
            .unwrap()
            .contains("by project")
    );
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
