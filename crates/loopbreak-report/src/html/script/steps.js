// What Loopbreak would have done, in words.
const INTERVENTIONS = {
  hint: "would give a hint", warn: "would warn", penalize: "would lower the score of the action", reject: "would refuse the call", force_next: "would move on to the next task",
  unblock_authority: "would allow the agent to go around its blockers", escalate: "would call a human", stop: "would stop the run",
};
const would = (flag) => INTERVENTIONS[flag.i] || "found";

// The steps of a run that the page has. A loop is one row that opens; what Loopbreak would have said stands between the steps.
class Steps {
  constructor(run, data, chosen) {
    [this.run, this.data, this.chosen] = [run, data, chosen];
    this.rows = new Map();
    this.byOwn = new Map(data.steps.map((step) => [`${step.g || 0}:${step.i}`, step]));
    this.byTurn = new Map();
    for (const step of data.steps) if (!this.byTurn.has(step.t)) this.byTurn.set(step.t, step);
    this.items = foldSteps(data);
    this.list = el("ol", { class: "steps", "aria-label": "Steps" });
    this.list.addEventListener("keydown", (event) => this.key(event));
    const folds = this.items.filter((item) => !item.step);
    this.all = el("button", { type: "button", hidden: !folds.length, onclick: () => this.toggleAll() }, "Open all");
    this.node = el("div", {}, el("div", { class: "tools" }, this.all), this.list);
    this.fill();
    const main = mainItem(this.items, run);
    if (main) this.toggleFold(main, true);
    const first = (main && main.button) || this.buttons()[0];
    if (first) first.tabIndex = 0;
  }

  // Flags and gaps belong to the item whose step comes next; those after the last step stand at the end.
  fill() {
    const flags = [...this.data.flags];
    let next = 0;
    const before = (step, to) => {
      const parts = this.between(next, step.n, flags);
      next = step.n + 1;
      to.push(...parts);
    };
    const parts = [];
    for (const item of this.items) {
      if (item.step) {
        before(item.step, parts);
        parts.push(this.row(item.step));
        continue;
      }
      // What stands between the steps of a fold is made when it is opened.
      parts.push(...this.between(next, item.steps[0].n, flags));
      next = item.steps[0].n;
      item.inside = item.steps.map((step) => {
        const plan = { from: next, step, flags: [] };
        while (flags.length && flags[0].n < step.n) plan.flags.push(flags.shift());
        next = step.n + 1;
        return plan;
      });
      // A flag of its last step belongs to the fold too.
      item.after = [];
      while (flags.length && flags[0].n < next) item.after.push(flags.shift());
      parts.push(this.fold(item));
    }
    parts.push(...this.between(next, this.data.records, flags), ...flags.flatMap((flag) => this.flag(flag)));
    this.list.append(...parts);
  }

  fold(item) {
    const flags = [...item.inside.flatMap((plan) => plan.flags), ...item.after];
    const [first, last] = [item.steps[0], item.steps[item.steps.length - 1]];
    const band = item.band === undefined ? null : this.data.bands[item.band];
    const end = flags.find((flag) => flag.z);
    const button = el("button", { type: "button", "aria-expanded": "false", tabindex: "-1", onclick: () => this.toggleFold(item) });
    if (band) {
      const cost = bandCost(band, this.run);
      add(button, [el("span", { class: "times", title: roundText(band) }, band.r ? `×${count(rounds(band))}` : "↻"),
        el("span", { class: "what" }, el("strong", {}, turnsOf(first.t, last.t)), !band.r && el("span", { class: "tag" }, roundText(band)), cost && el("span", { class: "tag" }, cost),
          el("span", { class: "tag" }, words(band.d)), " ", el("span", { class: "log" }, band.y),
          flags.length > 0 && el("span", { class: "dim" }, ` — ${plural(flags.length, "flag")} inside`),
          end && el("strong", { class: "stop" }, ` ${would(end)} at turn ${count(end.t)}`))]);
    } else {
      const progress = new Set(this.data.marks.map((mark) => mark.t));
      const better = item.steps.filter((step) => progress.has(step.t)).length;
      add(button, [el("span", { class: "times" }, "…"), el("span", { class: "what dim" }, `${turnsOf(first.t, last.t)}: ${plural(item.steps.length, "step")} without a loop${better ? `, ${count(better)} of them with progress` : ""}`)]);
    }
    const kind = !band ? "quiet" : band.s === "hard" ? "loop hard" : "loop";
    item.node = el("li", { class: `fold ${kind}`, "data-turn": first.t, "data-band": item.band }, button);
    item.button = button;
    return item.node;
  }

