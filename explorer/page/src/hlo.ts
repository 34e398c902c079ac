// SPDX-License-Identifier: Apache-2.0
// The panel "HLO": paste a module or drop a file; click an instruction: its maps both ways, what it
// reads, and the tiles that a tile of its result needs.
import { ask } from "./answers";
import { trafficBox, heatBox } from "./accesses";
import { Field, h, listText, select } from "./dom";
import { graph, type Instruction } from "./graph";
import { change, linkTo, read, type State, write } from "./state";
import { type Needed, TileView } from "./tiles";

interface Module {
  name: string;
  entry: number;
  computations: { name: string; root: number; instructions: Instruction[] }[];
}

export interface ReadArray {
  operand: number;
  name: string;
  leaf: number;
  dims?: number[];
  maps: string[];
  inexact?: string;
  inverse: string[][];
  utilization?: { least: number; most: number; elements: number } | { uncounted: string };
}

interface InstructionAnswer {
  line: string;
  dims?: number[];
  arrays: ReadArray[];
}

const examples: Record<string, string> = {
  transpose: "p = f32[16,32] parameter(0)\nr = f32[4,4,32] reshape(f32[16,32] p)\nROOT t = f32[32,4,4] transpose(f32[4,4,32] r), dimensions={2,0,1}",
  slice: "p = f32[20,30] parameter(0)\nROOT s = f32[5,10] slice(f32[20,30] p), slice={[2:17:3], [0:30:3]}",
  convolution: "x = f32[1,12,12,1] parameter(0)\nk = f32[3,3,1,1] parameter(1)\nROOT c = f32[1,10,10,1] convolution(f32[1,12,12,1] x, f32[3,3,1,1] k), window={size=3x3}, dim_labels=b01f_01io->b01f",
  gather: "t = f32[9,8] parameter(0)\ni = s32[4] parameter(1)\nROOT g = f32[4,8] gather(f32[9,8] t, s32[4] i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,8}",
};

const kMostInAddress = 4000; // characters of a module that a link keeps

export function hloPanel(state: State): Node {
  const text = new Field("HLO module, or instructions alone (a file can be dropped here)", "hlo-text",
    state.text ?? examples.transpose!, () => void update(), 10);
  const computations = h("div");
  const drawing = h("div", { class: "picture scrolls", tabindex: "0", role: "region", "aria-label": "graph" });
  const details = h("section", { id: "instruction", "aria-live": "polite" });
  let module: Module | undefined;
  let computation = 0;
  let chosen = -1;

  async function update(): Promise<void> {
    const question = text.value;
    const found = await ask<Module>({ ask: "module", text: question });
    if (question !== text.value) return;
    text.show("error" in found ? found.error : undefined);
    if ("error" in found) return;
    module = found.ok;
    const known = read().state;
    const same = known.text === question;
    computation = place(same ? known.computation : undefined, module.computations.length) ?? module.entry;
    const shown = module.computations[computation]!;
    const first = place(same ? known.instruction : undefined, shown.instructions.length) ?? shown.root;
    write("hlo", question.length > kMostInAddress ? {} : same ? known : { text: question });
    const names = module.computations.map((each, i) => each.name || `computation ${i}`);
    const choice = select("Computation", "computation", names, names[computation]!, () => {
      computation = choice.input.selectedIndex;
      void choose(module!.computations[computation]!.root);
    });
    computations.replaceChildren(module.computations.length > 1 ? choice.box : "");
    await choose(first);
  }

  async function choose(number: number): Promise<void> {
    chosen = number;
    const shown = module!.computations[computation]!;
    const focused = drawing.contains(document.activeElement);
    drawing.replaceChildren(graph(shown.instructions, number, (next) => {
      change("hlo", { computation: String(computation), instruction: String(next), tile: "" });
      void choose(next);
    }));
    if (focused) drawing.querySelector<SVGElement>(".chosen")?.focus();
    const question = { text: text.value, computation, instruction: number };
    const found = await ask<InstructionAnswer>({ ask: "instruction", ...question });
    if (chosen !== number || question.text !== text.value) return;
    const name = shown.instructions[number]!.name;
    if ("error" in found) {
      return details.replaceChildren(h("h2", {}, name), h("p", {}, found.error));
    }
    const { line, dims, arrays } = found.ok;
    details.replaceChildren(h("h2", {}, name), h("pre", {}, line), ...arrays.map(arrayBox));
    if (!dims || arrays.length === 0) return;
    const tile = new TileView(dims, arrays, read().state.tile, {
      needs: (text) => ask<{ needs: Needed[] }>({ ask: "tile", ...question, tile: text }),
      reads: (text) => ask<{ svg: string }>({ ask: "reads", ...question, tile: text }),
      moved: (text) => change("hlo", { tile: text }),
    });
    details.append(h("h2", {}, "Tiles: drag over the result"), tile.box,
      h("h2", {}, "Utilization"), heatBox(question), h("h2", {}, "Coalescing"), trafficBox(question, dims));
  }

  void update();
  const panel = h("div", { class: "panel" },
    h("div", { class: "inputs" }, text.box, computations,
      h("p", { class: "examples" }, "Examples: ",
        ...Object.entries(examples).flatMap(([name, one]) => [h("a", { href: linkTo("hlo", { text: one }) }, name), " "]))),
    drawing, details);
  panel.addEventListener("dragover", (event) => event.preventDefault());
  panel.addEventListener("drop", (event) => {
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    void file.text().then((content) => {
      text.input.value = content;
      return update();
    });
  });
  return panel;
}

function place(text: string | undefined, size: number): number | undefined {
  const number = Number(text ?? NaN);
  return Number.isInteger(number) && number >= 0 && number < size ? number : undefined;
}

function arrayBox(array: ReadArray): HTMLElement {
  const title = `operand ${array.operand}, ${array.name}${array.leaf > 0 ? `#${array.leaf}` : ""}`;
  return h("section", { class: "array" },
    h("h3", {}, title, array.dims ? ` ${listText(array.dims)}` : ""),
    h("p", {}, "from the result to the operand:"),
    ...(array.maps.length > 0 ? array.maps.map((map) => mapLine(map)) : [h("p", {}, "nothing flows")]),
    array.inexact ? h("p", { class: "undecided" }, `superset: ${array.inexact}`) : "",
    array.inverse.some((list) => list.length > 0) ? h("p", {}, "from the operand to the result:") : "",
    ...array.inverse.flat().map((map) => mapLine(map)),
    utilization(array));
}

const mapLine = (map: string): HTMLElement =>
  h("p", {}, h("a", { href: linkTo("map", { text: map }) }, h("code", {}, map)));

function utilization(array: ReadArray): HTMLElement | "" {
  const found = array.utilization;
  if (!found) return "";
  if ("uncounted" in found) return h("p", {}, `elements read: ${found.uncounted}`);
  const count = found.least === found.most ? String(found.most) : `${found.least} to ${found.most}`;
  const share = found.elements === 0 ? 0 : Number(found.most) / Number(found.elements);
  return h("p", {},
    h("meter", { min: 0, max: 1, value: share, "aria-label": `share of ${array.name} that is read` }),
    ` reads ${count} of ${found.elements} elements`);
}
