// The head of a table that is sorted by its columns.
class SortedColumns {
  constructor(columns, sorted, prefix, changed) {
    [this.columns, this.changed] = [columns, changed];
    [this.sorted, this.down] = [sorted, Boolean(columns.find((column) => column.id === sorted)?.down)];
    const cell = (column) => {
      const text = column.by ? el("button", { type: "button", id: `${prefix}-${column.id}`, title: column.title, onclick: () => this.sort(column) }, column.name) : column.name;
      column.cell = el("th", { scope: "col", class: column.kind }, text);
      return column.cell;
    };
    this.node = el("thead", {}, el("tr", {}, columns.map(cell)));
  }

  sort(column) {
    this.down = this.sorted === column.id ? !this.down : Boolean(column.down);
    this.sorted = column.id;
    this.changed();
  }

  // Sorts in place. `then` decides between equal ones.
  order(all, then) {
    const { by } = this.columns.find((column) => column.id === this.sorted);
    const way = this.down ? -1 : 1;
    const compare = (a, b) => (typeof a === "string" ? COLLATOR.compare(a, b) : a === b ? 0 : a < b ? -1 : 1);
    for (const { id, cell } of this.columns) {
      if (id === this.sorted) cell.setAttribute("aria-sort", this.down ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    }
    return all.map((one) => [by(one), one]).sort(([a, one], [b, other]) => way * compare(a, b) || then(one, other)).map(([, one]) => one);
  }
}

const COLLATOR = new Intl.Collator("en", { numeric: true });