  toggleFold(item, isOpen = item.button.getAttribute("aria-expanded") !== "true") {
    item.button.setAttribute("aria-expanded", String(isOpen));
    if (!isOpen) {
      const inside = item.node.contains(document.activeElement);
      item.node.querySelector(".inside").hidden = true;
      if (inside) rove(this.buttons(), this.buttons().indexOf(item.button));
    } else if (item.node.querySelector(".inside")) item.node.querySelector(".inside").hidden = false;
    else {
      const parts = item.inside.flatMap(({ from, step, flags }) => [...this.between(from, step.n, [...flags]), this.row(step)]);
      const band = item.band === undefined ? null : this.data.bands[item.band];
      item.node.append(el("div", { class: "inside" }, band && differences(item, band),
        el("ol", { class: "steps", "aria-label": turnsOf(item.steps[0].t, item.steps[item.steps.length - 1].t) }, parts, item.after.flatMap((flag) => this.flag(flag)))));
    }
    this.labelAll();
  }

  labelAll() {
    const isOpen = this.items.every((item) => item.step || item.button.getAttribute("aria-expanded") === "true");
    this.all.textContent = isOpen ? "Fold all" : "Open all";
  }

  toggleAll() {
    const isOpen = this.all.textContent === "Open all";
    for (const item of this.items) if (!item.step) this.toggleFold(item, isOpen);
  }

  // What is left out between two steps, and the flags that belong before the second.
  between(from, to, flags) {
    const parts = [];
    while (flags.length && flags[0].n < from) parts.push(...this.flag(flags.shift()));
    if (to > from) parts.push(el("li", { class: "gap" }, `… ${plural(to - from, "step")} not kept here …`));
    while (flags.length && flags[0].n < to) parts.push(...this.flag(flags.shift()));
    return parts;
  }

  flag(flag) {
    const facts = (flag.f || []).map(([name, value]) => [el("dt", {}, name), el("dd", { class: "log" }, value)]);
    const effect = { went_on: "The loop continued.", changed_course: "The loop stopped on its own.", ended: "The run ended soon after." }[flag.w];
    const parts = [el("li", { class: flag.s === "hard" ? "said hard" : "said", "data-turn": flag.t },
      el("p", {}, el("strong", {}, `${would(flag)} at turn ${count(flag.t)}`, flag.b && " (observed)"), ": ", el("span", { class: "log" }, flag.y), el("span", { class: "tag" }, words(flag.d))),
      facts.length > 0 && el("dl", {}, facts),
      flag.a && el("blockquote", {}, el("b", {}, "to the agent"), el("span", { class: "log" }, flag.a)),
      effect && el("p", { class: "dim" }, effect))];
    if (flag.z) {
      const after = this.run.s ? `${plural(this.run.s, "step")} came after this` : "nothing came after this";
      const late = this.run.d === true ? ", with progress" : this.run.d === false ? ", without progress" : "";
      const what = flag.i === "escalate" ? "A human would have been called here" : "The run would have been stopped here";
      parts.push(el("li", { class: "ending", id: "ending" }, `${what}: ${after}${late}`));
    }
    return parts;
  }

  // The first loop of a step that has rounds says the most.
  round(step) {
    const bands = (step.l || []).map((index) => this.data.bands[index]).filter(Boolean);
    const band = bands.find((one) => one.r) || bands[0];
    if (!band) return null;
    const at = step.i - band.i;
    return { band, round: band.r ? Math.floor(at / band.r) + 1 : null, begins: Boolean(band.r) && at % band.r === 0 };
  }

