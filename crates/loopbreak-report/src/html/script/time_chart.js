// What was spent over time: a bar per day, week or month, in parts by project, model or agent. A click on a bar selects its time.
const DAY = 86400000;
const PARTS = 5;
const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];

// How the spans of bars are named, where they begin, and where the next one begins. All times are UTC.
const SPANS = {
  day: { begin: (at) => Math.floor(at / DAY) * DAY, next: (at) => at + DAY },
  // The first of January 1970 was a Thursday; weeks begin on Mondays.
  week: { begin: (at) => Math.floor((at / DAY + 3) / 7) * 7 * DAY - 3 * DAY, next: (at) => at + 7 * DAY },
  month: { begin: (at) => Date.UTC(new Date(at).getUTCFullYear(), new Date(at).getUTCMonth()), next: (at) => Date.UTC(new Date(at).getUTCFullYear(), new Date(at).getUTCMonth() + 1) },
  year: { begin: (at) => Date.UTC(new Date(at).getUTCFullYear(), 0), next: (at) => Date.UTC(new Date(at).getUTCFullYear() + 1, 0) },
};
// Times in logs may be wrong: those far from all others must not make a million bars.
const LONGEST = 100 * 365 * DAY;
const LATEST = 8e15;

function spanName(span, at) {
  const date = new Date(at);
  const [month, year] = [MONTHS[date.getUTCMonth()], date.getUTCFullYear()];
  if (span === "year") return String(year);
  if (span === "month") return `${month} ${year}`;
  return `${span === "week" ? "week of " : ""}${date.getUTCDate()} ${month} ${year}`;
}

// The unit that the report can be measured in: dollars, tokens where nothing is priced, or steps.
function unitOf(runs) {
  const isEstimate = runs.some((run) => run.es);
  if (runs.some((run) => run.c !== undefined)) {
    return { id: "dollars", loops: (run) => run.lu || 0, all: (run) => run.c || 0, show: (value) => amount(value, isEstimate && value > 0), axis: (value, step) => `$${value.toFixed(step >= 1 ? 0 : step >= 0.01 ? 2 : 4)}` };
  }
  if (runs.some((run) => run.k > 0)) return { id: "tokens", loops: (run) => run.lk || 0, all: (run) => run.k || 0, show: (value) => `${rough(value)} tokens`, axis: (value) => rough(value) };
  return { id: "steps", loops: (run) => run.ls || 0, all: (run) => run.n, show: (value) => plural(value, "step"), axis: (value) => rough(value) };
}

