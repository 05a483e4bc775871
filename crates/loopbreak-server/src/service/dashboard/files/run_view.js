// One run: figures, a timeline, and its steps with what was found and said.

import { loopLink, read, readAll, remove, runPath, send } from "./api.js";
import { card, el, show, svg } from "./dom.js";
import { notice } from "./notice.js";
import { isLive, verdict } from "./runs_view.js";
import { ago, count, date, money, percent, tokens } from "./words.js";

/** Steps that are shown at first; the rest follows on demand. */
const SHOWN = 200;
/** Pages of 500 steps that are loaded. */
const PAGES = 20;

export async function runView(place, name) {
  let run;
  let steps = [];
  let all = false;
  const head = el("div");
  const picture = el("div");
  const list = el("ol", { class: "steps" });
  const more = el("div");

  async function act(work, done) {
    try {
      await work();
      notice(done);
      await loadRun();
    } catch (error) {
      notice(error.message);
    }
  }

  async function loadRun() {
    run = await read(runPath(name));
    const stop = () => act(() => send(`${runPath(name)}/stop`, { reason: "stopped from the dashboard" }),
      "The next answer to this run will say stop.");
    const go = () => act(() => send(`${runPath(name)}/stop`, { stop: false }), "The run may continue.");
    const forget = async () => {
      if (!confirm(`Delete everything that is stored of ${name}?`)) return;
      try {
        await remove(runPath(name));
        location.hash = "#/runs";
      } catch (error) {
        notice(error.message);
      }
    };
    show(head,
      el("h1", {}, run.run),
      el("p", {}, verdict(run), isLive(run) ? " · live" : "", ` · ${[run.agent, run.model].filter(Boolean).join(", ") || "unknown agent"} · `,
        el("span", { title: date(run.started) }, `started ${ago(run.started)}`), " · ",
        el("span", { title: date(run.seen) }, `last step ${ago(run.seen)}`), run.stopped ? ` · stopped: ${run.stopped}` : ""),
      run.stop_request ? el("p", { class: "stop" }, `Somebody asked to stop it: ${run.stop_request}`) : null,
      el("div", { class: "bar" },
        run.stop_request ? el("button", { type: "button", onclick: go }, "Let it continue")
          : el("button", { type: "button", class: "danger", onclick: stop }, "Stop the run"),
        el("button", { type: "button", class: "danger", onclick: forget }, "Forget the run")),
      el("dl", { class: "cards" },
        card("Steps", count(run.steps)),
        card("Findings", count(run.findings)),
        card("Tokens", tokens(run.tokens)),
        card("Cost", money(run.cost)),
        card("Steps in loops", run.wasted_steps ? `${count(run.wasted_steps)} (${percent(run.wasted_steps, run.steps)})` : "–"),
        card("Cost in loops", money(run.wasted_cost)),
        card("First warning", run.warned_at ? `turn ${count(run.warned_at)}` : "–")));
  }

  async function loadSteps() {
    const after = steps.at(-1)?.id;
    if (after === undefined) steps = await readAll(`${runPath(name)}/steps`, "entries", {}, PAGES);
    else steps.push(...(await read(`${runPath(name)}/steps`, { limit: 500, cursor: after })).entries);
    draw();
  }

  function draw() {
    show(picture, timeline(steps, (step) => {
      all = true;
      draw();
      const item = document.getElementById(`step-${step.seq}`);
      item?.scrollIntoView({ block: "center" });
      item?.querySelector("summary")?.focus();
    }));
    const shown = all ? steps : steps.slice(-SHOWN);
    const known = new Map([...list.children].map((item) => [item.id, item]));
    list.replaceChildren(...shown.map((step) => known.get(`step-${step.seq}`) ?? stepItem(step)));
    show(more, shown.length < steps.length
      ? el("button", { type: "button", onclick: () => { all = true; draw(); } }, `Show the ${count(steps.length - shown.length)} steps before these`)
      : null);
  }

  show(place, head, el("h2", {}, "Timeline"), picture, el("h2", {}, "Steps"), more, list);
  await loadRun();
  await loadSteps();
  let isOurs = false;
  return {
    entry: (entry) => { isOurs ||= entry.run === name; },
    tick: async () => {
      if (!isOurs) return;
      isOurs = false;
      await loadRun();
      await loadSteps();
    },
  };
}

/** Draws each step as a bar: its height and colour are its verdict. Many steps share a bar, which has the worst of theirs. */
function timeline(steps, open) {
  const bars = Math.min(steps.length, 400);
  if (bars === 0) return el("p", { class: "soft" }, "No steps.");
  const rank = { clear: 0, warn: 1, stop: 2 };
  const worst = Array.from({ length: bars }, () => null);
  steps.forEach((step, index) => {
    const bar = Math.floor((index * bars) / steps.length);
    if (worst[bar] === null || rank[step.verdict] > rank[worst[bar].verdict]) worst[bar] = step;
  });
  const found = steps.filter((step) => step.notable).length;
  return svg("svg", {
    class: "timeline", viewBox: `0 0 ${bars} 44`, preserveAspectRatio: "none", role: "img",
    "aria-label": `${count(steps.length)} steps, something was found in ${count(found)} of them`,
  }, worst.map((step, bar) => {
    const height = [10, 26, 44][rank[step.verdict]];
    return svg("rect", { class: step.verdict, x: bar, y: 44 - height, width: 0.9, height, onclick: () => open(step) },
      svg("title", {}, `step ${step.seq}: ${step.verdict}. ${step.action}`));
  }));
}

function stepItem(step) {
  const { findings = [], advice = [], forUser = [], interventions = [] } = step.answer ?? {};
  const outcome = step.input?.outcome;
  const text = typeof outcome === "string" ? outcome : outcome?.text;
  return el("li", { id: `step-${step.seq}`, class: step.verdict },
    el("span", { title: date(step.at) }, `${step.seq}`),
    el("details", {},
      el("summary", {}, step.action || step.input?.say || step.input?.user || "(no action)"),
      text ? el("pre", {}, text) : null,
      el("pre", {}, JSON.stringify(step.input, null, 1))),
    interventions.length + findings.length > 0 ? el("div", { class: "found" },
      interventions.map((act) => el("div", { class: act.acted === false ? "soft" : ["hint", "warn"].includes(act.intervention) ? "warn" : "stop" },
        `${act.intervention}${act.acted === false ? " (observed)" : ""}: ${act.reason} `,
        act.loop ? el("a", { href: loopLink(act.loop) }, "this loop") : null)),
      interventions.length === 0 ? findings.map((finding) => el("div", { class: finding.severity },
        `${finding.severity}: ${finding.pattern.replaceAll("_", " ")} since turn ${finding.since} `,
        finding.loop ? el("a", { href: loopLink(finding.loop) }, "this loop") : null)) : null,
      [...advice, ...forUser].map((said) => el("div", { class: "soft" }, `said: ${said}`))) : null);
}
