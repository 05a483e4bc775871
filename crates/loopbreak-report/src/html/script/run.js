// One run, opened: what it came to, its timeline, its loops, its steps.
const HERE = 8;

class RunView {
  constructor(run, data, back, way) {
    const steps = new Steps(run, data, (turn) => this.timeline.select(turn));
    this.steps = steps;
    this.timeline = new Timeline(run, data, (turn) => steps.open(turn));
    const more = data.more.map((number, index) => number && plural(number, ["loop", "mark of progress", "flag"][index])).filter(Boolean);
    this.title = el("h1", { tabindex: "-1" }, el("span", { class: `verdict ${run.v}` }, run.v), " ", el("span", { class: "log" }, run.id));
    this.node = el("article", { "aria-label": `Run ${run.id}` },
      el("nav", { class: "way", "aria-label": "Runs" }, back, way),
      this.title, run.pm && el("p", { class: "prompt log" }, oneLine(run.pm)), el("p", { class: "dim log facts" }, facts(run)), story(run, data),
      el("h2", {}, "Timeline"), this.timeline.node,
      more.length > 0 && el("p", { class: "dim" }, `Not shown: ${more.join(", ")}.`),
      this.loops(run, data),
      el("h2", {}, "Steps"),
      el("p", { class: "dim" }, data.steps.length < data.records ? `${count(data.steps.length)} of ${plural(data.records, "step")} kept. ` : "",
        "A loop is one row: open it to see its rounds. Press Enter to open a step; in a loop, the repeated part is marked."),
      this.steps.node);
  }

  // The loops with the numbers that they have in the timeline, the largest first.
  loops(run, data) {
    if (!data.bands.length) return null;
    const order = data.bands.map((_, index) => index).sort((a, b) => data.bands[b].c - data.bands[a].c || a - b);
    const item = (index) => {
      const band = data.bands[index];
      const facts = [turnsOf(band.f, band.t), roundText(band), bandCost(band, run)].filter(Boolean).join(" · ");
      return el("li", { class: band.s === "hard" ? "hard" : null }, el("button", { type: "button", "data-band": index, onclick: () => this.steps.openBand(index) },
        el("span", { class: "band-number" }, String(index + 1)), el("strong", {}, words(band.d)), el("span", { class: "dim" }, facts), el("span", { class: "log" }, band.y)));
    };
    const list = el("ul", { class: "here" }, order.slice(0, HERE).map(item));
    const rest = order.slice(HERE);
    const more = rest.length > 0 && el("button", { type: "button", onclick: (event) => { const at = list.children.length; list.append(...rest.map(item)); event.target.remove(); list.children[at].firstChild.focus(); } }, `Show ${plural(rest.length, "shorter loop")}`);
    return el("section", { "aria-labelledby": "here-h" }, el("h2", { id: "here-h" }, "Loops in this run"), list, more);
  }
}

function facts(run) {
  const parts = [run.pj, run.src, run.fmt, plural(run.n, "step")];
  if (lasted(run) !== undefined) parts.push(duration(lasted(run)));
  if (run.at) parts.push(time(run.at[0]));
  if (run.sr) parts.push(`score ${count(run.sr.first)} → ${count(run.sr.last)}${run.sr.max > run.sr.last ? ` (${count(run.sr.max)} at most)` : ""}`);
  if (run.mo?.length) parts.push(run.mo.join(", "));
  if (run.k !== undefined) parts.push(`${rough(run.k)} tokens`);
  parts.push(costOf(run));
  if (loopsOf(run)) parts.push(`${loopsOf(run)} in loops`);
  return parts.filter(Boolean).join(" · ");
}

// What Loopbreak would have done and what that comes to, in a few lines.
function story(run, data) {
  const lines = [];
  const why = (point) => data.flags.find((flag) => flag.t === point[0] && flag.d === point[1] && flag.p === point[2])?.y || words(point[2]);
  const step = (turn) => el("a", { href: "#", "data-step": turn }, `turn ${count(turn)}`);
  const line = (name, ...parts) => lines.push(el("dt", {}, name), el("dd", {}, ...parts));
  if (run.w) line("would warn", step(run.w[0]), ": ", el("span", { class: "log" }, why(run.w)));
  if (run.e) line(run.e[3] === "escalate" ? "would call a human" : "would stop", step(run.e[0]), ": ", el("span", { class: "log" }, why(run.e)));
  const [went, left, ended] = run.fx;
  if (went + left + ended) line("after the warning", `${went} of ${plural(went + left + ended, "loop")} continued, ${left} stopped on ${left === 1 ? "its" : "their"} own`, ended > 0 && `, ${ended} ended with the run`, el("span", { class: "dim" }, " (in a replay, the agent never sees the warning)"));
  if (run.ck) line("checks", `${count(run.ck[0])} past the limit: turns ${run.ck[1]}`);
  if (run.pr) line("proposals", `${count(run.pr[0])} rejected, ${count(run.pr[1])} only penalized`);
  if (run.e) {
    const parts = [`${count(run.s)} of ${plural(run.n, "step")} (${percent(run.s, run.n)} %)`];
    if (run.mc !== undefined) parts.push(plural(run.mc, "model call"));
    if (run.sk !== undefined) parts.push(`${rough(run.sk)} tokens`);
    if (run.sc !== undefined) parts.push(amount(run.sc, run.es));
    line("would save", parts.join(", "));
    line("progress lost", run.d === undefined ? "unknown (the log has no score, objective or progress mark)"
      : run.d ? el("strong", { class: "stop" }, "yes: the run made progress after that") : "none: no progress after that");
  } else if (run.v === "clear") line("result", "nothing found");
  if (run.ur) line("note", el("strong", { class: "warn" }, run.ur));
  return el("dl", { class: "story" }, lines);
}
