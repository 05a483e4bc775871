// The steps of a run that the page has, with loops marked and what Loopbreak would have said between them.
class Steps {
  constructor(run, data, chosen) {
    [this.run, this.data, this.chosen] = [run, data, chosen];
    this.rows = new Map();
    this.buttons = [];
    this.byOwn = new Map(data.steps.map((step) => [`${step.g || 0}:${step.i}`, step]));
    this.node = el("ol", { class: "steps", "aria-label": "Steps" });
    this.node.addEventListener("keydown", (event) => this.key(event));
    this.fill();
  }

  fill() {
    const flags = [...this.data.flags];
    let next = 0;
    const parts = [];
    for (const step of this.data.steps) {
      parts.push(...this.between(next, step.n, flags));
      parts.push(this.row(step));
      next = step.n + 1;
    }
    parts.push(...this.between(next, this.data.records, flags));
    this.node.append(...parts);
    if (this.buttons.length) this.buttons[0].tabIndex = 0;
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
      el("p", {}, el("strong", {}, words(flag.i || "found"), flag.b && " (observed)"), ` ${flag.d}: `, el("span", { class: "log" }, flag.y)),
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
      el("span", { class: "round", title: loop ? `${words(loop.band.p)} (${loop.band.d})` : null }, badge),
      el("span", { class: "what" },
        agent && el("span", { class: "agent" }, `${agent} `), step.x && el("span", { class: "dim" }, "refused "),
        el("span", { class: "log" }, oneLine(did)),
        came && el("span", { class: step.e ? "came error log" : "came log" }, did && " → ", oneLine(came.slice(0, 240))),
        step.c !== undefined && el("span", { class: "tag" }, `score ${count(step.c)}`)));
    const item = el("li", { class: `step${kind}${even}`, "data-turn": step.t }, button);
    button.addEventListener("click", () => this.toggle(step, item, button));
    this.rows.set(step.t, { step, item, button });
    this.buttons.push(button);
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
    const before = loop && loop.band.r ? this.byOwn.get(`${step.g || 0}:${step.i - loop.band.r}`) : this.rows.get(step.r)?.step;
    const text = (name, value, old) => value && [el("dt", {}, name), el("dd", { class: "log" }, loop ? repeating(value, old) : value)];
    const also = [time(step.w ?? NaN), step.e && "failed", step.x && "refused", step.c !== undefined && `score ${step.c}`,
      step.r !== undefined && `the same as turn ${count(step.r)}`,
      loop && `${words(loop.band.p)} (${loop.band.d})${loop.round ? `, round ${loop.round} of ${loop.band.r} ${loop.band.r === 1 ? "step" : "steps"}` : ""}`];
    return el("dl", { class: "whole" }, text("user", step.u), text("says", step.s), text("action", step.a, before && before.a),
      text("outcome", step.o, before && before.o), text("place", step.p), text("task", step.k),
      el("dt", {}, "turn"), el("dd", {}, [count(step.t), ...also.filter(Boolean)].join(" · ")));
  }

  // Opens the step at a turn, or the nearest one.
  open(turn) {
    let best = null;
    for (const row of this.rows.values()) {
      if (!best || Math.abs(row.step.t - turn) < Math.abs(best.step.t - turn)) best = row;
    }
    if (!best) return;
    if (best.button.getAttribute("aria-expanded") !== "true") best.button.click();
    this.focus(this.buttons.indexOf(best.button));
    best.item.scrollIntoView({ block: "center", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  }

  focus(index) {
    const button = this.buttons[Math.min(Math.max(index, 0), this.buttons.length - 1)];
    this.buttons.forEach((other) => { other.tabIndex = -1; });
    button.tabIndex = 0;
    button.focus({ preventScroll: true });
    button.scrollIntoView({ block: "nearest" });
  }

  // One stop for the tab key, and arrows from step to step.
  key(event) {
    const at = this.buttons.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: this.buttons.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    this.focus(to);
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
