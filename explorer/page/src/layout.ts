// SPDX-License-Identifier: Apache-2.0
// The panel "Layout": picture, the way of an element, the steps, other systems.
import { ask } from "./answers";
import { copyButton, delayed, Field, h, listText, picture, select, svg, table } from "./dom";
import { change, linkTo, type State, write } from "./state";
import { Steps } from "./steps";

interface Layout {
  layout: string;
  dims: number[];
  elements?: number;
  padding?: number;
  slots: number;
  bytes?: number;
  svg: string;
}

interface Step { step: string; dims: number[]; index: number[]; moves: boolean }
interface Mode { mode: number; digits: number[]; extents: number[]; strides: number[] }

interface Element {
  index: number[];
  offset: number;
  steps: (Step | Mode)[];
  physical?: number[];
  tile?: number[];
  position?: number[];
  bit?: number | bigint;
}

interface Conversion {
  system: string;
  text?: string;
  verdict: string;
  reason?: string;
  notes: string[];
}

export const examples = [
  "f32[3,5]{1,0:T(2,2)}",
  "bf16[16,256]{1,0:T(8,128)(2,1)}",
  "f32[128,256]{1,0:T(8,128)}",
  "f16[64,96]{0,1:T(16,16)(16,1)}",
  "zN:f16[64,96]",
  "((4,2),(2,3)):((1,24),(4,8))",
  "dnnl:nChw16c:f32[2,32,5,5]",
];

const kRest = 150; // milliseconds

const systems: Record<string, string> = {
  xla: "XLA",
  tla: "CATLASS (TLA)",
  cute: "CuTe",
  dnnl: "oneDNN",
};

