// SPDX-License-Identifier: Apache-2.0
// A tile of the result, chosen by dragging or as text, and the tiles of the operands that it needs.
import type { Answer } from "./answers";
import { delayed, h, listText, picture, svg } from "./dom";
import type { ReadArray } from "./hlo";

type Dimension = [number, number, number]; // offset, size, stride

export interface Needed {
  operand: number;
  leaf: number;
  tile: Dimension[] | { tile: Dimension[]; moved: unknown } | "none" | "unknown" | null;
  why?: string;
}

const kPixels = 260;

export const dimensionsText = (tile: Dimension[]): string =>
  tile.map(([offset, size, stride]) => `${offset}:${size}${stride === 1 ? "" : `:${stride}`}`).join(",");

// The last two dimensions of an array as a rectangle, with a part of it filled.
function rectangle(dims: number[], tile: Dimension[] | undefined, title: string): SVGElement {
  const columns = dims.at(-1) ?? 1, rows = dims.at(-2) ?? 1;
  const scale = kPixels / Math.max(columns, rows, 1);
  const picture = svg("svg", {
    viewBox: `0 0 ${columns * scale + 2} ${rows * scale + 2}`, class: "array-view", width: columns * scale + 2,
    height: Math.max(rows * scale, 12) + 2, role: "img", "aria-label": title,
  }, svg("title", {}, title), svg("rect", { x: 1, y: 1, width: columns * scale, height: rows * scale, class: "whole" }));
  if (!tile) return picture;
  const [x = [0, 1, 1]] = tile.slice(-1), [y = [0, 1, 1]] = tile.slice(-2, -1);
  for (let r = 0; r < Math.min(y[1], 256); ++r) {
    for (let c = 0; c < (x[2] === 1 ? 1 : Math.min(x[1], 256)); ++c) {
      picture.append(svg("rect", {
        class: "part", x: 1 + (x[0] + c * x[2]) * scale, y: 1 + (y[0] + r * y[2]) * scale,
        width: Math.max((x[2] === 1 ? x[1] : 1) * scale, 1), height: Math.max(scale, 1),
      }));
    }
  }
  return picture;
}

export interface TileQuestions {
  needs: (tile: string) => Promise<Answer<{ needs: Needed[] }>>;
  reads: (tile: string) => Promise<Answer<{ svg: string }>>;
  moved: (tile: string) => void;
}

export class TileView {
  readonly box: HTMLElement;
  private readonly input: HTMLInputElement;
  private readonly result = h("div", { class: "drag", id: "tile-result" });
  private readonly needs = h("div", { class: "needs", id: "tile-needs", "aria-live": "polite" });
  private readonly reads = h("div", { id: "tile-reads" });
  private readonly drawArrows = delayed(120, () => void this.showReads());

  constructor(
    private readonly dims: number[],
    private readonly arrays: ReadArray[],
    tile: string | undefined,
    private readonly ask: TileQuestions,
  ) {
    const corner = dims.map((size, d) => `0:${Math.min(size, d === dims.length - 1 ? 4 : d === dims.length - 2 ? 2 : 1)}`);
    this.input = h("input", { id: "tile", value: tile ?? corner.join(","), input: () => {
      ask.moved(this.input.value.trim());
      void this.update();
    } });
    this.box = h("div", { class: "tiles" },
      h("div", { class: "field" }, h("label", { for: "tile" }, "tile of the result: OFFSET:SIZE[:STRIDE] for each dimension"), this.input),
      h("div", { class: "row" }, this.result, this.needs), this.reads);
    this.listen();
    void this.update();
  }

  private async showReads(): Promise<void> {
    const text = this.input.value.trim();
    const found = await this.ask.reads(text);
    if (text !== this.input.value.trim()) return;
    this.reads.replaceChildren("ok" in found ? picture(found.ok.svg) : h("p", {}, `No picture: ${found.error}`));
  }

  private async update(): Promise<void> {
    const text = this.input.value.trim();
    const tile = text.split(",").map((part) => {
      const [offset = 0, size = 1, stride = 1] = part.split(":").map(Number);
      return [offset, size, stride] as Dimension;
    });
    this.result.replaceChildren(h("p", {}, `result ${listText(this.dims)}`), rectangle(this.dims, tile, "tile of the result"));
    this.drawArrows();
    const found = await this.ask.needs(text);
    if (text !== this.input.value.trim()) return;
    if ("error" in found) return this.needs.replaceChildren(h("p", { class: "error" }, found.error));
    this.needs.replaceChildren(...found.ok.needs.map((need) => this.operand(need)));
  }

  private operand(need: Needed): HTMLElement {
    const array = this.arrays.find((one) => one.operand === need.operand && one.leaf === need.leaf)!;
    const found = need.tile;
    const tile = Array.isArray(found) ? found : found && typeof found === "object" ? found.tile : undefined;
    const moved = found !== null && typeof found === "object" && !Array.isArray(found);
    const what = tile ? dimensionsText(tile) + (moved ? ", moved by offsets" : "")
      : found === null ? "nothing" : found === "none" ? `no tile: ${need.why ?? ""}` : `unknown: ${need.why ?? ""}`;
    return h("div", { class: "need" }, h("p", {}, `${array.name} needs ${what}`), rectangle(array.dims ?? [], tile, `${array.name}: ${what}`));
  }

  // Dragging over the result chooses the last two dimensions of the tile.
  private listen(): void {
    let from: [number, number] | undefined;
    const at = (event: PointerEvent): [number, number] => {
      const box = this.result.querySelector("svg")!.getBoundingClientRect();
      const part = (value: number, size: number) => Math.min(size - 1, Math.max(0, Math.floor(value * size)));
      return [part((event.clientY - box.top) / box.height, this.dims.at(-2) ?? 1),
        part((event.clientX - box.left) / box.width, this.dims.at(-1) ?? 1)];
    };
    const drag = (event: PointerEvent) => {
      if (!from) return;
      const to = at(event);
      const span = (k: 0 | 1) => `${Math.min(from![k], to[k])}:${Math.abs(from![k] - to[k]) + 1}`;
      const parts = this.input.value.split(",");
      if (this.dims.length >= 1) parts[this.dims.length - 1] = span(1);
      if (this.dims.length >= 2) parts[this.dims.length - 2] = span(0);
      this.input.value = parts.join(",");
      this.ask.moved(this.input.value);
      void this.update();
    };
    this.result.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      from = at(event);
      drag(event);
    });
    this.result.addEventListener("pointermove", drag);
    window.addEventListener("pointerup", () => (from = undefined));
  }
}

