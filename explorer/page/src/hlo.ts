// SPDX-License-Identifier: Apache-2.0
// The panel "HLO": paste a module or drop a file; click an instruction: its maps both ways, what it
// reads, and the tiles that a tile of its result needs.
import { ask } from "./answers";
import { Field, h, listText, select } from "./dom";
import { graph, type Instruction } from "./graph";
import { linkTo, type State, write } from "./state";
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
  const text = new Field("HLO module, or instructions alone (a file can be dropped here)", "hlo",
    state.text ?? examples.transpose!, () => void update(), 10);
  const computations = h("div");
  const drawing = h("div", { class: "picture scrolls" });
  const details = h("section", { id: "instruction", "aria-live": "polite" });
  let module: Module | undefined;
  let computation = 0;

  text.input.addEventListener("dragover", (event) => event.preventDefault());
  text.input.addEventListener("drop", (event) => {
    const file = (event as DragEvent).dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    void file.text().then((content) => {
      text.input.value = content;
      return update();
    });
  });

  async function update(): Promise<void> {
    const question = text.value;
    const found = await ask<Module>({ ask: "module", text: question });
    if (question !== text.value) return;
    text.show("error" in found ? found.error : undefined);
    if ("error" in found) return;
    write("hlo", question.length <= kMostInAddress ? { text: question } : {});
    module = found.ok;
    computation = module.entry;
    const names = module.computations.map((each, i) => each.name || `computation ${i}`);
    const choice = select("Computation", "computation", names, names[computation]!, () => {
      computation = choice.input.selectedIndex;
      void choose(module!.computations[computation]!.root);
    });
    computations.replaceChildren(module.computations.length > 1 ? choice.box : "");
    await choose(module.computations[computation]!.root);
  }

  async function choose(number: number): Promise<void> {
    const shown = module!.computations[computation]!;
    drawing.replaceChildren(graph(shown.instructions, number, (next) => void choose(next)));
    const place = { text: text.value, computation, instruction: number };
    const found = await ask<InstructionAnswer>({ ask: "instruction", ...place });
    if ("error" in found) {
      return details.replaceChildren(h("h2", {}, shown.instructions[number]!.name), h("p", {}, found.error));
    }
    const tiles = h("div");
    details.replaceChildren(h("h2", {}, shown.instructions[number]!.name), h("pre", {}, found.ok.line),
      ...found.ok.arrays.map(arrayBox), tiles);
    if (found.ok.dims && found.ok.arrays.length > 0) {
      const view = new TileView(found.ok.dims, found.ok.arrays, (tile) =>
        ask<{ needs: Needed[] }>({ ask: "tile", ...place, tile }));
      tiles.append(h("h2", {}, "Tiles: drag over the result"), view.box);
    }
  }

  void update();
  return h("div", { class: "panel" },
    h("div", { class: "inputs" }, text.box, computations,
      h("p", { class: "examples" }, "Examples: ",
        ...Object.entries(examples).flatMap(([name, one]) => [h("a", { href: linkTo("hlo", { text: one }) }, name), " "]))),
    drawing, details);
}

function arrayBox(array: ReadArray): HTMLElement {
  const title = `operand ${array.operand}, ${array.name}${array.leaf > 0 ? `#${array.leaf}` : ""}`;
  return h("section", { class: "array" },
    h("h3", {}, title, array.dims ? ` ${listText(array.dims)}` : ""),
    h("p", {}, "from the result to the operand:"),
    ...(array.maps.length > 0 ? array.maps.map((map) => mapLine(map)) : [h("p", {}, "nothing flows")]),
    array.inexact ? h("p", { class: "undecided" }, `a superset: ${array.inexact}`) : "",
    array.inverse.some((list) => list.length > 0) ? h("p", {}, "from the operand to the result:") : "",
    ...array.inverse.flat().map((map) => mapLine(map)),
    utilization(array));
}

const mapLine = (map: string): HTMLElement =>
  h("p", {}, h("a", { href: linkTo("map", { text: map }) }, h("code", {}, map)));

function utilization(array: ReadArray): HTMLElement {
  const read = array.utilization;
  if (!read) return h("p");
  if ("uncounted" in read) return h("p", {}, `elements read: ${read.uncounted}`);
  const count = read.least === read.most ? String(read.most) : `${read.least} to ${read.most}`;
  const share = read.elements === 0 ? 0 : Number(read.most) / Number(read.elements);
  return h("p", {},
    h("meter", { min: 0, max: 1, value: share, "aria-label": `share of ${array.name} that is read` }),
    ` reads ${count} of ${read.elements} elements`);
}

