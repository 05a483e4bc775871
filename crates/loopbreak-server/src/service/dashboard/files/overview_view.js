// What is going on, and what it costs.

import { alertTable } from "./alert_table.js";
import { read } from "./api.js";
import { dayChart } from "./day_chart.js";
import { card, chips, el, show } from "./dom.js";
import { isLive, runTable } from "./runs_view.js";
import { sendView } from "./send_view.js";
import { count, money, percent, plural } from "./words.js";

const DAYS = 30;
/** Number of alerts that are shown. */
const ALERTS = 5;

export async function overviewView(place) {
  let by = "detector";

  async function load() {
    const [{ runs }, { loops }, { usage: everywhere }, { alerts }] = await Promise.all([
      read("/v1/runs", { limit: 20 }),
      read("/v1/loops", { state: "open", limit: 500 }),
      read("/v1/usage", { days: DAYS, projects: "all" }),
      read("/v1/alerts", { limit: ALERTS, projects: "all" }),
    ]);
    if (runs.length === 0) {
      await sendView(place);
      return;
    }
    const sum = (rows, key) => rows.reduce((total, row) => total + row[key], 0);
    // The runs, the loops and the figures are those of one project; waste can be compared with that of the others.
    const usage = everywhere.filter((row) => row.project === runs[0].project);
    const all = usage.filter((row) => row.detector === "");
    const wasted = usage.filter((row) => row.detector !== "");
    const parts = by === "project" ? everywhere.filter((row) => row.detector !== "") : wasted;
    const [spent, lost] = [sum(all, "cost"), sum(wasted, "cost")];
    const live = runs.filter((run) => isLive(run)).length;
    show(place,
      el("h1", {}, "Overview"),
      el("dl", { class: "cards" },
        card("Live runs", count(live) + (live === runs.length ? " or more" : ""), "Runs with a step in the last 5 minutes"),
        card("Open loops", count(loops.length) + (loops.length === 500 ? " or more" : "")),
        card(`Spent in ${DAYS} days`, money(spent), "Cost that the steps name"),
        card("Of it in loops", spent > 0 ? `${money(lost)} (${percent(lost, spent)})` : "–"),
        card("Steps in loops", `${count(sum(wasted, "steps"))} of ${count(sum(all, "steps"))}`)),
      alerts.length > 0 ? [el("h2", {}, "Alerts"), alertTable(alerts)] : null,
      el("h2", {}, "Waste per day"),
      chips("Divide by", [["detector", "By detector"], ["model", "By model"], ["project", "By project"]], by, (value) => { by = value; load(); }),
      parts.length > 0 ? dayChart(parts, by, DAYS)
        : el("p", { class: "soft" }, `No step of the last ${DAYS} days belonged to a loop.`),
      el("h2", {}, "Latest runs"),
      runTable(plural(runs.length, "run"), runs),
      el("p", {}, el("a", { href: "#/runs" }, "All runs")));
  }

  await load();
  return { tick: load };
}
