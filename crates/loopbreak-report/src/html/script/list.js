// The list of runs: sorted by any column, filtered, walked with the arrow keys.
const SHOWN = 500;
const VERDICTS = { clear: 0, warn: 1, stop: 2 };
const first = (run) => run.e || run.w;

class List {
  constructor(runs, href) {
    [this.runs, this.href] = [runs, href];
    const any = (key) => runs.some((run) => run[key] !== undefined);
    // Name, class of the cells, what is sorted by, what is shown, and whether the largest comes first.
    this.columns = [
      { id: "run", name: "run", kind: "text", by: (run) => run.id },
      { id: "verdict", name: "verdict", kind: "text", by: (run) => VERDICTS[run.v], show: (run) => el("span", { class: `verdict ${run.v}` }, run.v), down: true },
      { id: "steps", name: "steps", kind: "", by: (run) => run.n, show: (run) => count(run.n), down: true },
      { id: "turn", name: "turn", kind: "some", by: (run) => first(run)?.[0] ?? Infinity, show: (run) => first(run) && count(first(run)[0]) },
      { id: "wasted", name: "wasted", kind: "", by: (run) => run.s, show: (run) => run.s > 0 && count(run.s), down: true },
      { id: "share", name: "share", kind: "some", by: (run) => (run.n ? run.s / run.n : 0), show: (run) => run.s > 0 && `${percent(run.s, run.n)} %`, down: true },
      runs.some((run) => run.sk > 0) && { id: "tokens", name: "tokens", kind: "wide", by: (run) => run.sk ?? -1, show: (run) => run.sk > 0 && rough(run.sk), down: true },
      runs.some((run) => run.sc > 0) && { id: "cost", name: "cost", kind: "some", by: (run) => run.sc ?? -1, show: (run) => run.sc > 0 && dollars(run.sc), down: true },
      any("d") && { id: "progress", name: "progress", kind: "some", by: (run) => (run.d === undefined ? -1 : Number(run.d)), show: (run) => run.d === true && el("span", { class: "stop" }, "lost"), down: true },
      { id: "pattern", name: "stuck on", kind: "text wide", by: (run) => first(run)?.[2] ?? "~", show: (run) => first(run) && words(first(run)[2]) },
      { id: "shape", name: "shape", kind: "text wide", show: (run) => strip(run) },
    ].filter(Boolean);
    [this.sorted, this.down, this.limit] = ["wasted", true, SHOWN];
    this.wanted = { text: "", verdict: "" };
    this.body = el("tbody");
    this.body.addEventListener("keydown", (event) => this.key(event));
    this.said = el("p", { class: "dim", role: "status" });
    this.more = el("button", { type: "button", hidden: true, onclick: () => { this.limit += SHOWN; this.draw(); } });
    this.node = el("div", {}, this.filters(), this.said,
      el("div", { class: "scroll" }, el("table", { id: "table", "aria-label": "Runs", "aria-describedby": "keys" }, this.head(), this.body)),
      this.more,
      el("p", { class: "dim keys", id: "keys" }, "Keys: up and down move in the list, Enter opens a run, Escape closes it; in a run, + and − zoom, left and right move."));
    this.draw();
  }

  filters() {
    const redraw = () => { this.limit = SHOWN; this.draw(); };
    return el("form", { class: "filters", role: "search", onsubmit: (event) => event.preventDefault() },
      el("label", {}, "Find ", el("input", { type: "search", id: "find", oninput: (event) => { this.wanted.text = event.target.value.toLowerCase(); redraw(); } })),
      el("label", {}, "Verdict ", el("select", { id: "only", onchange: (event) => { this.wanted.verdict = event.target.value; redraw(); } },
        el("option", { value: "" }, "all"), ["stop", "warn", "clear"].map((name) => el("option", { value: name }, name)))));
  }

  head() {
    const cell = (column) => {
      const text = column.by ? el("button", { type: "button", id: `by-${column.id}`, onclick: () => this.sort(column) }, column.name) : column.name;
      column.cell = el("th", { scope: "col", class: column.kind }, text);
      return column.cell;
    };
    return el("thead", {}, el("tr", {}, this.columns.map(cell)));
  }

  sort(column) {
    this.down = this.sorted === column.id ? !this.down : Boolean(column.down);
    this.sorted = column.id;
    this.draw();
  }

  // The runs that are wanted, in their order.
  order() {
    const { text, verdict } = this.wanted;
    const found = (run) => (!verdict || run.v === verdict)
      && (!text || [run.id, run.src, ...(first(run) || []).slice(1, 3).map(words)].some((part) => part.toLowerCase().includes(text)));
    const { by } = this.columns.find((column) => column.id === this.sorted);
    const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a === b ? 0 : a < b ? -1 : 1);
    const way = this.down ? -1 : 1;
    return this.runs.filter(found).sort((a, b) => way * compare(by(a), by(b)) || VERDICTS[b.v] - VERDICTS[a.v] || a.index - b.index);
  }

  draw() {
    this.now = this.order();
    for (const { id, cell } of this.columns) {
      if (id === this.sorted) cell.setAttribute("aria-sort", this.down ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    }
    const shown = this.now.slice(0, this.limit);
    this.body.replaceChildren(...shown.map((run, index) => this.row(run, index)));
    this.said.textContent = this.now.length === this.runs.length ? plural(this.runs.length, "run") : `${count(this.now.length)} of ${plural(this.runs.length, "run")}`;
    this.more.hidden = this.now.length <= shown.length;
    this.more.textContent = `Show more (${count(this.now.length - shown.length)} left)`;
  }

  row(run, index) {
    const link = el("a", { href: this.href(run), class: "log", tabindex: index === 0 ? "0" : "-1", title: run.src, "data-run": run.index }, run.id);
    const cells = this.columns.slice(1).map((column) => el("td", { class: column.kind }, column.show(run)));
    return el("tr", { onclick: (event) => { if (event.target.tagName !== "A" && !String(getSelection())) link.click(); } },
      el("th", { scope: "row", class: "name" }, link), cells);
  }

  focus(index) {
    const links = this.body.querySelectorAll("a");
    if (!links.length) return;
    links.forEach((link) => { link.tabIndex = -1; });
    const link = links[Math.min(Math.max(index, 0), links.length - 1)];
    link.tabIndex = 0;
    link.focus();
  }

  // Back to the run that was open.
  back(run) {
    this.focus(Math.max(this.now.indexOf(run), 0));
  }

  key(event) {
    const links = [...this.body.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + 20, PageUp: at - 20, Home: 0, End: links.length - 1 }[event.key];
    if (at < 0 || to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.focus(to);
  }
}

// The whole run as a strip: before the end, after it, the first warning, the end.
function strip(run) {
  const [from, to] = run.t;
  const at = (turn) => ((turn - from) / Math.max(to + 1 - from, 1)) * 100;
  const svg = shape("svg", { class: "strip", viewBox: "0 0 100 10", preserveAspectRatio: "none", width: 120, height: 10, "aria-hidden": "true" },
    shape("rect", { class: "all", width: 100, height: 10 }));
  if (run.e) svg.append(shape("rect", { class: run.d ? "lost" : "after", x: at(run.e[0] + 1), width: Math.max(100 - at(run.e[0] + 1), 0), height: 10 }));
  if (run.w) svg.append(shape("rect", { class: "warned", x: at(run.w[0]), width: 1.5, height: 10 }));
  if (run.e) svg.append(shape("rect", { class: "ended", x: at(run.e[0]), width: 1.5, height: 10 }));
  return svg;
}
