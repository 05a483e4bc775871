// The list of runs.

import { read, runLink } from "./api.js";
import { chips, el, show, table } from "./dom.js";
import { ago, count, date, money, percent, plural, tokens } from "./words.js";

const LIVE_MS = 5 * 60 * 1000;
const CHOICES = [[undefined, "All"], ["warn", "Warned or stopped"], ["stop", "Stopped"]];

/** The verdict of a run in a word, with its colour. */
export function verdict(run) {
  const text = run.stop_request ? "stop asked" : run.held_out ? `${run.verdict} (held out)` : run.verdict;
  return el("span", { class: `verdict ${run.verdict}` }, text);
}

/** Whether a run had a step in the last minutes. */
export function isLive(run, now = Date.now()) {
  return now - run.seen < LIVE_MS;
}

export function runTable(caption, runs) {
  return table(caption, [
    { title: "Verdict", cell: verdict },
    { title: "Run", text: true, cell: (run) => el("a", { href: runLink(run.run) }, run.run) },
    { title: "Agent and model", cell: (run) => [run.agent, run.model].filter(Boolean).join(", ") || "–" },
    { title: "Last step", cell: (run) => el("span", { title: date(run.seen) }, isLive(run) ? "live, " : "", ago(run.seen)) },
    { title: "Steps", number: true, cell: (run) => count(run.steps) },
    { title: "Tokens", number: true, cell: (run) => tokens(run.tokens) },
    { title: "Cost", number: true, cell: (run) => money(run.cost) },
    {
      title: "In loops", number: true,
      cell: (run) => (run.wasted_steps ? `${money(run.wasted_cost)} (${percent(run.wasted_steps, run.steps)} of steps)` : "–"),
    },
  ], runs);
}

export async function runsView(place) {
  let chosen;
  let text = "";
  let pages = 1;
  const list = el("div", { "aria-live": "polite" });
  const filters = el("div");
  const search = el("input", {
    type: "search", placeholder: "Part of a name", "aria-label": "Search runs by name",
    oninput: () => { text = search.value; pages = 1; load(); },
  });
  let asked = 0;

  async function load() {
    const question = ++asked;
    const runs = [];
    let cursor;
    for (let page = 0; page < pages; page += 1) {
      const answer = await read("/v1/runs", { limit: 100, verdict: chosen, q: text, cursor });
      runs.push(...answer.runs);
      cursor = answer.next ?? undefined;
      if (cursor === undefined) break;
    }
    // A later question has been answered already.
    if (question !== asked) return;
    show(filters, chips("Verdict", CHOICES, chosen, (value) => { chosen = value; pages = 1; load(); }));
    const more = cursor === undefined ? null
      : el("button", { type: "button", onclick: () => { pages += 1; load(); } }, "Show more");
    show(list, runs.length > 0 ? runTable(`${plural(runs.length, "run")}, the latest first`, runs) : nothing(), more);
  }

  const nothing = () => el("p", { class: "empty" },
    text || chosen ? "No run matches. " : "There are no runs yet. ",
    el("a", { href: "#/send" }, "How to send one"));

  show(place, el("h1", {}, "Runs"), el("div", { class: "bar" }, filters, search), list);
  await load();
  return { tick: load };
}
