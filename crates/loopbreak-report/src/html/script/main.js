// Which run is open stands in the address, so that a run can be linked to and the back button works.
const read = (id) => JSON.parse(document.getElementById(id).textContent);
const runs = read("runs");
const [overview, place] = [document.getElementById("overview"), document.getElementById("run")];
const seen = new Map();
for (const [index, run] of runs.entries()) {
  run.index = index;
  run.same = (seen.get(run.id) || 0) + 1;
  seen.set(run.id, run.same);
}

// Runs of one name, from several logs, get a number.
const address = (run) => `#run=${encodeURIComponent(run.id)}${run.same > 1 ? `&nr=${run.same}` : ""}`;
const list = new List(runs, address);
document.getElementById("list").append(list.node);

let open = null;

function wanted() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const [id, same] = [parts.get("run"), Number(parts.get("nr") || 1)];
  const run = id === null ? null : runs.find((one) => one.id === id && one.same === same);
  return { run, turn: Number(parts.get("turn")) };
}

function neighbour(run, by, text) {
  const other = list.now[list.now.indexOf(run) + by];
  return other && list.now.includes(run) && el("a", { href: address(other), title: other.id }, text);
}

function show() {
  const { run, turn } = wanted();
  if (!run) {
    const before = open;
    open = null;
    place.hidden = true;
    place.replaceChildren();
    overview.hidden = false;
    document.title = "Loopbreak report";
    if (before) list.back(before.run);
    return;
  }
  const view = new RunView(run, read(`run-${run.index}`), [neighbour(run, -1, "Previous"), neighbour(run, 1, "Next")]);
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
  if (!open || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "Escape") location.hash = "";
  else if (!open.view.timeline.key(event.key)) return;
  event.preventDefault();
});

addEventListener("hashchange", show);
// Paper is as wide as it is.
addEventListener("beforeprint", () => open && open.view.timeline.draw());
show();
