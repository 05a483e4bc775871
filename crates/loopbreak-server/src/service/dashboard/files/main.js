// The view that the address names, kept up to date by the events of the server.

import { follow } from "./api.js";
import { el, show } from "./dom.js";
import { effectView } from "./effect_view.js";
import { loopView } from "./loop_view.js";
import { loopsView } from "./loops_view.js";
import { notice } from "./notice.js";
import { overviewView } from "./overview_view.js";
import { runView } from "./run_view.js";
import { runsView } from "./runs_view.js";
import { sendView } from "./send_view.js";

// Each view is a function that gets the place to draw in and the rest of the address. It returns an object with `entry`, which is
// called for each event, and `tick`, which is called at most once a second after events.
const VIEWS = { "": overviewView, runs: runsView, loops: loopsView, effect: effectView, send: sendView };
const DETAILS = { runs: runView, loops: loopView };

const main = document.getElementById("main");
let view = {};
let changed = false;

async function open() {
  const [name, ...rest] = location.hash.replace(/^#\/?/, "").split("/");
  const detail = rest.length > 0 ? decodeURIComponent(rest.join("/")) : "";
  const make = (detail ? DETAILS[name] : VIEWS[name]) ?? overviewView;
  const shown = name === "" ? "overview" : name;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.dataset.view === shown) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const place = el("div");
  const opened = { place };
  view = opened;
  try {
    const made = await make(place, detail);
    if (view !== opened) return;
    Object.assign(view, made);
  } catch (error) {
    show(place, el("div", { class: "empty", role: "alert" }, error.message));
  }
  show(main, place);
  document.title = `${place.querySelector("h1")?.textContent ?? "Loopbreak"} – Loopbreak`;
}

// The address names the view, so the link to the content must not change it.
document.querySelector("a.skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", () => { open().then(() => main.focus()); });
// Other servers raise alerts, and times pass, without an event.
setInterval(() => { changed = true; }, 15_000);
setInterval(() => {
  if (!changed) return;
  changed = false;
  Promise.resolve(view.tick?.()).catch((error) => notice(error.message));
}, 1000);
follow(
  (entry) => { changed = true; view.entry?.(entry); },
  (isOpen) => { document.getElementById("connection").textContent = isOpen ? "live" : "connecting…"; },
);
open();
