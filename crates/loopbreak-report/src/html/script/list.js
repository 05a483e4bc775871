// The list of runs: sorted by any column, walked with the arrow keys. It shows a part, and more on demand, so that thousands of
// runs stay quick.
const SHOWN = 100;
const VERDICTS = { clear: 0, warn: 1, stop: 2 };
const first = (run) => run.e || run.w;

// What a run cost, in the words of the terminal.
function costOf(run) {
  if (run.c !== undefined) return amount(run.c, run.es);
  return run.up > 0 ? "unpriced" : "";
}

// What its loops took: money, or tokens where there is no price, or steps.
function loopsOf(run) {
  if (run.lu > 0) return amount(run.lu, run.es);
  if (run.c === undefined && run.lk > 0) return `${rough(run.lk)} tokens`;
  return run.ls > 0 ? plural(run.ls, "step") : "";
}

const modelOf = (run) => (run.mo?.length ? run.mo[0] + (run.mo.length > 1 ? ` +${run.mo.length - 1}` : "") : "");
const lasted = (run) => (run.at && run.at[1] > run.at[0] ? run.at[1] - run.at[0] : undefined);

class List {
  constructor(runs, unit, href) {
    [this.runs, this.href] = [runs, href];
    const any = (test) => runs.some(test);
    const isPriced = unit.id === "dollars";
    // Name, class of the cells, what is sorted by, what is shown, and whether the largest comes first.
    const columns = [
      { id: "run", name: "run", kind: "text", by: (run) => run.id },
      { id: "verdict", name: "verdict", kind: "text", by: (run) => VERDICTS[run.v], show: (run) => el("span", { class: `verdict ${run.v}` }, run.v), down: true },
      any((run) => run.at) && { id: "date", name: "date", kind: "some", by: (run) => run.at?.[0] ?? -Infinity, show: (run) => run.at && el("time", { datetime: day(run.at[0]), title: time(run.at[0]) }, day(run.at[0])), down: true },
      any((run) => lasted(run)) && { id: "time", name: "duration", kind: "some", by: (run) => lasted(run) ?? -1, show: (run) => lasted(run) !== undefined && duration(lasted(run)), down: true },
      any((run) => run.mo?.length) && { id: "model", name: "model", kind: "text wide", by: (run) => modelOf(run), show: (run) => el("span", { class: "log", title: (run.mo || []).join(", ") }, modelOf(run)) },
      { id: "agent", name: "agent", kind: "text wide", by: (run) => run.fmt, show: (run) => run.fmt },
      { id: "steps", name: "steps", kind: "some", by: (run) => run.n, show: (run) => count(run.n), down: true },
      any((run) => run.k !== undefined) && { id: "tokens", name: "tokens", kind: "wide", by: (run) => run.k ?? -1, show: (run) => run.k !== undefined && rough(run.k), down: true },
      (isPriced || any((run) => run.up > 0)) && { id: "cost", name: "cost", kind: "some", by: (run) => run.c ?? -1, show: (run) => costOf(run), down: true },
      { id: "loops", name: "in loops", kind: "", by: (run) => unit.loops(run), show: (run) => loopsOf(run), down: true },
      { id: "turn", name: "turn", kind: "widest", title: "the first warning, or the end", by: (run) => first(run)?.[0] ?? Infinity, show: (run) => first(run) && count(first(run)[0]) },
      { id: "wasted", name: "wasted", kind: "some", title: "steps after the point where the run would have ended", by: (run) => run.s, show: (run) => run.s > 0 && `${count(run.s)} (${percent(run.s, run.n)} %)`, down: true },
      any((run) => run.d !== undefined) && { id: "progress", name: "progress", kind: "widest", by: (run) => (run.d === undefined ? -1 : Number(run.d)), show: (run) => run.d === true && el("span", { class: "stop" }, "lost"), down: true },
      { id: "pattern", name: "stuck on", kind: "text wider", by: (run) => first(run)?.[2] ?? "~", show: (run) => first(run) && words(first(run)[2]) },
      { id: "shape", name: "shape", kind: "text widest", show: (run) => strip(run) },
    ].filter(Boolean);
    this.columns = new SortedColumns(columns, isPriced && any((run) => run.lu > 0) ? "loops" : "wasted", "by", () => { this.limit = SHOWN; this.draw(this.selected); });
    this.limit = SHOWN;
    this.body = el("tbody");
    this.body.addEventListener("keydown", (event) => this.key(event));
    this.more = el("button", { type: "button", hidden: true, onclick: () => { const at = this.limit; this.limit += SHOWN; this.draw(this.selected); this.focus(at); } });
    this.node = el("div", {},
      el("div", { class: "scroll" }, el("table", { id: "table", "aria-describedby": "keys" }, el("caption", { class: "hidden" }, "Runs. Buttons in the head sort them."), this.columns.node, this.body)),
      this.more,
      el("p", { class: "dim keys", id: "keys" }, "Keys: up and down move in the list, Enter opens a run, Escape closes it; in a run, + and − zoom, left and right move."));
  }

