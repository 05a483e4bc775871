// The filters: a search, and chips with counts for verdict, project, model and agent. A time and a loop are added by a click
// on the chart or on a loop.
const CHIPS = 8;
const UNKNOWN = "unknown";

const FACETS = [
  { id: "verdict", name: "Verdict", of: (run) => [run.v], order: ["stop", "warn", "clear"] },
  { id: "project", name: "Project", of: (run) => [run.project || UNKNOWN] },
  { id: "model", name: "Model", of: (run) => (run.mo?.length ? run.mo : [UNKNOWN]) },
  { id: "agent", name: "Agent", of: (run) => [run.fmt] },
];

class Facets {
  constructor(runs, changed) {
    [this.runs, this.changed] = [runs, changed];
    [this.text, this.time, this.loop] = ["", null, null];
    this.facets = FACETS.map((facet) => this.facet(facet)).filter((facet) => facet.chips.size > 1);
    this.extra = el("div", { class: "facet", role: "group", "aria-label": "Selected time and loop" });
    this.clear = el("button", { type: "button", class: "reset", hidden: true, onclick: () => this.reset() }, "Clear all filters");
    const input = (event) => { this.text = event.target.value.trim().toLowerCase(); this.changed(); };
    this.input = el("input", { type: "search", id: "find", placeholder: "run, project, prompt, model, finding", oninput: input });
    this.node = el("form", { class: "filters", role: "search", "aria-label": "Filter the runs", onsubmit: (event) => event.preventDefault() },
      el("label", {}, "Find ", this.input), this.facets.map((facet) => facet.node), this.extra, this.clear);
  }

  facet(facet) {
    const totals = new Map();
    for (const run of this.runs) for (const value of facet.of(run)) totals.set(value, (totals.get(value) || 0) + 1);
    const place = (value) => (facet.order ? facet.order.indexOf(value) : -totals.get(value));
    const values = [...totals.keys()].sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1));
    const chips = new Map(values.map((value) => [value, this.chip(facet, value)]));
    const nodes = [...chips.values()].map((chip) => chip.node);
    const rest = nodes.slice(CHIPS);
    rest.forEach((node) => { node.hidden = true; });
    const more = rest.length > 0 && el("button", { type: "button", class: "chip more", "aria-expanded": "false", onclick: (event) => {
      rest.forEach((node) => { node.hidden = false; });
      event.target.remove();
      nodes[CHIPS].focus();
    } }, `+${count(rest.length)} more`);
    const node = el("div", { class: "facet", role: "group", "aria-label": facet.name, "data-facet": facet.id },
      el("span", { class: "facet-name", "aria-hidden": "true" }, facet.name), nodes, more);
    return { ...facet, chips, node, wanted: new Set() };
  }

  chip(facet, value) {
    const number = el("span", { class: "number" });
    const press = () => {
      const { wanted } = this.facets.find((one) => one.id === facet.id);
      if (!wanted.delete(value)) wanted.add(value);
      this.changed();
    };
    const node = el("button", { type: "button", class: "chip", "aria-pressed": "false", "data-value": value, onclick: press },
      el("span", { class: facet.id === "verdict" ? `verdict ${value}` : "log" }, value), " ", number);
    return { node, number };
  }

  reset() {
    this.facets.forEach((facet) => facet.wanted.clear());
    [this.text, this.time, this.loop, this.input.value] = ["", null, null, ""];
    this.changed();
    this.input.focus();
  }

  get active() {
    return Boolean(this.text || this.time || this.loop) || this.facets.some((facet) => facet.wanted.size > 0);
  }

  // The runs that pass all filters but one.
  select(except) {
    const { text, time: range, loop } = this;
    const facets = this.facets.filter((facet) => facet.id !== except && facet.wanted.size > 0);
    return this.runs.filter((run) => (!text || run.text.includes(text))
      && facets.every((facet) => facet.of(run).some((value) => facet.wanted.has(value)))
      && (!range || except === "time" || (run.at && run.at[0] >= range.from && run.at[0] < range.to))
      && (!loop || except === "loop" || (run.lp || []).some((one) => one[0] === loop.index)));
  }

  // Shows for each chip how many runs it would leave.
  draw() {
    for (const facet of this.facets) {
      const left = new Map();
      for (const run of this.select(facet.id)) for (const value of facet.of(run)) left.set(value, (left.get(value) || 0) + 1);
      for (const [value, chip] of facet.chips) {
        const [number, pressed] = [left.get(value) || 0, facet.wanted.has(value)];
        chip.number.textContent = count(number);
        chip.node.setAttribute("aria-pressed", String(pressed));
        chip.node.classList.toggle("none", number === 0 && !pressed);
      }
    }
    const chip = (name, what, remove) => el("button", { type: "button", class: "chip", "aria-pressed": "true", "aria-label": `${name}: ${what}. Remove`, onclick: () => { remove(); this.changed(); } },
      `${name}: ${what} ×`);
    this.extra.replaceChildren(...[
      this.time && chip("Time", this.time.name, () => { this.time = null; }),
      this.loop && chip("Loop", this.loop.name, () => { this.loop = null; }),
    ].filter(Boolean));
    this.clear.hidden = !this.active;
  }
}
