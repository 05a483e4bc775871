// Bars over days, divided by the values of a key. The picture has its figures as a table too.

import { el, svg, table } from "./dom.js";
import { count, day, money } from "./words.js";

const COLOURS = ["#d1495b", "#edae49", "#3c8dbc", "#66a182", "#8d6a9f", "#7a7a7a"];
const KEYS = { model: "Model", detector: "Detector", project: "Project" };
// The picture is stretched to its place. Texts are beside it, so that they have the same size on every screen.
const WIDTH = 800;
const HEIGHT = 150;

export function dayChart(rows, key, days) {
  const priced = rows.some((row) => row.cost > 0);
  const value = (row) => (priced ? row.cost : row.steps);
  const text = (number) => (priced ? money(number) : `${count(number)} steps`);
  const totals = new Map();
  for (const row of rows) totals.set(row[key], (totals.get(row[key]) ?? 0) + value(row));
  const names = [...totals.keys()].sort((a, b) => totals.get(b) - totals.get(a));
  const shown = names.slice(0, COLOURS.length - 1);
  const group = (name) => (shown.includes(name) ? shown.indexOf(name) : COLOURS.length - 1);
  const last = Math.floor(Date.now() / 86_400_000);
  const first = last - days + 1;
  const sums = Array.from({ length: days }, () => COLOURS.map(() => 0));
  for (const row of rows) if (row.day >= first && row.day <= last) sums[row.day - first][group(row[key])] += value(row);
  const most = Math.max(...sums.map((parts) => parts.reduce((a, b) => a + b, 0)), 1e-9);
  const step = WIDTH / days;
  const height = (amount) => ((HEIGHT - 1) * amount) / most;
  const bars = sums.flatMap((parts, index) => {
    let bottom = HEIGHT - 1;
    return parts.map((amount, part) => {
      if (amount === 0) return null;
      bottom -= height(amount);
      const label = `${day(first + index)}: ${text(amount)}, ${shown[part] || (part < shown.length ? "unknown" : "others")}`;
      return svg("rect", {
        x: index * step + 1, y: bottom, width: Math.max(step - 2, 1), height: height(amount), fill: COLOURS[part],
      }, svg("title", {}, label));
    });
  });
  const dates = [0, Math.floor(days / 2), days - 1].map((index) => el("span", {}, day(first + index)));
  const title = `Waste per day by ${key}, ${day(first)} to ${day(last)}, at most ${text(most)} a day`;
  const legend = COLOURS.map((colour, part) => {
    const label = part < shown.length ? shown[part] || "unknown" : names.length > shown.length ? "others" : null;
    return label && el("li", {}, svg("svg", { viewBox: "0 0 12 12", "aria-hidden": "true" }, svg("rect", { width: 12, height: 12, fill: colour })), label);
  });
  return el("figure", {},
    el("div", { class: "soft" }, `at most ${text(most)} a day`),
    svg("svg", { class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": title },
      svg("line", { class: "axis", x1: 0, x2: WIDTH, y1: HEIGHT - 0.5, y2: HEIGHT - 0.5 }),
      bars.filter(Boolean)),
    el("div", { class: "days soft" }, dates),
    el("ul", { class: "legend" }, legend),
    el("details", {}, el("summary", {}, "As a table"),
      table(title, [
        { title: "Day", cell: (row) => day(row.day) },
        { title: KEYS[key], cell: (row) => row[key] || "unknown" },
        { title: "Steps", number: true, cell: (row) => count(row.steps) },
        { title: "Cost", number: true, cell: (row) => money(row.cost) },
      ], rows)));
}
