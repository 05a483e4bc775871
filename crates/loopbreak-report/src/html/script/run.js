// One run, opened: what it came to, its timeline, its steps.
class RunView {
  constructor(run, data, way) {
    const steps = new Steps(run, data, (turn) => this.timeline.select(turn));
    this.steps = steps;
    this.timeline = new Timeline(run, data, (turn) => steps.open(turn));
    const more = data.more.map((number, index) => number && plural(number, ["loop", "mark of progress", "flag"][index])).filter(Boolean);
    this.title = el("h1", { tabindex: "-1" }, el("span", { class: `verdict ${run.v}` }, run.v), " ", el("span", { class: "log" }, run.id));
    this.node = el("article", { "aria-label": `Run ${run.id}` },
      el("nav", { class: "way", "aria-label": "Runs" }, el("a", { href: "#", class: "back" }, "← All runs"), way),
      this.title, el("p", { class: "dim log facts" }, facts(run)), story(run, data),
      el("h2", {}, "Timeline"), this.timeline.node,
      more.length > 0 && el("p", { class: "dim" }, `Not shown: ${more.join(", ")}.`),
      el("h2", {}, "Steps"),
      el("p", { class: "dim" }, data.steps.length < data.records ? `${count(data.steps.length)} of ${plural(data.records, "step")} kept. ` : "",
        "Press Enter to open a step. In a loop, the repeated part is marked."),
      this.steps.node);
  }
}

function facts(run) {
  const parts = [run.src, plural(run.n, "step")];
  if (run.at && run.at[1] > run.at[0]) parts.push(duration(run.at[1] - run.at[0]));
  if (run.at) parts.push(time(run.at[0]));
  if (run.sr) parts.push(`score ${count(run.sr.first)} → ${count(run.sr.last)}${run.sr.max > run.sr.last ? ` (${count(run.sr.max)} at most)` : ""}`);
  if (run.mo) parts.push(run.mo);
  if (run.k !== undefined) parts.push(`${rough(run.k)} tokens`);
  if (run.c !== undefined) parts.push(dollars(run.c));
  return parts.filter(Boolean).join(" · ");
}

// What Loopbreak would have done and what that comes to, in a few lines.
function story(run, data) {
  const lines = [];
  const why = (point) => data.flags.find((flag) => flag.t === point[0] && flag.d === point[1] && flag.p === point[2])?.y || words(point[2]);
  const step = (turn) => el("a", { href: "#", "data-step": turn }, `turn ${count(turn)}`);
  const line = (name, ...parts) => lines.push(el("dt", {}, name), el("dd", {}, ...parts));
  if (run.w) line("would warn", step(run.w[0]), `, ${run.w[1]}: `, el("span", { class: "log" }, why(run.w)));
  if (run.e) line(run.e[3] === "escalate" ? "would call" : "would stop", step(run.e[0]), `, ${run.e[1]}: `, el("span", { class: "log" }, why(run.e)));
  const [went, left, ended] = run.fx;
  if (went + left + ended) line("after warning", `${went} of ${plural(went + left + ended, "loop")} continued, ${left} stopped on ${left === 1 ? "its" : "their"} own`, ended > 0 && `, ${ended} ended with the run`);
  if (run.ck) line("checks", `${count(run.ck[0])} past the limit: turns ${run.ck[1]}`);
  if (run.pr) line("proposals", `${count(run.pr[0])} rejected, ${count(run.pr[1])} only penalized`);
  if (run.e) {
    const parts = [`${count(run.s)} of ${plural(run.n, "step")} (${percent(run.s, run.n)} %)`];
    if (run.mc !== undefined) parts.push(plural(run.mc, "model call"));
    if (run.sk !== undefined) parts.push(`${rough(run.sk)} tokens`);
    if (run.sc !== undefined) parts.push(dollars(run.sc));
    line("saves", parts.join(", "));
    line("progress lost", run.d === undefined ? "unknown (the log has no progress signal)"
      : run.d ? el("strong", { class: "stop" }, "yes: the run made progress after that") : "none: no progress after that");
  } else if (run.v === "clear") line("result", "nothing found");
  if (run.ur) line("note", el("strong", { class: "warn" }, run.ur));
  return el("dl", { class: "story" }, lines);
}