class TimeChart {
  // The runs of the report, the values that parts can be made of, and what to do with the time of a bar.
  constructor(runs, parts, pick) {
    [this.parts, this.pick] = [parts, pick];
    this.unit = unitOf(runs);
    const times = runs.filter((run) => run.at && Math.abs(run.at[0]) < LATEST).map((run) => run.at[0]);
    this.node = el("section", { class: "chart", "aria-labelledby": "time-h" });
    if (!times.length) { this.node.hidden = true; return; }
    this.last = times.reduce((high, at) => Math.max(high, at), -Infinity);
    this.first = times.filter((at) => at > this.last - LONGEST).reduce((low, at) => Math.min(low, at), Infinity);
    this.untimed = runs.filter((run) => !this.has(run)).length;
    const days = (this.last - this.first) / DAY;
    this.span = days <= 45 ? "day" : days <= 400 ? "week" : days <= 3700 ? "month" : "year";
    [this.by, this.measure] = [parts[0]?.id, runs.some((run) => this.unit.loops(run) > 0) ? "loops" : "all"];
    this.title = el("h2", { id: "time-h" });
    this.canvas = el("div", { class: "bars" });
    this.said = el("p", { class: "dim" });
    this.legend = el("ul", { class: "legend", "aria-label": "Colours" });
    this.node.append(this.title, this.controls(), this.canvas, this.said, this.legend);
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.shown && this.draw(this.shown, this.range)).observe(this.canvas);
  }

  has(run) { return Boolean(run.at) && run.at[0] >= this.first && run.at[0] <= this.last; }

  // Buttons of which one is pressed.
  choice(name, options, get, set) {
    const buttons = options.map(([id, text]) => el("button", { type: "button", "aria-pressed": String(get() === id), "data-choice": id, onclick: () => {
      set(id);
      buttons.forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.choice === get())));
      this.draw(this.shown, this.range);
    } }, text));
    return el("span", { class: "choice", role: "group", "aria-label": name }, buttons);
  }

  controls() {
    return el("div", { class: "tools" },
      this.choice("What is measured", [["loops", "in loops"], ["all", "everything"]], () => this.measure, (id) => { this.measure = id; }),
      this.parts.length > 1 && this.choice("Parts of a bar", this.parts.map((part) => [part.id, `by ${part.name.toLowerCase()}`]), () => this.by, (id) => { this.by = id; }));
  }

  // The values with their sums, and the bars with theirs.
  sum(runs) {
    const part = this.parts.find((one) => one.id === this.by);
    const nameOf = (run) => (part ? part.of(run)[0] : "all runs");
    const value = this.unit[this.measure];
    const names = new Map();
    for (const run of runs) if (this.has(run)) names.set(nameOf(run), (names.get(nameOf(run)) || 0) + value(run));
    const order = [...names].filter(([, sum]) => sum > 0).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([name]) => name);
    const shown = order.length > PARTS + 1 ? order.slice(0, PARTS) : order;
    const others = order.length - shown.length;
    const { begin, next } = SPANS[this.span];
    const bars = new Map();
    for (let at = begin(this.first); at <= this.last; at = next(at)) bars.set(at, { at, to: next(at), runs: 0, sum: 0, parts: new Array(shown.length + 1).fill(0) });
    for (const run of runs) {
      if (!this.has(run)) continue;
      const bar = bars.get(begin(run.at[0]));
      const index = shown.indexOf(nameOf(run));
      bar.runs += 1;
      bar.sum += value(run);
      bar.parts[index < 0 ? shown.length : index] += value(run);
    }
    return { bars: [...bars.values()], names: others ? [...shown, `${others} others`] : shown };
  }

  draw(runs, range) {
    [this.shown, this.range] = [runs, range];
    if (this.node.hidden) return;
    const width = this.canvas.clientWidth;
    if (!width) return;
    const { bars, names } = this.sum(runs);
    const what = this.measure === "loops" ? "Spent in loops" : "Spent";
    this.title.textContent = `${this.unit.id === "steps" ? what.replace("Spent", "Steps") : what} per ${this.span}`;
    const [left, right, top, high] = [width < 560 ? 58 : 84, 8, 20, 150];
    const most = Math.max(...bars.map((bar) => bar.sum), 0);
    const step = niceStep(most / 3, this.unit.id !== "dollars");
    const ceiling = Math.max(Math.ceil(most / step), 1) * step;
    const up = (value) => top + high - (value / ceiling) * high;
    const wide = (width - left - right) / bars.length;
    const axisName = { dollars: "US dollars", tokens: "tokens", steps: "steps" }[this.unit.id];
    const svg = shape("svg", { width, height: top + high + 24, viewBox: `0 0 ${width} ${top + high + 24}`, role: "group", "aria-label": `${this.title.textContent}, in ${axisName}. Arrow keys move from bar to bar, Enter selects one.` },
      shape("text", { class: "name", x: left, y: 11 }, axisName));
    for (let value = 0; value <= ceiling * 1.001; value += step) {
      svg.append(shape("path", { class: value ? "grid" : "axis", d: `M${left} ${up(value).toFixed(1)}H${width - right}` }),
        shape("text", { class: "tick", x: left - 6, y: up(value) + 4, "text-anchor": "end" }, this.unit.axis(value, step)));
    }
    const every = Math.ceil(58 / wide);
    bars.forEach((bar, index) => {
      const x = left + index * wide;
      if (index % every === 0) svg.append(shape("text", { class: "tick", x: x + Math.min(wide / 2, 20), y: top + high + 16, "text-anchor": "middle" }, this.tick(bar.at)));
      if (bar.runs) svg.append(this.bar(bar, names, x + Math.min(wide * 0.1, 4), Math.max(Math.min(wide * 0.8, 60), 1), up, top, high));
    });
    const focused = this.canvas.contains(document.activeElement) && document.activeElement.dataset.at;
    this.canvas.replaceChildren(svg);
    const all = this.all();
    const current = all.find((one) => one.dataset.at === focused);
    if (current) current.focus({ preventScroll: true });
    const stop = current || all.find((one) => one.getAttribute("aria-pressed") === "true") || all[all.length - 1];
    if (stop) stop.setAttribute("tabindex", "0");
    const legend = names.length > 1 ? names.map((name, index) => el("li", {}, el("i", { class: `part-${index}` }), el("span", { class: "log" }, name))) : [];
    if (bars.some((bar) => bar.runs && !bar.sum)) legend.push(el("li", {}, el("i", { class: "nothing" }), this.measure === "loops" ? "runs without loops" : "runs without a cost"));
    this.legend.replaceChildren(...legend);
    this.rest = this.sentence(runs);
    this.said.textContent = this.rest;
  }

  // A bar. Its name says all, so that nothing depends on colours or a mouse.
  bar(bar, names, x, width, up, top, high) {
    const { show } = this.unit;
    const kind = this.measure === "loops" ? " in loops" : "";
    const most = bar.parts.indexOf(Math.max(...bar.parts));
    const mainly = names.length > 1 && bar.sum > 0 ? `, most of it ${names[most]} (${show(bar.parts[most])})` : "";
    const name = `${spanName(this.span, bar.at)}: ${show(bar.sum)}${kind}, ${plural(bar.runs, "run")}${mainly}`;
    const pressed = Boolean(this.range && this.range.from === bar.at);
    const group = shape("g", { class: this.range && !pressed ? "bar other" : "bar", role: "button", tabindex: "-1", "aria-pressed": String(pressed), "aria-label": name, "data-at": String(bar.at) },
      shape("title", {}, name), shape("rect", { class: "hit", x, y: top, width, height: high }));
    let from = 0;
    bar.parts.forEach((part, index) => {
      if (!part) return;
      const y = up(from + part);
      group.append(shape("rect", { class: `part-${index}`, x, y, width, height: Math.max(up(from) - y, 0.5) }));
      from += part;
    });
    // A day with runs and no waste is good news, and has to be seen too.
    if (!from) group.append(shape("rect", { class: "nothing", x, y: top + high - 2, width, height: 2 }));
    const choose = () => this.pick(pressed ? null : { from: bar.at, to: bar.to, name: spanName(this.span, bar.at) });
    group.addEventListener("click", choose);
    group.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      choose();
    });
    for (const event of ["mouseenter", "focus"]) group.addEventListener(event, () => { this.said.textContent = name; });
    for (const event of ["mouseleave", "blur"]) group.addEventListener(event, () => { this.said.textContent = this.rest; });
    return group;
  }

  all() { return [...this.canvas.querySelectorAll(".bar")]; }

  key(event) {
    const all = this.all();
    const at = all.indexOf(document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (at < 0 || to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    rove(all, to);
  }

  tick(at) {
    const date = new Date(at);
    const month = MONTHS[date.getUTCMonth()].slice(0, 3);
    if (this.span === "year") return String(date.getUTCFullYear());
    return this.span === "month" ? `${month} ${String(date.getUTCFullYear()).slice(2)}` : `${date.getUTCDate()} ${month}`;
  }

  // Is it getting better? The last seven days beside the seven before, if the logs reach that far back.
  sentence(runs) {
    const parts = [];
    const end = SPANS.day.next(SPANS.day.begin(this.last));
    if (end - this.first > 14 * DAY - DAY) {
      const within = (from, to) => {
        const some = runs.filter((run) => run.at && run.at[0] >= from && run.at[0] < to);
        return [some.reduce((sum, run) => sum + this.unit.loops(run), 0), some.reduce((sum, run) => sum + this.unit.all(run), 0)];
      };
      const [[now, all], [before, allBefore]] = [within(end - 7 * DAY, end), within(end - 14 * DAY, end - 7 * DAY)];
      const share = (part, whole) => (whole ? ` (${percent(part, whole)} %)` : "");
      parts.push(`Last 7 days: ${this.unit.show(now)} in loops${share(now, all)}; the 7 days before: ${this.unit.show(before)}${share(before, allBefore)}.`);
    }
    if (this.unit.id === "dollars") {
      const unpriced = runs.filter((run) => this.has(run) && run.c === undefined && run.k > 0).length;
      if (unpriced) parts.push(`${plural(unpriced, "run")} without a price ${unpriced === 1 ? "counts" : "count"} as $0 here.`);
    }
    if (this.untimed) parts.push(`${plural(this.untimed, "run")} without a usable time ${this.untimed === 1 ? "is" : "are"} not here.`);
    parts.push("Times are UTC. Click a bar to see only its runs.");
    return parts.join(" ");
  }
}

// The distance of the lines of an axis: 1, 2 or 5 times a power of ten.
function niceStep(rough, isWhole) {
  if (!(rough > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough * 0.999);
  return isWhole ? Math.max(Math.round(step), 1) : step;
}
