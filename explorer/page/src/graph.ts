// SPDX-License-Identifier: Apache-2.0
// A computation as a graph: each instruction below all of its operands.
import { svg } from "./dom";

export interface Instruction {
  name: string;
  opcode: string;
  shape: string;
  operands: number[];
  calls: number[];
  line: string;
}

const kWidth = 190, kHeight = 40, kGapX = 16, kGapY = 34;

// The layer of each instruction: one more than the greatest of its operands.
export function layers(instructions: Instruction[]): number[] {
  const found: number[] = [];
  for (const each of instructions) {
    found.push(Math.max(-1, ...each.operands.map((operand) => found[operand]!)) + 1);
  }
  return found;
}

export function graph(instructions: Instruction[], chosen: number, choose: (number: number) => void): SVGElement {
  const layer = layers(instructions);
  const inLayer: number[] = [];
  const places = instructions.map((_, i) => {
    const row = layer[i]!;
    const column = (inLayer[row] = (inLayer[row] ?? -1) + 1);
    return { x: column * (kWidth + kGapX) + 4, y: row * (kHeight + kGapY) + 4 };
  });
  const width = Math.max(...places.map((p) => p.x)) + kWidth + 4;
  const height = Math.max(...places.map((p) => p.y)) + kHeight + 4;
  const picture = svg("svg", {
    viewBox: `0 0 ${width} ${height}`, width, height, class: "graph", role: "group", "aria-label": "graph of instructions",
  });
  instructions.forEach((each, i) => {
    for (const operand of each.operands) {
      const from = places[operand]!, to = places[i]!;
      const x1 = from.x + kWidth / 2, y1 = from.y + kHeight, x2 = to.x + kWidth / 2, y2 = to.y;
      picture.append(svg("path", { class: "edge", d: `M${x1},${y1} C${x1},${y1 + 20} ${x2},${y2 - 20} ${x2},${y2}` }));
    }
  });
  instructions.forEach((each, i) => {
    const { x, y } = places[i]!;
    const node = svg("g", {
      class: i === chosen ? "node chosen" : "node", tabindex: "0", role: "button", "aria-pressed": String(i === chosen),
      "aria-label": `${each.name}: ${each.opcode}`, "data-instruction": i,
    },
    svg("rect", { x, y, width: kWidth, height: kHeight, rx: 6 }),
    svg("text", { x: x + 8, y: y + 16 }, cut(`${each.name} = ${each.opcode}`)),
    svg("text", { x: x + 8, y: y + 32, class: "shape" }, cut(each.shape)),
    svg("title", {}, each.line));
    node.addEventListener("click", () => choose(i));
    node.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") choose(i);
    });
    picture.append(node);
  });
  return picture;
}

const cut = (text: string): string => (text.length > 27 ? `${text.slice(0, 25)}..` : text);