  draw(runs) {
    this.selected = runs;
    // The order of the terminal decides between equal ones.
    this.now = this.columns.order(runs, (a, b) => VERDICTS[b.v] - VERDICTS[a.v] || b.s - a.s || (b.ls || 0) - (a.ls || 0) || a.index - b.index);
    const shown = this.now.slice(0, this.limit);
    this.body.replaceChildren(...shown.map((run, index) => this.row(run, index)));
    this.more.hidden = this.now.length <= shown.length;
    this.more.textContent = `Show more (${count(this.now.length - shown.length)} left)`;
  }

  row(run, index) {
    const link = el("a", { href: this.href(run), class: "log", tabindex: index === 0 ? "0" : "-1", title: run.src, "data-run": run.index }, run.id);
    const about = [run.twin && run.src, run.project, run.pm && oneLine(run.pm)].filter(Boolean).join(": ");
    const facts = [run.at && day(run.at[0]), lasted(run) !== undefined && duration(lasted(run)), plural(run.n, "step"), modelOf(run), costOf(run)].filter(Boolean).join(" · ");
    const cells = this.columns.columns.slice(1).map((column) => el("td", { class: column.kind }, column.show(run)));
    return el("tr", { onclick: (event) => { if (event.target.tagName !== "A" && !String(getSelection())) link.click(); } },
      el("th", { scope: "row", class: "name" }, link, about && el("span", { class: "about log" }, about), el("span", { class: "about narrow log" }, facts)), cells);
  }

  focus(index) {
    rove([...this.body.querySelectorAll("a")], index);
  }

  // Back to the run that was open.
  back(run) {
    const at = Math.max(this.now.indexOf(run), 0);
    if (at >= this.limit) { this.limit = at + 1; this.draw(this.selected); }
    this.focus(at);
  }

  key(event) {
    const links = [...this.body.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + 20, PageUp: at - 20, Home: 0, End: links.length - 1 }[event.key];
    if (at < 0 || to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    rove(links, to);
  }
}

// The whole run as a strip: before the end, after it, the first warning, the end.
function strip(run) {
  const [from, to] = run.t;
  const at = (turn) => ((turn - from) / Math.max(to + 1 - from, 1)) * 100;
  const svg = shape("svg", { class: "strip", viewBox: "0 0 100 10", preserveAspectRatio: "none", width: 90, height: 10, "aria-hidden": "true" },
    shape("rect", { class: "all", width: 100, height: 10 }));
  if (run.e) svg.append(shape("rect", { class: run.d ? "lost" : "after", x: at(run.e[0] + 1), width: Math.max(100 - at(run.e[0] + 1), 0), height: 10 }));
  if (run.w) svg.append(shape("rect", { class: "warned", x: at(run.w[0]), width: 1.5, height: 10 }));
  if (run.e) svg.append(shape("rect", { class: "ended", x: at(run.e[0]), width: 1.5, height: 10 }));
  return svg;
}
