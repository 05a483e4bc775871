// The same loop over all runs: a row each, which opens the list of its runs, with links to the turn at which it began.
const LOOP_ROWS = 10;
const LOOP_RUNS = 100;

class LoopTable {
  constructor(loops, leftOut, unit, href, choose) {
    Object.assign(this, { loops, leftOut, unit, href, choose, limit: LOOP_ROWS, open: null });
    const isPriced = unit.id === "dollars";
    const columns = [
      { id: "loop", name: "loop", kind: "text", by: (row) => `${row.loop.p} ${row.loop.y}` },
      { id: "runs", name: "runs", kind: "", by: (row) => row.runs.length, show: (row) => count(row.runs.length), down: true },
      { id: "steps", name: "steps", kind: "", by: (row) => row.steps, show: (row) => count(row.steps), down: true },
      unit.id !== "steps" && { id: "cost", name: isPriced ? "cost" : "tokens", kind: "", by: (row) => this.cost(row), show: (row) => this.costText(row), down: true },
      { id: "first", name: "first seen", kind: "some", by: (row) => row.first ?? Infinity, show: (row) => row.first !== undefined && el("time", { datetime: day(row.first) }, day(row.first)) },
      { id: "last", name: "last seen", kind: "some", by: (row) => row.last ?? -Infinity, show: (row) => row.last !== undefined && el("time", { datetime: day(row.last) }, day(row.last)), down: true },
    ].filter(Boolean);
    this.columns = new SortedColumns(columns, unit.id === "steps" ? "steps" : "cost", "loops-by", () => this.draw(this.shown));
    this.body = el("tbody");
    this.body.addEventListener("keydown", (event) => this.key(event));
    this.said = el("p", { class: "dim", role: "status" });
    this.more = el("button", { type: "button", hidden: true, onclick: () => { this.limit += 5 * LOOP_ROWS; this.draw(this.shown); } });
    this.node = el("section", { "aria-labelledby": "loops-h", hidden: !loops.length },
      el("h2", { id: "loops-h" }, "Loops"), this.said,
      el("div", { class: "scroll" }, el("table", { id: "loops" }, el("caption", { class: "hidden" }, "Loops over all selected runs. A row opens the list of its runs."), this.columns.node, this.body)),
      this.more);
  }

  cost(row) { return this.unit.id === "dollars" ? row.usd ?? -1 : row.tokens; }

  costText(row) {
    if (this.unit.id !== "dollars") return row.tokens > 0 && rough(row.tokens);
    return row.usd !== undefined ? amount(row.usd, row.runs.some(({ run }) => run.es)) : row.tokens > 0 && "unpriced";
  }

  // The loops of the selected runs.
  sum(runs) {
    const rows = new Map();
    for (const run of runs) {
      for (const [index, turn, steps, tokens, usd] of run.lp || []) {
        if (!rows.has(index)) rows.set(index, { index, loop: this.loops[index], runs: [], steps: 0, tokens: 0 });
        const row = rows.get(index);
        row.runs.push({ run, turn, steps, tokens, usd });
        row.steps += steps;
        row.tokens += tokens;
        if (usd !== null) row.usd = (row.usd ?? 0) + usd;
        if (run.at) {
          row.first = Math.min(row.first ?? Infinity, run.at[0]);
          row.last = Math.max(row.last ?? -Infinity, run.at[1]);
        }
      }
    }
    return [...rows.values()];
  }

  draw(runs) {
    this.shown = runs;
    if (!this.loops.length) return;
    const rows = this.columns.order(this.sum(runs), (a, b) => b.steps - a.steps || b.runs.length - a.runs.length || a.index - b.index);
    const shown = rows.slice(0, this.limit);
    const focused = this.body.contains(document.activeElement) && document.activeElement.dataset.loop;
    this.body.replaceChildren(...shown.flatMap((row, index) => this.row(row, index)));
    if (focused) this.body.querySelector(`[data-loop="${focused}"]`)?.focus({ preventScroll: true });
    const several = rows.filter((row) => row.runs.length > 1).length;
    const rest = this.leftOut ? ` ${plural(this.leftOut, "cheaper loop")} ${this.leftOut === 1 ? "is" : "are"} not listed.` : "";
    this.said.textContent = `${plural(rows.length, "loop")}, ${count(several)} of them in more than one run. A step counts for one loop.${rest}`;
    this.more.hidden = rows.length <= shown.length;
    this.more.textContent = `Show more loops (${count(rows.length - shown.length)} left)`;
  }

  row(row, index) {
    const isOpen = this.open === row.index;
    const toggle = () => { this.open = isOpen ? null : row.index; this.draw(this.shown); };
    const button = el("button", { type: "button", class: "opens", "aria-expanded": String(isOpen), tabindex: index === 0 ? "0" : "-1", "data-loop": row.index, onclick: toggle },
      el("span", { class: "loop-name" }, words(row.loop.p), row.loop.o && [" · ", el("span", { class: "log" }, row.loop.o)]));
    const cells = this.columns.columns.slice(1).map((column) => el("td", { class: column.kind }, column.show(row)));
    const line = el("tr", {}, el("th", { scope: "row", class: "name" }, button, el("span", { class: "about log" }, row.loop.y)), cells);
    return isOpen ? [line, this.runsOf(row)] : [line];
  }

  runsOf(row) {
    const all = [...row.runs].sort((a, b) => (b.usd ?? 0) - (a.usd ?? 0) || b.steps - a.steps || a.run.index - b.run.index);
    const cost = (one) => (this.unit.id === "dollars" ? one.usd !== null && amount(one.usd, one.run.es) : this.unit.id === "tokens" && one.tokens > 0 && `${rough(one.tokens)} tokens`);
    const item = (one) => el("li", {}, el("a", { href: `${this.href(one.run)}&turn=${one.turn}`, class: "log" }, one.run.id, `, turn ${count(one.turn)}`),
      el("span", { class: "dim log" }, " ", [plural(one.steps, "step"), cost(one), one.run.project, one.run.at && day(one.run.at[0])].filter(Boolean).join(" · ")));
    const only = () => this.choose({ index: row.index, name: words(row.loop.p) });
    return el("tr", { class: "opened" }, el("td", { colspan: this.columns.columns.length, class: "text" },
      el("ul", { "aria-label": "Runs with this loop" }, all.slice(0, LOOP_RUNS).map(item)),
      all.length > LOOP_RUNS && el("p", { class: "dim" }, `${count(all.length - LOOP_RUNS)} more runs`),
      el("button", { type: "button", onclick: only }, "Show only these runs in the list")));
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const all = [...this.body.querySelectorAll("button.opens")];
    const at = all.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (event.key === "Escape" && this.open !== null) {
      const index = this.open;
      this.open = null;
      this.draw(this.shown);
      this.body.querySelector(`[data-loop="${index}"]`)?.focus();
    } else if (at < 0 || to === undefined) return;
    else rove(all, to);
    event.preventDefault();
  }
}
