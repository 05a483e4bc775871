// The timeline of a run: flags, score, loops and lanes over turns. Drawn again for each stretch that is looked at.
const ROW = 18;

class Timeline {
  constructor(run, data, pick) {
    [this.run, this.data, this.pick] = [run, data, pick];
    this.first = run.t[0];
    this.end = run.t[1] + 1;
    [this.from, this.to] = [this.first, this.end];
    this.turn = null;
    this.said = el("p", { class: "dim range", "aria-live": "polite" });
    this.canvas = el("div", { class: "canvas", tabindex: "0", role: "group",
      "aria-label": "Timeline. Plus and minus zoom, arrow keys move, 0 shows the whole run." });
    const button = (text, label, act) => el("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);
    this.node = el("div", { class: "timeline" },
      el("div", { class: "tools" },
        button("−", "Zoom out (-)", () => this.zoom(2)), button("+", "Zoom in (+)", () => this.zoom(0.5)),
        button("◀", "Earlier (left arrow)", () => this.move(-0.25)), button("▶", "Later (right arrow)", () => this.move(0.25)),
        button("Whole run", "Whole run (0)", () => this.whole()), this.said),
      this.canvas, this.legend());
    this.drag();
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  // Keys that work wherever the focus is in an open run.
  key(key) {
    if (key === "+" || key === "=") this.zoom(0.5);
    else if (key === "-" || key === "_") this.zoom(2);
    else if (key === "0") this.whole();
    else if (key === "ArrowLeft") this.move(-0.25);
    else if (key === "ArrowRight") this.move(0.25);
    else return false;
    return true;
  }

  whole() { this.show(this.first, this.end); }

  zoom(factor, around) {
    const inside = (turn) => turn !== null && turn >= this.from && turn < this.to;
    const ending = this.run.e && this.run.e[0];
    const middle = around ?? (inside(this.turn) ? this.turn : inside(ending ?? null) ? ending : (this.from + this.to) / 2);
    const share = (middle - this.from) / (this.to - this.from);
    const span = (this.to - this.from) * factor;
    this.show(middle - share * span, middle + (1 - share) * span);
  }

  move(part) {
    const by = (this.to - this.from) * part;
    this.show(this.from + by, this.to + by);
  }

  show(from, to) {
    const span = Math.min(Math.max(to - from, Math.min(8, this.end - this.first)), this.end - this.first);
    const middle = (from + to) / 2;
    this.from = Math.min(Math.max(middle - span / 2, this.first), this.end - span);
    this.to = this.from + span;
    this.draw();
  }

  select(turn) {
    this.turn = turn;
    if (turn < this.from || turn >= this.to) this.move((turn - (this.from + this.to) / 2) / (this.to - this.from));
    else this.draw();
  }

  x(turn) { return this.left + ((turn - this.from) / (this.to - this.from)) * this.wide; }

  // A stretch of turns in pixels, as far as it is in view.
  span(from, to) {
    if (to + 1 <= this.from || from >= this.to) return null;
    const x = Math.max(this.x(from), this.left);
    return { x, width: Math.max(Math.min(this.x(to + 1), this.left + this.wide) - x, 1.5) };
  }

  draw() {
    const width = this.canvas.clientWidth;
    if (!width) return;
    this.left = width < 560 ? 78 : 132;
    this.wide = width - this.left - 12;
    const svg = shape("svg", { role: "img", width, "aria-label": this.summary() });
    let y = this.flags(svg, 34) + 8;
    const top = y;
    if (this.data.score.length) y = this.score(svg, y) + 10;
    y = this.bands(svg, y) + 6;
    y = this.lanes(svg, y) + 4;
    this.axis(svg, y);
    this.ending(svg, top, y);
    this.cursor(svg, y);
    svg.setAttribute("height", y + 22);
    svg.setAttribute("viewBox", `0 0 ${width} ${y + 22}`);
    this.svg = svg;
    this.canvas.replaceChildren(svg);
    const [from, to] = [Math.ceil(this.from), Math.ceil(this.to) - 1];
    const whole = this.to - this.from >= this.end - this.first;
    this.said.textContent = whole ? `All turns, ${count(from)}–${count(to)}` : `Turns ${count(from)}–${count(to)}`;
  }

  summary() {
    const { run, data } = this;
    const parts = [`Turns ${run.t[0]} to ${run.t[1]}`, plural(data.bands.length, "loop"), plural(data.flags.length, "flag")];
    if (run.e) parts.push(`would have ended at turn ${run.e[0]}`);
    return parts.join(", ");
  }

  label(svg, y, text, title) {
    const most = this.left < 100 ? 10 : 18;
    const short = text.length > most ? text.slice(0, most - 1) + "…" : text;
    svg.append(shape("text", { class: "name", x: this.left - 8, y, "text-anchor": "end" }, short, shape("title", {}, title || text)));
  }

  // What Loopbreak would have done. Flags that would lie on one another become one with a number.
  flags(svg, y) {
    const groups = [];
    for (const flag of this.data.flags) {
      const x = this.x(flag.t + 0.5);
      if (x < this.left || x > this.left + this.wide) continue;
      const last = groups[groups.length - 1];
      if (last && x - last.x < 16) last.flags.push(flag);
      else groups.push({ x, flags: [flag] });
    }
    this.label(svg, y + 12, "steps in", "what Loopbreak would have done");
    for (const { x, flags } of groups) {
      const hard = flags.some((flag) => flag.s === "hard");
      const all = flags.slice(0, 8).map((flag) => `turn ${flag.t}: ${words(flag.i || "found")}, ${words(flag.d)}: ${flag.y}`);
      if (flags.length > 8) all.push(`and ${flags.length - 8} more`);
      svg.append(shape("g", { class: hard ? "flag hard" : "flag", "data-turn": flags[0].t },
        shape("title", {}, all.join("\n")),
        shape("path", { d: `M${x} ${y + 18}V${y}h9l-3 4.5 3 4.5h-9` }),
        flags.length > 1 && shape("text", { x: x + 2, y: y - 3 }, String(flags.length))));
    }
    return y + ROW;
  }

  score(svg, y) {
    const high = 70;
    const { score, stuck, marks } = this.data;
    const values = score.map(([, value]) => value);
    const [low, most] = [Math.min(...values), Math.max(...values)];
    const up = (value) => y + high - 4 - (most > low ? ((value - low) / (most - low)) * (high - 10) : 0);
    for (const [from, to] of stuck) {
      const at = this.span(from, to);
      if (at) svg.append(shape("rect", { class: "stuck", ...at, y, height: high }, shape("title", {}, `no progress, turns ${from}–${to}`)));
    }
    svg.append(shape("path", { class: "grid", d: `M${this.left} ${y + high}h${this.wide}` }));
    this.label(svg, y + high / 2 + 4, "score");
    svg.append(shape("text", { class: "tick", x: this.left - 8, y: y + 12, "text-anchor": "end" }, count(most)));
    if (most > low) svg.append(shape("text", { class: "tick", x: this.left - 8, y: y + high, "text-anchor": "end" }, count(low)));
    let path = "";
    let last = null;
    for (let index = 0; index < score.length; index += 1) {
      const [turn, value] = score[index];
      const next = index + 1 < score.length ? score[index + 1][0] : this.end;
      if (next < this.from) continue;
      if (turn >= this.to) break;
      const [x, end] = [Math.max(this.x(turn), this.left), Math.min(this.x(next), this.left + this.wide)];
      path += last === null ? `M${x.toFixed(1)} ${up(value).toFixed(1)}` : `V${up(value).toFixed(1)}`;
      path += `H${end.toFixed(1)}`;
      last = value;
    }
    svg.append(shape("path", { class: "score", d: path }));
    for (const mark of marks) this.mark(svg, mark, mark.c === undefined ? y + 6 : up(mark.c));
    return y + high;
  }

  mark(svg, mark, y) {
    if (mark.t < this.from || mark.t >= this.to) return;
    const late = this.run.e && mark.t > this.run.e[0];
    const what = mark.o ? `objective: ${mark.o}` : mark.c !== undefined ? `score ${mark.c}` : "mark of progress";
    const x = this.x(mark.t + 0.5);
    svg.append(shape("path", { class: late ? "mark late" : "mark", "data-turn": mark.t, d: `M${x} ${y - 5}l5 5-5 5-5-5z` },
      shape("title", {}, `turn ${mark.t}: progress${late ? " after the run would have ended" : ""}, ${what}`)));
  }

  // Loops, each in the first row where nothing is in its way. Each has a name or its number, also on a narrow screen: inside, or
  // beside it where there is room.
  bands(svg, y) {
    const { bands, marks, score } = this.data;
    if (!score.length && marks.length) {
      this.label(svg, y + 13, "progress");
      marks.forEach((mark) => this.mark(svg, mark, y + 9));
      y += ROW;
    }
    if (!bands.length) return y;
    const ends = [];
    const drawn = [];
    this.label(svg, y + 13, "loops");
    bands.forEach((band, index) => {
      let row = ends.findIndex((end) => end < band.f);
      if (row < 0) row = Math.min(ends.length, 5);
      ends[row] = Math.max(ends[row] || 0, band.t);
      const at = this.span(band.f, band.t);
      if (at) drawn.push({ band, index, row, at, to: at.x + at.width });
    });
    for (const { band, index, row, at, to } of drawn) {
      const round = band.r ? `, period ${band.r}` : "";
      const title = `${index + 1}: ${words(band.p)} (${words(band.d)})${round}, turns ${band.f}–${band.t}`;
      const top = y + row * ROW;
      const group = shape("g", { class: band.s === "hard" ? "band hard" : "band", "data-turn": band.f, "data-period": band.r || "" },
        shape("title", {}, title), shape("rect", { ...at, y: top + 1, height: ROW - 3, rx: 2 }));
      const one = at.width / (band.t - band.f + 1);
      if (band.r && one * band.r > 5) {
        let ticks = "";
        for (let turn = band.f + band.r; turn <= band.t; turn += band.r) {
          const x = this.x(turn);
          if (x > at.x && x < to) ticks += `M${x.toFixed(1)} ${top + 1}v${ROW - 3}`;
        }
        group.append(shape("path", { class: "round", d: ticks }));
      }
      const beside = drawn.filter((other) => other.row === row && other.at.x > at.x).reduce((least, other) => Math.min(least, other.at.x), this.left + this.wide + 10);
      const before = drawn.filter((other) => other.row === row && other.at.x < at.x).reduce((most, other) => Math.max(most, other.named ?? other.to), this.left);
      const name = words(band.d);
      for (const text of [band.r ? `${name} ↻${band.r}` : name, String(index + 1)]) {
        const wide = text.length * 6.4 + 6;
        const x = at.width > wide + 2 ? at.x + 5 : to + wide < beside ? to + 3 : at.x - wide > before ? at.x - wide + 3 : null;
        if (x === null && text !== String(index + 1)) continue;
        group.append(shape("text", { x: x ?? at.x + 1, y: top + 13 }, text));
        drawn.find((other) => other.index === index).named = Math.max(to, (x ?? at.x) + wide);
        break;
      }
      svg.append(group);
    }
    return y + ends.length * ROW;
  }

  lanes(svg, y) {
    const { n: names, s: stays } = this.data.lanes;
    names.forEach(([name, turns], lane) => {
      const title = `${name}: ${plural(turns, "turn")}`;
      this.label(svg, y + lane * ROW + 13, name, title);
      svg.append(shape("path", { class: "grid", d: `M${this.left} ${y + lane * ROW + 9}h${this.wide}` }));
    });
    for (const [from, to, lane] of stays) {
      const at = this.span(from, to);
      if (!at || lane >= names.length) continue;
      const turns = from === to ? `turn ${from}` : `turns ${from}–${to}`;
      svg.append(shape("rect", { class: `stay lane-${lane}`, ...at, y: y + lane * ROW + 3, height: ROW - 6 },
        shape("title", {}, `${names[lane][0]}, ${turns}`)));
    }
    return y + names.length * ROW;
  }

  axis(svg, y) {
    const rough = ((this.to - this.from) / this.wide) * 80;
    const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
    const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough) || power * 10;
    svg.append(shape("path", { class: "axis", d: `M${this.left} ${y}h${this.wide}` }));
    this.label(svg, y + 15, "turn");
    for (let turn = Math.ceil(this.from / step) * step; turn < this.to; turn += step) {
      const x = this.x(turn + 0.5);
      if (x > this.left + this.wide) break;
      svg.append(shape("path", { class: "axis", d: `M${x} ${y}v4` }),
        shape("text", { class: "tick", x, y: y + 16, "text-anchor": "middle" }, count(turn)));
    }
  }

  // Here it would have stopped, and all that came after.
  ending(svg, top, bottom) {
    const { e: ending, s: saved } = this.run;
    if (!ending) return;
    const after = this.span(ending[0] + 1, this.end - 1);
    if (after && saved) svg.prepend(shape("rect", { class: "after", ...after, y: 22, height: bottom - 22 }, shape("title", {}, `${plural(saved, "step")} after the run would have ended`)));
    const x = this.x(ending[0] + 1);
    if (x < this.left - 1 || x > this.left + this.wide + 1) return;
    const right = x < this.left + this.wide * 0.6;
    const call = ending[3] === "escalate";
    const what = this.wide < 500 ? (call ? "would call" : "would stop") : call ? "a human would have been called here" : "here it would have stopped";
    svg.append(shape("path", { class: "end", d: `M${x} 4V${bottom}` }),
      shape("text", { class: "end", x: x + (right ? 6 : -6), y: 14, "text-anchor": right ? "start" : "end" }, `${what}, turn ${count(ending[0])}`));
  }

  cursor(svg, bottom) {
    if (this.turn === null || this.turn < this.from || this.turn >= this.to) return;
    svg.append(shape("path", { class: "cursor", d: `M${this.x(this.turn + 0.5)} 22V${bottom}` }));
  }

  // A click goes to the nearest step, a drag zooms into what was marked, Ctrl and the wheel zoom.
  drag() {
    const { canvas } = this;
    const turn = (event) => this.from + ((event.clientX - canvas.getBoundingClientRect().left - this.left) / this.wide) * (this.to - this.from);
    let start = null;
    let box = null;
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button === 0) start = { x: event.clientX, turn: turn(event) };
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!start || Math.abs(event.clientX - start.x) < 5) return;
      if (!box) {
        canvas.setPointerCapture(event.pointerId);
        box = shape("rect", { class: "choice", y: 20, height: Math.max(this.svg.clientHeight - 42, 0) });
        this.svg.append(box);
      }
      const [one, two] = [start.turn, turn(event)].map((at) => Math.min(Math.max(at, this.from), this.to));
      box.setAttribute("x", this.x(Math.min(one, two)));
      box.setAttribute("width", Math.abs(this.x(one) - this.x(two)));
    });
    canvas.addEventListener("pointerup", (event) => {
      if (!start) return;
      const [one, two] = [start.turn, turn(event)];
      if (box) this.show(Math.min(one, two), Math.max(one, two));
      else if (one >= this.from) this.pick(Number(event.target.closest("[data-turn]")?.dataset.turn ?? Math.floor(one)));
      [start, box] = [null, null];
    });
    canvas.addEventListener("pointercancel", () => { [start, box] = [null, null]; this.draw(); });
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.zoom(event.deltaY > 0 ? 1.25 : 0.8, turn(event));
    }, { passive: false });
  }

  legend() {
    const { run, data } = this;
    const items = [["flag", "would warn"], ["flag hard", "would intervene"]];
    if (data.bands.length) items.push(["band", "loop; ↻2 repeats every 2 steps"]);
    if (data.stuck.length && data.score.length) items.push(["stuck", "no progress"]);
    if (data.marks.length) items.push(["mark", "progress"]);
    if (run.e && data.marks.some((mark) => mark.t > run.e[0])) items.push(["mark late", "progress after it"]);
    if (run.e && run.s) items.push(["after", "steps after it"]);
    return el("ul", { class: "legend", "aria-label": "Legend" }, items.map(([name, text]) => el("li", {}, el("i", { class: name }), text)));
  }
}
