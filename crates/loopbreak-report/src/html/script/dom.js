// Makes elements. A text of a log only ever becomes a text node or an attribute of ours: there is no innerHTML here.
const SVG = "http://www.w3.org/2000/svg";

function add(node, parts) {
  for (const part of parts.flat(Infinity)) {
    if (part !== null && part !== undefined && part !== false && part !== "") node.append(part);
  }
  return node;
}

function el(name, attributes, ...parts) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value);
  }
  return add(node, parts);
}

function shape(name, attributes, ...parts) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === false || value === null) continue;
    node.setAttribute(key, typeof value === "number" ? Math.round(value * 10) / 10 : value);
  }
  return add(node, parts);
}

const words = (name) => name.replaceAll("_", " ");
const count = (number) => number.toLocaleString("en");
const plural = (number, word) => `${count(number)} ${word}${number === 1 ? "" : "s"}`;
const oneLine = (text) => text.replace(/\s+/g, " ").trim();

function rough(number) {
  if (number < 10000) return count(number);
  const [unit, name] = number < 1e6 ? [1e3, "k"] : number < 1e9 ? [1e6, "M"] : [1e9, "G"];
  const value = number / unit;
  return `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ${name}`;
}

// Sums of floats are rounded as in the terminal, so that both show the same cents.
function dollars(sum) {
  if (sum > 0 && sum < 0.00005) return "<$0.0001";
  const usd = Math.round(sum * 1e6) / 1e6;
  return `$${usd.toFixed(usd > 0 && usd < 0.01 ? 4 : 2)}`;
}
// An estimate is marked, as in the terminal.
const amount = (usd, isEstimate) => (isEstimate && !dollars(usd).startsWith("<") ? "~" : "") + dollars(usd);

// Never 100 for less than all, never 0 for more than none.
function percent(part, whole) {
  if (!part || !whole) return 0;
  return part >= whole ? 100 : Math.min(99, Math.max(1, Math.round((part / whole) * 100)));
}

// Rounded down, as in the terminal: 73 minutes here must not be 74 there.
function duration(milliseconds) {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min`;
  return seconds < 172800 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86400)} days`;
}

const time = (milliseconds) => {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString().slice(0, 19).replace("T", " ") + " UTC";
};
const day = (milliseconds) => time(milliseconds).slice(0, 10);

// One stop for the tab key among many elements, and arrows from one to the next.
function rove(all, index) {
  if (!all.length) return;
  const next = all[Math.min(Math.max(index, 0), all.length - 1)];
  all.forEach((one) => { if (one !== next) one.setAttribute("tabindex", "-1"); });
  next.setAttribute("tabindex", "0");
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest", inline: "nearest" });
}