  row(step) {
    const loop = this.round(step);
    const kind = !loop ? "" : loop.band.s === "hard" ? " loop hard" : " loop";
    const even = loop && loop.round && loop.round % 2 === 0 ? " even" : "";
    const agent = step.g ? this.data.agents[step.g] : "";
    const did = step.a || (step.u && `user: ${step.u}`) || (step.s && `says: ${step.s}`) || (step.k && `task ${step.k}`) || "";
    const came = step.o || (step.p && `at ${step.p}`) || "";
    const badge = loop && loop.begins ? `round ${loop.round}` : loop && !loop.round && step.r !== undefined ? `= ${count(step.r)}` : "";
    const button = el("button", { type: "button", "aria-expanded": "false", tabindex: "-1" },
      el("span", { class: "turn" }, count(step.t)),
      el("span", { class: "what" },
        badge && el("span", { class: "round", title: words(loop.band.p) }, badge),
        agent && el("span", { class: "agent" }, `${agent} `), step.x && el("span", { class: "dim" }, "refused "),
        el("span", { class: "log" }, oneLine(did)),
        came && el("span", { class: step.e ? "came error log" : "came log" }, did && " → ", oneLine(came.slice(0, 240))),
        step.c !== undefined && el("span", { class: "tag" }, `score ${count(step.c)}`)));
    const item = el("li", { class: `step${kind}${even}`, "data-turn": step.t }, button);
    button.addEventListener("click", () => this.toggle(step, item, button));
    this.rows.set(step.n, { step, item, button });
    return item;
  }

  toggle(step, item, button) {
    const open = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!open));
    if (open) item.querySelector(".whole").remove();
    else {
      item.append(this.whole(step));
      this.chosen(step.t);
    }
  }

  whole(step) {
    const loop = this.round(step);
    const before = loop && loop.band.r ? this.byOwn.get(`${step.g || 0}:${step.i - loop.band.r}`) : this.byTurn.get(step.r);
    const text = (name, value, old) => value && [el("dt", {}, name), el("dd", { class: "log" }, loop ? repeating(value, old) : value)];
    const cost = step.m !== undefined ? amount(step.m, this.run.es) : step.q > 0 && `${rough(step.q)} tokens`;
    const also = [time(step.w ?? NaN), cost, step.e && "failed", step.x && "refused", step.c !== undefined && `score ${step.c}`,
      step.r !== undefined && `the same as turn ${count(step.r)}`,
      loop && `${words(loop.band.p)}${loop.round ? `, round ${loop.round} of ${loop.band.r} ${loop.band.r === 1 ? "step" : "steps"}` : ""}`];
    return el("dl", { class: "whole" }, text("user", step.u), text("says", step.s), text("action", step.a, before && before.a),
      text("outcome", step.o, before && before.o), text("place", step.p), text("task", step.k),
      el("dt", {}, "turn"), el("dd", {}, [count(step.t), ...also.filter(Boolean)].join(" · ")));
  }

  // Opens the step at a turn, or the nearest one, and the fold that it is in.
  open(turn) {
    let best = null;
    for (const step of this.data.steps) if (!best || Math.abs(step.t - turn) < Math.abs(best.t - turn)) best = step;
    if (!best) return;
    const fold = this.items.find((item) => !item.step && item.steps.includes(best));
    if (fold) this.toggleFold(fold, true);
    const row = this.rows.get(best.n);
    if (row.button.getAttribute("aria-expanded") !== "true") row.button.click();
    const all = this.buttons();
    rove(all, all.indexOf(row.button));
    row.item.scrollIntoView({ block: "center", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  }

  // Opens the fold of a loop; of one that is inside others, the fold at its first turn.
  openBand(index) {
    const item = this.items.find((one) => one.band === index);
    if (!item) { this.open(this.data.bands[index].f); return; }
    this.toggleFold(item, true);
    rove(this.buttons(), this.buttons().indexOf(item.button));
    item.node.scrollIntoView({ block: "start" });
  }

  // The buttons of steps and folds that can be seen.
  buttons() {
    return [...this.list.querySelectorAll("li.step > button, li.fold > button")].filter((button) => !button.parentElement.closest("[hidden]"));
  }

  // Arrows go from row to row; in a fold, Escape closes it.
  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const all = this.buttons();
    const at = all.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (event.key === "Escape") {
      const item = this.items.find((one) => one.node?.contains(event.target) && one.button.getAttribute("aria-expanded") === "true");
      if (!item) return;
      this.toggleFold(item, false);
    } else if (at < 0 || to === undefined) return;
    else rove(all, to);
    event.preventDefault();
  }
}

// A text with the part marked that the step one round before has too, at its beginning and at its end.
function repeating(text, old) {
  if (!old) return text;
  let [head, tail] = [0, 0];
  const most = Math.min(text.length, old.length);
  while (head < most && text[head] === old[head]) head += 1;
  while (tail < most - head && text[text.length - 1 - tail] === old[old.length - 1 - tail]) tail += 1;
  const parts = [head && el("mark", {}, text.slice(0, head)), text.slice(head, text.length - tail), tail && el("mark", {}, text.slice(text.length - tail))];
  return parts.filter(Boolean);
}
