// SPDX-License-Identifier: Apache-2.0
// The array after each step of a tiled layout, as an animation: every element keeps its square.
import { ask } from "./answers";
import { h } from "./dom";
import { ramp } from "./plot";

interface Stage {
  step: string;
  dims: number[];
  ids: number[];
}

const kCell = 26; // pixels
const kMostPixels = 900;
const kMany = 1024; // squares that the browser notices: they are drawn once somebody looks at them

// Where the position of row-major number `number` is drawn: the last two dimensions are a grid, the
// two before them a grid of such grids, and so on.
export function place(dims: number[], number: number): { x: number; y: number } {
  const unit = { x: 1, y: 1 };
  const at = { x: 0, y: 0 };
  let left = number;
  for (let d = dims.length - 1, level = 0; d >= 0; --d, ++level) {
    const axis = level % 2 === 0 ? "x" : "y";
    at[axis] += (left % dims[d]!) * unit[axis];
    left = Math.floor(left / dims[d]!);
    unit[axis] = unit[axis] * dims[d]! + (level >= 1 ? 0.35 : 0.2);
  }
  return at;
}

export class Steps {
  readonly box = h("section", { id: "steps" });
  private timer: ReturnType<typeof setInterval> | undefined;
  private stages: Stage[] = [];
  private cells: HTMLElement[] = [];
  private readonly slider = h("input", {
    type: "range", min: 0, value: 0, "aria-label": "step of the definition", input: () => this.choose(Number(this.slider.value)),
  });
  private readonly play = h("button", { type: "button", id: "play", click: () => this.run() }, "play");
  private readonly caption = h("p", { role: "status" });
  private readonly field = h("div", { class: "squares", role: "img", "aria-label": "the array after this step" });

  private inView = false;

  // `first` is the step that a link names; `moved` learns of each other one.
  constructor(private first: number, private readonly moved: (step: number) => void) {
    new IntersectionObserver(([entry]) => {
      this.inView = entry!.isIntersecting;
      if (this.inView && this.stages.length > 0) this.drawSquares();
    }).observe(this.field);
  }

  async show(text: string): Promise<void> {
    this.stop();
    const found = await ask<{ stages: Stage[] }>({ ask: "steps", text });
    if ("error" in found) {
      this.box.replaceChildren(h("h2", {}, "Step by step"), h("p", {}, found.error));
      return;
    }
    this.stages = found.ok.stages;
    this.slider.max = String(this.stages.length - 1);
    this.slider.value = String(this.first);
    this.first = 0;
    this.box.replaceChildren(h("h2", {}, "Step by step"), h("div", { class: "row" }, this.play, this.slider), this.caption, this.field);
    this.cells = [];
    this.field.replaceChildren();
    this.draw();
    if (Number(this.slider.value) > 0) this.moved(Number(this.slider.value));
  }

  private choose(step: number): void {
    this.stop();
    this.slider.value = String(step);
    this.draw();
    this.moved(step);
  }

  // One step each second, from the beginning.
  private run(): void {
    if (this.timer !== undefined) return this.stop();
    this.slider.value = "0";
    this.draw();
    this.play.textContent = "stop";
    this.timer = setInterval(() => {
      const next = Number(this.slider.value) + 1;
      if (next >= this.stages.length || !this.box.isConnected) return this.stop();
      this.slider.value = String(next);
      this.draw();
    }, 1000);
  }

  private stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    this.play.textContent = "play";
  }

  private draw(): void {
    const number = Number(this.slider.value);
    const stage = this.stages[number]!;
    this.caption.textContent = `${number} of ${this.stages.length - 1}: ${stage.step}, [${stage.dims.join(",")}]`;
    const many = stage.ids.length > kMany;
    this.field.style.minHeight = many ? "2rem" : "";
    if (!many || this.inView) this.drawSquares();
  }

  private drawSquares(): void {
    const stage = this.stages[Number(this.slider.value)]!;
    const elements = this.stages[0]!.ids.length;
    const places = stage.ids.map((_, i) => place(stage.dims, i));
    const width = Math.max(...places.map((p) => p.x)) + 1;
    const height = Math.max(...places.map((p) => p.y)) + 1;
    const cell = Math.min(kCell, kMostPixels / Math.max(width, 1));
    this.field.style.height = `${height * cell}px`;
    let padding = elements; // squares of padding follow those of elements
    stage.ids.forEach((id, i) => {
      const square = this.square(id >= 0 ? id : padding++, id, elements);
      square.style.transform = `translate(${places[i]!.x * cell}px, ${places[i]!.y * cell}px)`;
      square.style.width = square.style.height = `${Math.max(cell - 2, 1)}px`;
      square.textContent = id >= 0 && cell >= 18 ? String(id) : "";
    });
    this.cells.slice(padding).forEach((square) => square.remove());
    this.cells.length = padding;
  }

  private square(number: number, id: number, elements: number): HTMLElement {
    const known = this.cells[number];
    if (known) return known;
    const made = h("div", { class: id >= 0 ? "square" : "square padding" });
    if (id >= 0) {
      const part = id / Math.max(elements - 1, 1);
      made.style.background = ramp(part);
      made.style.color = part > 0.74 ? "#fff" : "#000";
    }
    this.cells[number] = made;
    this.field.append(made);
    return made;
  }
}
