// Loops over all runs, as issues that people decide about.

import { loopLink, read, runLink, send } from "./api.js";
import { chips, el, show, table } from "./dom.js";
import { notice } from "./notice.js";
import { ago, count, date, money, plural, tokens } from "./words.js";

const STATES = [["open", "Open"], ["allowed", "Allowed"], ["fixed", "Fixed"], ["muted", "Muted"], [undefined, "All"]];
const ORDERS = [["cost", "Most expensive"], ["count", "Most frequent"], ["last_seen", "Latest"]];
const DECISIONS = [
  ["allow", "allowed", "Allow", "Guards let it pass"],
  ["fixed", "fixed", "Fixed", "Its cause was removed; it opens again when it is found again"],
  ["mute", "muted", "Mute", "Guards act on it, and nobody is told"],
  ["open", "open", "Open again", "None of that"],
];

/** The buttons by which somebody decides about a loop. */
export function decisions(issue, decided) {
  const decide = async (action) => {
    try {
      await send(`/v1/loops/${encodeURIComponent(issue.loop)}`, { action });
      notice(`The loop is ${DECISIONS.find(([name]) => name === action)[1]} now.`);
      await decided();
    } catch (error) {
      notice(error.message);
    }
  };
  return el("div", { class: "bar", role: "group", "aria-label": "Decide about this loop" },
    DECISIONS.filter(([, state]) => state !== issue.state).map(([action, , label, hint]) =>
      el("button", { type: "button", title: hint, onclick: () => decide(action) }, label)));
}

export async function loopsView(place) {
  let state = "open";
  let order = "cost";
  const filters = el("div");
  const list = el("div", { "aria-live": "polite" });

  async function load() {
    const { loops } = await read("/v1/loops", { state, order, limit: 200 });
    show(filters,
      chips("State", STATES, state, (value) => { state = value; load(); }),
      chips("Order", ORDERS, order, (value) => { order = value; load(); }));
    if (loops.length === 0) {
      show(list, el("p", { class: "empty" }, state ? `No loop is ${state}.` : "No loops were found yet."));
      return;
    }
    show(list, table(plural(loops.length, "loop"), [
      {
        title: "Loop", text: true, cell: (issue) => [
          el("a", { href: loopLink(issue.loop) }, issue.reason || issue.pattern), el("br"),
          el("code", { class: "soft" }, issue.action.slice(0, 160)),
        ],
      },
      { title: "Severity", cell: (issue) => el("span", { class: issue.severity }, issue.severity) },
      { title: "Found", number: true, cell: (issue) => count(issue.count) },
      { title: "Runs", number: true, cell: (issue) => count(issue.runs) },
      { title: "Cost", number: true, cell: (issue) => money(issue.cost) },
      { title: "Tokens", number: true, cell: (issue) => tokens(issue.tokens) },
      { title: "Tool and model", cell: (issue) => [issue.tool, issue.model].filter(Boolean).join(", ") || "–" },
      { title: "First seen", cell: (issue) => el("span", { title: date(issue.first_seen) }, ago(issue.first_seen)) },
      { title: "Last seen", cell: (issue) => [
        el("span", { title: date(issue.last_seen) }, ago(issue.last_seen)),
        issue.last_run ? [" in ", el("a", { href: runLink(issue.last_run) }, issue.last_run)] : null,
      ].flat() },
      { title: "State", cell: (issue) => [issue.state, decisions(issue, load)] },
    ], loops));
  }

  show(place, el("h1", {}, "Loops"), filters, list);
  await load();
  return { tick: load };
}