export function layoutPanel(state: State): Node {
  const text = new Field("Layout: an XLA shape, a nested layout, a tag or a oneDNN format", "layout-text",
    state.text ?? examples[0]!, () => void update());
  const coloring = select("Color by", "coloring", ["offset", "tile", "line", "bank"],
    state.coloring ?? "offset", () => void update());
  const path = h("input", { type: "checkbox", id: "path", change: () => void update() });
  path.checked = state.path === "1";
  const index = new Field("Element: its index", "index", "", () => typedIndex());
  const numbers = h("dl", { class: "numbers" });
  const drawing = h("div", { tabindex: "0", role: "application", id: "drawing",
    "aria-label": "picture of the layout; the arrow keys and page up, page down choose another element" });
  const element = h("section", { "aria-live": "polite", id: "element" });
  const steps = new Steps(Number(state.step ?? 0), (step) => change("layout", { step: step === 0 ? "" : String(step) }));
  const others = h("section", { id: "systems" });
  let dims: number[] = [];
  let at: number[] = [];
  let asked = state.at; // the element that a link names

  async function update(): Promise<void> {
    const question = text.value;
    const found = await ask<Layout>({
      ask: "layout", text: question, coloring: coloring.input.value, path: path.checked,
    });
    if (question !== text.value) return; // a later question is on its way
    text.show("error" in found ? found.error : undefined);
    if ("error" in found) return;
    drawing.replaceChildren(picture(found.ok.svg));
    showNumbers(found.ok);
    dims = found.ok.dims;
    at = inside(asked) ?? inside(at.join(",")) ?? dims.map(() => 0);
    asked = undefined;
    write("layout", {
      text: question, coloring: coloring.input.value, ...(path.checked ? { path: "1" } : {}),
      ...(at.some((coordinate) => coordinate > 0) ? { at: at.join(",") } : {}),
    });
    void showElement();
    showRest();
  }

  // What is below the picture waits until nobody types.
  const showRest = delayed(kRest, () => {
    void steps.show(text.value);
    void showOthers(text.value);
  });

  // The index in a text like "2,3", if the array has such an element.
  function inside(list: string | undefined): number[] | undefined {
    if (list === undefined) return undefined;
    const found = list.trim() === "" ? [] : list.split(",").map(Number);
    const fits = found.length === dims.length &&
      found.every((coordinate, d) => Number.isInteger(coordinate) && coordinate >= 0 && coordinate < dims[d]!);
    return fits ? found : undefined;
  }

  function typedIndex(): void {
    const found = inside(index.value.replace(/[[\]\s]/g, ""));
    index.show(found ? undefined : `expected an index inside of ${listText(dims)}`);
    if (!found) return;
    at = found;
    chosen();
  }

  function chosen(): void {
    change("layout", { at: at.some((coordinate) => coordinate > 0) ? at.join(",") : "" });
    void showElement();
  }

  function showNumbers(layout: Layout): void {
    const entries: [string, string][] = [
      ["read as", layout.layout],
      ["array", listText(layout.dims)],
      ["elements", String(layout.elements ?? "more than 2^63")],
      ["positions in memory", String(layout.slots)],
      ["padding", String(layout.padding ?? "")],
      ["bytes", String(layout.bytes ?? "")],
    ];
    numbers.replaceChildren(...entries.filter(([, value]) => value)
      .map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
  }

  async function showElement(): Promise<void> {
    const asking = at.join(",");
    const found = await ask<Element>({ ask: "element", text: text.value, index: at });
    if (asking !== at.join(",")) return;
    if ("error" in found) return element.replaceChildren(found.error);
    const e = found.ok;
    const rows = e.steps.filter((step) => "mode" in step || step.moves).map((step) => "mode" in step
      ? [`mode ${step.mode}: digits of (${step.extents.join(",")})`, `strides (${step.strides.join(",")})`, `(${step.digits.join(",")})`]
      : [step.step, listText(step.dims), listText(step.index)]);
    const facts = [
      e.physical ? `physical index ${listText(e.physical)}` : "",
      e.tile && e.position ? `tile ${listText(e.tile)}, position ${listText(e.position)} in it` : "",
      e.bit !== undefined ? bytes(BigInt(e.bit)) : "",
    ].filter((fact) => fact);
    element.replaceChildren(
      h("h2", {}, `Element ${listText(e.index)} is at offset ${e.offset}`),
      ...facts.map((fact) => h("p", {}, fact)),
      rows.length > 0 ? table("Its way through the definition", ["step", "sizes", "index"], rows) : "");
    if (document.activeElement !== index.input) index.input.value = e.index.join(",");
    index.show(undefined);
    void mark(e.index.join(",") || "0");
  }

  // A frame around the chosen element, above its neighbors and the outlines of tiles.
  // A large array is drawn again, with the tile of the element.
  async function mark(chosen: string): Promise<void> {
    const find = () => drawing.querySelectorAll(`[data-at="${chosen}"]`);
    if (find().length === 0 && dims.length > 0) {
      const found = await ask<Layout>({
        ask: "layout", text: text.value, coloring: coloring.input.value, path: path.checked, chosen: at,
      });
      if ("error" in found || chosen !== at.join(",")) return;
      drawing.replaceChildren(picture(found.ok.svg));
      return;
    }
    for (const old of drawing.querySelectorAll(".mark, .r")) old.remove();
    for (const cell of find()) {
      const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => cell.getAttribute(name) ?? "0");
      cell.parentNode?.append(svg("rect", { class: "mark", x, y, width, height }));
    }
  }

  async function showOthers(question: string): Promise<void> {
    const found = await ask<{ systems: Conversion[] }>({ ask: "convert", text: question });
    if (question !== text.value) return;
    const title = "The same layout in other systems";
    if ("error" in found) return others.replaceChildren(h("h2", {}, title), h("p", {}, found.error));
    others.replaceChildren(h("h2", {}, title), table(title, ["system", "layout", "equal?"],
      found.ok.systems.map((one) => [
        systems[one.system] ?? one.system,
        one.text ? h("span", {}, h("code", {}, one.text), copyButton(one.text)) : one.reason ?? "",
        one.verdict + (one.notes.length > 0 ? `; ${one.notes.join("; ")}` : ""),
      ]), "quiet"));
  }

  function point(event: Event): void {
    const place = (event.target as globalThis.Element).closest("[data-at]")?.getAttribute("data-at")?.replace("tile:", "");
    const found = place ? inside(dims.length === 0 ? "" : place) : undefined;
    if (!found || found.join(",") === at.join(",")) return;
    at = found;
    chosen();
  }
  // Not pointerover, which also happens if the picture moves under a resting pointer.
  let last = "";
  drawing.addEventListener("pointermove", (event) => {
    const here = `${event.screenX},${event.screenY}`;
    if (here !== last) point(event);
    last = here;
  });
  drawing.addEventListener("click", point);
  drawing.addEventListener("keydown", (event) => {
    const rank = dims.length;
    const moves: Record<string, [number, number]> = {
      ArrowRight: [rank - 1, 1], ArrowLeft: [rank - 1, -1], ArrowDown: [rank - 2, 1], ArrowUp: [rank - 2, -1],
      PageDown: [rank - 3, 1], PageUp: [rank - 3, -1],
    };
    const [dimension, step] = moves[event.key] ?? [-1, 0];
    if (dimension < 0) return;
    event.preventDefault();
    const next = at[dimension]! + step;
    if (next < 0 || next >= dims[dimension]!) return;
    at = at.map((coordinate, d) => (d === dimension ? next : coordinate));
    chosen();
  });

  void update();
  return h("div", { class: "panel" },
    h("div", { class: "inputs" },
      text.box, coloring.box, h("div", { class: "field check" }, path, h("label", { for: "path" }, "path by offset")),
      h("p", { class: "examples" }, "Examples: ",
        ...examples.flatMap((one) => [h("a", { href: linkTo("layout", { text: one }) }, one), " "])),
    ),
    numbers,
    h("div", { class: "beside" }, drawing, h("div", {}, index.box, element)),
    steps.box, others,
  );
}

function bytes(bit: bigint): string {
  const rest = bit % 8n;
  return `begins at byte ${bit / 8n}${rest === 0n ? "" : `, bit ${rest}`}`;
}
