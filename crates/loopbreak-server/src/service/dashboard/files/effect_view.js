// What the guard changes: guarded runs compared with those that were only observed.

import { readAll } from "./api.js";
import { card, el, show, table } from "./dom.js";
import { count, money, plural } from "./words.js";

/** Pages of 500 runs that are compared. */
const PAGES = 4;

/** The mean of figures and its standard error. */
export function mean(figures) {
  const n = figures.length;
  const average = figures.reduce((sum, figure) => sum + figure, 0) / n;
  const spread = figures.reduce((sum, figure) => sum + (figure - average) ** 2, 0) / Math.max(n - 1, 1);
  return { average, error: Math.sqrt(spread / n) };
}

/** The difference of two means with its 95 % interval, or null if there are too few figures. */
export function difference(guarded, observed) {
  if (guarded.length < 2 || observed.length < 2) return null;
  const [a, b] = [mean(guarded), mean(observed)];
  const width = 1.96 * Math.hypot(a.error, b.error);
  const value = a.average - b.average;
  return { guarded: a.average, observed: b.average, value, from: value - width, to: value + width };
}

export async function effectView(place) {
  const runs = (await readAll("/v1/runs", "runs", {}, PAGES)).filter((run) => run.held_out !== null);
  const observed = runs.filter((run) => run.held_out);
  const guarded = runs.filter((run) => !run.held_out);
  const rows = [
    ["Steps in loops", "wasted_steps", (n) => n.toFixed(1)],
    ["Cost in loops", "wasted_cost", (n) => (n < 0 ? "-" : "") + (money(Math.abs(n)) === "–" ? "$0.00" : money(Math.abs(n)))],
    ["Steps", "steps", (n) => n.toFixed(1)],
  ].map(([title, key, text]) => ({ title, text, by: difference(guarded.map((run) => run[key]), observed.map((run) => run[key])) }));
  const enough = rows.every((row) => row.by !== null);
  show(place,
    el("h1", {}, "Effect"),
    el("p", {}, "With ", el("code", {}, "policy.holdout = 0.1"), " a tenth of the runs, chosen by their names, is only observed. The ",
      "difference between these and the guarded runs is what the guard changes."),
    el("dl", { class: "cards" }, card("Guarded runs", count(guarded.length)), card("Observed runs", count(observed.length))),
    enough ? table(`Means per run, over the latest ${plural(runs.length, "run")}`, [
      { title: "Figure", cell: (row) => row.title },
      { title: "Guarded", number: true, cell: (row) => row.text(row.by.guarded) },
      { title: "Observed", number: true, cell: (row) => row.text(row.by.observed) },
      { title: "Difference", number: true, cell: (row) => row.text(row.by.value) },
      { title: "95 % interval", number: true, cell: (row) => `${row.text(row.by.from)} to ${row.text(row.by.to)}` },
    ], rows)
      : el("p", { class: "empty" }, "There are too few runs to compare: at least two guarded and two observed ones are needed."));
  return {};
}
