// One loop, with the runs in which it was found.

import { read } from "./api.js";
import { card, el, show } from "./dom.js";
import { decisions } from "./loops_view.js";
import { runTable } from "./runs_view.js";
import { ago, count, date, money, plural, tokens } from "./words.js";

export async function loopView(place, id) {
  async function load() {
    const [issue, { runs }] = await Promise.all([
      read(`/v1/loops/${encodeURIComponent(id)}`),
      read("/v1/runs", { loop: id, limit: 100 }),
    ]);
    show(place,
      el("h1", {}, issue.reason || issue.pattern),
      el("p", {}, `${issue.state}, found by `, el("code", {}, issue.detector), ` as `, el("code", {}, issue.pattern)),
      issue.action ? el("pre", {}, issue.action) : null,
      decisions(issue, load),
      el("dl", { class: "cards" },
        card("Found", `${count(issue.count)}×`),
        card("Runs", count(issue.runs)),
        card("Steps", count(issue.steps)),
        card("Cost", money(issue.cost), "Cost of its steps"),
        card("Tokens", tokens(issue.tokens)),
        card("First seen", ago(issue.first_seen), date(issue.first_seen)),
        card("Last seen", ago(issue.last_seen), date(issue.last_seen))),
      el("h2", {}, "Runs with this loop"),
      runTable(plural(runs.length, "run"), runs));
  }
  await load();
  return { tick: load };
}
