// All runs: filters, the picture over time, loops, and the list, which always show the same runs.
class Overview {
  constructor(runs, loops, leftOut, href) {
    this.runs = runs;
    nameProjects(runs);
    for (const run of runs) {
      const found = [...(first(run) || []).slice(1, 3).map(words), ...(run.lp || []).map(([index]) => words(loops[index].p))];
      run.text = [run.id, run.src, run.fmt, run.pj, run.pm, ...(run.mo || []), ...found].filter(Boolean).join("\n").toLowerCase();
    }
    const unit = unitOf(runs);
    this.unit = unit;
    this.facets = new Facets(runs, () => { this.list.limit = SHOWN; this.draw(); });
    const parts = this.facets.facets.filter((facet) => facet.id !== "verdict");
    const pick = (range) => { this.facets.time = range; this.draw(); };
    this.chart = new TimeChart(runs, parts, pick);
    this.loops = new LoopTable(loops, leftOut, unit, href, (loop) => { this.facets.loop = loop; this.draw(); this.list.node.scrollIntoView(); this.list.focus(0); });
    this.list = new List(runs, unit, href);
    this.said = el("p", { class: "selected", role: "status" });
  }

  draw() {
    const selected = this.facets.select();
    this.facets.draw();
    this.said.textContent = this.sentence(selected);
    this.chart.draw(this.facets.select("time"), this.facets.time);
    this.loops.draw(this.facets.select("loop"));
    this.list.draw(selected);
  }

  // "12 of 65 runs: you spent $3.20, $1.10 of it in loops (34 %)".
  sentence(selected) {
    const all = selected.length === this.runs.length;
    const runs = all ? plural(this.runs.length, "run") : `${count(selected.length)} of ${plural(this.runs.length, "run")}`;
    if (all || this.unit.id === "steps") return runs;
    const sum = (of) => selected.reduce((total, run) => total + of(run), 0);
    const [spent, loops] = [sum(this.unit.all), sum(this.unit.loops)];
    return `${runs}: ${this.unit.show(spent)}, ${this.unit.show(loops)} of it in loops (${percent(loops, spent)} %)`;
  }
}

// The last part of the path of a project; two parts if two projects end alike.
function nameProjects(runs) {
  const paths = new Map();
  const last = (path, parts) => path.split(/[/\\]+/).filter(Boolean).slice(-parts).join("/");
  for (const { pj } of runs) if (pj) paths.set(last(pj, 1), (paths.get(last(pj, 1)) || new Set()).add(pj));
  for (const run of runs) if (run.pj) run.project = last(run.pj, paths.get(last(run.pj, 1)).size > 1 ? 2 : 1) || run.pj;
}
