// The latest alerts, and what became of the messages about them.

import { loopLink } from "./api.js";
import { el, table } from "./dom.js";
import { ago, date, plural } from "./words.js";

const STATES = { told: "told", waiting: "waiting", failed: "failed" };

/** What became of the messages, in words. */
function told(alert) {
  if (alert.messages.length === 0) return el("span", { class: "soft" }, "not sent");
  return alert.messages.map((message, index) => [
    index > 0 ? ", " : "",
    el("span", {
      class: message.state === "failed" ? "stop" : message.state === "waiting" ? "warn" : "clear",
      title: message.error ?? `${date(message.at)}, ${plural(message.attempts, "attempt")}`,
    }, `${message.form} ${STATES[message.state] ?? message.state}`),
  ]).flat();
}

export function alertTable(alerts) {
  return table(plural(alerts.length, "alert") + ", the latest first", [
    { title: "Time", short: true, cell: (alert) => el("span", { title: date(alert.at) }, ago(alert.at)) },
    { title: "Rule", text: true, cell: (alert) => alert.rule },
    { title: "Project", cell: (alert) => alert.project ?? "all" },
    {
      title: "Reason", text: true,
      cell: (alert) => (alert.loop ? el("a", { href: loopLink(alert.loop) }, alert.reason) : alert.reason),
    },
    { title: "Messages", cell: told },
  ], alerts);
}
