// Which run is open stands in the address, so that a run can be linked to and the back button works.
const read = (id) => JSON.parse(document.getElementById(id).textContent);
const { runs, loops, left } = read("runs");
const [overview, place] = [document.getElementById("overview"), document.getElementById("run")];
const seen = new Map();
for (const [index, run] of runs.entries()) {
  run.index = index;
  run.same = (seen.get(run.id) || 0) + 1;
  seen.set(run.id, run.same);
}
// Two runs of one name are told apart by their logs.
for (const run of runs) run.twin = seen.get(run.id) > 1;

// Runs of one name, from several logs, get a number.
const address = (run) => `#run=${encodeURIComponent(run.id)}${run.same > 1 ? `&nr=${run.same}` : ""}`;
// The only run of a report opens at once, and the report has an address of its own.
const HOME = runs.length === 1 ? "#all" : "#";
const all = new Overview(runs, loops, left, address);
document.getElementById("filters").append(all.facets.node, all.said);
document.getElementById("over-time").append(all.chart.node);
document.getElementById("all-loops").append(all.loops.node);
document.getElementById("list").append(all.list.node);

let open = null;
let drawn = false;

function wanted() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const [id, same] = [parts.get("run"), Number(parts.get("nr") || 1)];
  if (id === null) return { run: runs.length === 1 && location.hash.length < 2 ? runs[0] : null };
  return { run: runs.find((one) => one.id === id && one.same === same), turn: Number(parts.get("turn")) };
}

function neighbour(run, by, text) {
  const now = all.list.now || [];
  const other = now[now.indexOf(run) + by];
  return other && now.includes(run) && el("a", { href: address(other), title: other.id }, text);
}

function show() {
  const { run, turn } = wanted();
  if (run && open?.run === run) {
    if (turn) open.view.steps.open(turn);
    return;
  }
  // The list has to be there for the way from run to run; it is not drawn twice.
  if (!run) overview.hidden = false;
  if (!drawn) { all.draw(); drawn = true; }
  if (!run) {
    const before = open;
    open = null;
    place.hidden = true;
    place.replaceChildren();
    all.chart.draw(all.chart.shown, all.chart.range);
    document.title = "Loopbreak report";
    if (before) all.list.back(before.run);
    return;
  }
  const way = runs.length > 1 ? [neighbour(run, -1, "Previous"), neighbour(run, 1, "Next")] : [];
  const view = new RunView(run, read(`run-${run.index}`), el("a", { href: HOME, class: "back" }, runs.length > 1 ? "← All runs" : "← The report"), way);
  open = { run, view };
  place.replaceChildren(view.node);
  overview.hidden = true;
  place.hidden = false;
  document.title = `${run.id} – Loopbreak report`;
  scrollTo(0, 0);
  view.timeline.draw();
  view.title.focus({ preventScroll: true });
  if (turn) view.steps.open(turn);
}

place.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-step]");
  if (!link) return;
  event.preventDefault();
  open.view.steps.open(Number(link.dataset.step));
});

document.addEventListener("keydown", (event) => {
  if (!open || event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "Escape") location.hash = HOME;
  else if (!open.view.timeline.key(event.key)) return;
  event.preventDefault();
});

addEventListener("hashchange", show);
// Paper is as wide as it is, and nothing on it can be opened.
addEventListener("beforeprint", () => open && open.view.timeline.draw());
show();
