// Puts the steps of a run into folds: a loop becomes one row, and so does a long stretch without anything to see.
const FOLDED = 3;
const QUIET = 8;
const BETWEEN = 4;
const NEAR = 3;

// The loop that a step is shown under: the largest one that it belongs to.
function mainBand(step, bands) {
  let best = null;
  for (const index of step.l || []) if (bands[index] && (best === null || bands[index].c > bands[best].c)) best = index;
  return best;
}

// Returns items: `{step}`, `{band, steps, members}` for a loop, or `{quiet, steps}`.
function foldSteps(data) {
  const { steps, bands, flags } = data;
  const main = steps.map((step) => mainBand(step, bands));
  const items = [];
  let plain = [];
  const settle = () => {
    items.push(...quietStretches(plain, flags));
    plain = [];
  };
  for (let at = 0; at < steps.length;) {
    const band = main[at];
    let last = at;
    if (band !== null) for (let next = at + 1; next < steps.length && next - last <= BETWEEN + 1; next += 1) if (main[next] === band) last = next;
    const inside = steps.slice(at, last + 1);
    const members = inside.filter((_, index) => main[at + index] === band);
    if (band === null || members.length < FOLDED) {
      plain.push(steps[at]);
      at += 1;
    } else {
      settle();
      items.push({ band, steps: inside, members });
      at = last + 1;
    }
  }
  settle();
  // A run in which nothing was found is shown as it is.
  return flags.length || items.some((item) => item.band !== undefined) ? items : steps.map((step) => ({ step }));
}

// Steps without a loop: those near a flag are shown, long stretches of others become one row.
function quietStretches(steps, flags) {
  const items = [];
  let quiet = [];
  const settle = () => {
    if (quiet.length >= QUIET) items.push({ quiet: true, steps: quiet });
    else items.push(...quiet.map((step) => ({ step })));
    quiet = [];
  };
  let next = 0;
  for (const step of steps) {
    while (next < flags.length && flags[next].n + NEAR < step.n) next += 1;
    const isNear = next < flags.length && flags[next].n - NEAR <= step.n;
    if (isNear) { settle(); items.push({ step }); } else quiet.push(step);
  }
  settle();
  return items;
}

// The item that a run opens with: the loop at its end, else the one of its first warning, else the largest.
function mainItem(items, run) {
  const folds = items.filter((item) => item.band !== undefined);
  const has = (point) => point && folds.find((item) => item.steps[0].t <= point[0] && point[0] <= item.steps[item.steps.length - 1].t);
  return has(run.e) || has(run.w) || folds.reduce((most, item) => (most && most.members.length >= item.members.length ? most : item), null);
}

const turnsOf = (from, to) => (from === to ? `turn ${count(from)}` : `turns ${count(from)}–${count(to)}`);
// How often a loop went round; without a period, its steps.
const rounds = (band) => (band.r ? Math.max(Math.floor(band.c / band.r), 1) : null);
// Of a loop that began long before it was found, only the last steps were counted.
const least = (band, text) => (band.u && text ? `at least ${text}` : text);
const roundText = (band) => (band.r ? `${plural(rounds(band), "round")} of ${plural(band.r, "step")}` : least(band, plural(band.c, "step")));
const bandCost = (band, run) => least(band, band.m !== undefined ? amount(band.m, run.es) : band.q > 0 ? `${rough(band.q)} tokens` : "");

// What differed between the rounds of a loop: the calls and the outcomes, each with its other variants as a small diff.
const VARIANTS = 4;
const GROUPS = 6;

function differences(item, band) {
  const groups = new Map();
  for (const step of item.members) {
    const key = band.r ? (((step.i - band.i) % band.r) + band.r) % band.r : (step.a || "").split(/[\s{(]/, 1)[0];
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(step);
  }
  const all = [...groups.values()];
  const parts = all.slice(0, GROUPS).map((steps, index) => {
    const name = all.length > 1 ? `call ${index + 1} of ${all.length}` : "the call";
    return [variantList(name, steps.map((step) => [step.t, oneLine(step.a || step.s || "")])),
      variantList(all.length > 1 ? `result ${index + 1}` : "the result", steps.map((step) => [step.t, step.o || ""]))];
  });
  return el("div", { class: "differs" }, el("h3", {}, "What differed between the rounds"), el("dl", {}, parts),
    all.length > GROUPS && el("p", { class: "dim" }, `${count(all.length - GROUPS)} more kinds of calls`));
}

function variantList(name, pairs) {
  const all = variants(pairs);
  if (all.length === 1 && !all[0].text) return null;
  const times = (one) => (one.turns.length === 1 ? `turn ${count(one.turns[0])}` : `${count(one.turns.length)} times`);
  const [base, ...others] = all;
  const same = others.length === 0;
  const items = others.slice(0, VARIANTS).map((one) => el("li", {}, el("span", { class: "dim" }, times(one), ": "), el("span", { class: "log" }, wordDiff(base.text, one.text))));
  return [el("dt", {}, name), el("dd", {},
    el("p", { class: same ? "same" : "dim" }, same ? (pairs.length === 1 ? "once" : `the same all ${count(pairs.length)} times`) : `${plural(all.length, "variant")} in ${plural(pairs.length, "step")}`),
    el("p", {}, !same && el("span", { class: "dim" }, times(base), ": "), el("span", { class: "log" }, base.text || "(empty)")),
    items.length > 0 && el("ul", {}, items),
    others.length > VARIANTS && el("p", { class: "dim" }, `${count(others.length - VARIANTS)} more variants`))];
}
