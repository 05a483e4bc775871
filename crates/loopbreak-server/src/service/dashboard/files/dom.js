// Elements. Texts are always set as texts: nothing that an agent wrote is read as HTML.

/** Creates an element. Properties that begin with `on` are listeners; `class`, `data-…`, `aria-…` and others are attributes. */
export function el(name, properties = {}, ...children) {
  return fill(document.createElement(name), properties, children);
}

/** Creates an element of SVG. */
export function svg(name, properties = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), properties, children);
}

function fill(element, properties, children) {
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat(2).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Replaces the content of an element. */
export function show(element, ...children) {
  element.replaceChildren(...children.flat(2).filter((child) => child));
}

/**
 * Creates a table. Each column has a `title`, a function `cell` that returns a text or an element, and perhaps `number`,
 * `text` or `short`. On a narrow screen each row becomes a block.
 */
export function table(caption, columns, rows) {
  const kind = (column) => (column.number ? "number" : column.text ? "text" : column.short ? "short" : undefined);
  return el("div", { class: "wide" },
    el("table", { class: "stack" },
      el("caption", {}, caption),
      el("thead", {}, el("tr", {}, columns.map((column) => el("th", { scope: "col", class: kind(column) }, column.title)))),
      el("tbody", {}, rows.map((row) => el("tr", {}, columns.map((column) =>
        el("td", { class: kind(column), "data-label": column.title }, el("span", {}, column.cell(row)))))))));
}

/** Creates a card with a figure. */
export function card(title, value, hint) {
  return el("div", { title: hint }, el("dt", {}, title), el("dd", {}, value));
}

/** Creates buttons of which one is pressed. */
export function chips(label, choices, chosen, choose) {
  return el("div", { class: "bar", role: "group", "aria-label": label },
    choices.map(([value, text]) => el("button", {
      class: "chip", type: "button", "aria-pressed": String(value === chosen), onclick: () => choose(value),
    }, text)));
}
