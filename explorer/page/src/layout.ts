// SPDX-License-Identifier: Apache-2.0
// The panel "Layout": picture, the way of an element, the steps, other systems.
import { ask } from "./answers";
import { copyButton, Field, h, listText, picture, select } from "./dom";
import { linkTo, type State, write } from "./state";
import { Steps } from "./steps";

interface Layout {
  layout: string;
  dims: number[];
  elements?: number;
  padding?: number;
  slots: number;
  bits?: number;
  bytes?: number;
  svg: string;
}

interface Element {
  index: number[];
  offset: number;
  steps: { step: string; dims: number[]; index: number[]; moves: boolean }[];
  modes: { mode: number; digits: number[]; extents: number[]; strides: number[] }[];
  physical?: number[];
  tile?: number[];
  position?: number[];
  bit?: number;
}

interface Conversion {
  system: string;
  text?: string;
  verdict: string;
  reason?: string;
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

const systems: Record<string, string> = {
  xla: "XLA",
  tla: "CATLASS (TLA)",
  cute: "CuTe",
  dnnl: "oneDNN",
};

export function layoutPanel(state: State): Node {
  const text = new Field("Layout", "layout", state.text ?? examples[0]!, () => void update());
  const coloring = select("Color by", "coloring", ["offset", "tile", "line", "bank"],
    state.coloring ?? "offset", () => void update());
  const path = h("input", { type: "checkbox", id: "path", change: () => void update() });
  path.checked = state.path === "1";
  const numbers = h("dl", { class: "numbers" });
  const drawing = h("div", { tabindex: "0", role: "group", "aria-label": "picture of the layout: arrow keys move the element" });
  const element = h("section", { "aria-live": "polite", id: "element" });
  const steps = new Steps();
  const others = h("table", { id: "systems" });
  let dims: number[] = [];
  let at: number[] = [];

  async function update(): Promise<void> {
    const question = text.value;
    const found = await ask<Layout>({
      ask: "layout", text: question, coloring: coloring.input.value, path: path.checked,
    });
    if (question !== text.value) return; // a later question is on its way
    text.show("error" in found ? found.error : undefined);
    if ("error" in found) return;
    write("layout", {
      text: question, coloring: coloring.input.value, ...(path.checked ? { path: "1" } : {}),
    });
    drawing.replaceChildren(picture(found.ok.svg));
    showNumbers(found.ok);
    dims = found.ok.dims;
    at = dims.map(() => 0);
    await Promise.all([showElement(), steps.show(question), showOthers()]);
  }

  function showNumbers(layout: Layout): void {
    const entries: [string, string][] = [
      ["read as", layout.layout],
      ["array", listText(layout.dims)],
      ["elements", String(layout.elements ?? "more than 2^63")],
      ["positions", String(layout.slots)],
      ["padding", String(layout.padding ?? "")],
      ["bytes", String(layout.bytes ?? "")],
    ];
    numbers.replaceChildren(
      ...entries.filter(([, value]) => value).flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
    );
  }

  async function showElement(): Promise<void> {
    const found = await ask<Element>({ ask: "element", text: text.value, index: at });
    if ("error" in found) return element.replaceChildren(found.error);
    const e = found.ok;
    const rows = e.steps.filter((step) => step.moves).map((step) =>
      h("tr", {}, h("td", {}, step.step), h("td", {}, listText(step.dims)), h("td", {}, listText(step.index))));
    const digits = e.modes.map((mode) =>
      h("tr", {}, h("td", {}, `mode ${mode.mode}: digits of (${mode.extents.join(",")})`),
        h("td", {}, `strides (${mode.strides.join(",")})`), h("td", {}, `(${mode.digits.join(",")})`)));
    element.replaceChildren(
      h("h2", {}, `Element ${listText(e.index)} is at offset ${e.offset}`),
      e.bit !== undefined ? h("p", {}, `byte ${Math.floor(e.bit / 8)}, bit ${e.bit % 8}`) : "",
      e.tile && e.position ? h("p", {}, `tile ${listText(e.tile)}, position ${listText(e.position)} in it`) : "",
      h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, "step"), h("th", {}, "sizes"), h("th", {}, "index"))),
        h("tbody", {}, ...rows, ...digits)),
    );
    for (const cell of drawing.querySelectorAll("[data-at]")) {
      cell.classList.toggle("chosen", cell.getAttribute("data-at") === e.index.join(","));
    }
  }

  async function showOthers(): Promise<void> {
    const found = await ask<{ systems: Conversion[] }>({ ask: "convert", text: text.value });
    if ("error" in found) return others.replaceChildren(h("caption", {}, found.error));
    others.replaceChildren(
      h("caption", {}, "The same layout in other systems"),
      ...found.ok.systems.map((one) =>
        h("tr", {}, h("th", { scope: "row" }, systems[one.system] ?? one.system),
          one.text
            ? h("td", {}, h("code", {}, one.text), copyButton(one.text), ` ${one.verdict}`)
            : h("td", {}, `${one.verdict}: ${one.reason ?? ""}`))),
    );
  }

  function choose(event: Event): void {
    const place = (event.target as globalThis.Element).closest("[data-at]")?.getAttribute("data-at");
    if (!place || place === at.join(",")) return;
    at = place.split(",").map(Number).slice(0, dims.length);
    void showElement();
  }
  drawing.addEventListener("pointerover", choose);
  drawing.addEventListener("click", choose);
  drawing.addEventListener("keydown", (event) => {
    const rank = dims.length;
    const move: Record<string, [number, number]> = {
      ArrowRight: [rank - 1, 1], ArrowLeft: [rank - 1, -1],
      ArrowDown: [rank - 2, 1], ArrowUp: [rank - 2, -1],
    };
    const [dimension, step] = move[event.key] ?? [-1, 0];
    if (dimension < 0) return;
    event.preventDefault();
    const next = at[dimension]! + step;
    if (next < 0 || next >= dims[dimension]!) return;
    at[dimension] = next;
    void showElement();
  });

  void update();
  return h("div", { class: "panel" },
    h("div", { class: "inputs" },
      text.box, coloring.box,
      h("div", { class: "field check" }, path, h("label", { for: "path" }, "path in the order of offsets")),
      h("p", { class: "examples" }, "Examples: ",
        ...examples.flatMap((one) => [h("a", { href: linkTo("layout", { text: one }) }, one), " "])),
    ),
    numbers, drawing, element, steps.box, others,
  );
}
