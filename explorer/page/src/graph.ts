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
const kMostNodes = 150;

// The instructions that are drawn: all, or those near the chosen one, operands and users first.
export function near(instructions: Instruction[], chosen: number, most = kMostNodes): number[] {
  if (instructions.length <= most) return instructions.map((_, i) => i);
  const users: number[][] = instructions.map(() => []);
  instructions.forEach((each, i) => each.operands.forEach((operand) => users[operand]!.push(i)));
  const found = new Set([chosen]);
  for (const at of found) {
    for (const next of [...instructions[at]!.operands, ...users[at]!]) {
      if (found.size < most) found.add(next);
    }
  }
  return [...found].sort((a, b) => a - b);
}

// The layer of each of these instructions: one more than the greatest of its operands.
export function layers(instructions: Instruction[], shown: number[]): Map<number, number> {
  const found = new Map<number, number>();
  for (const each of shown) {
    found.set(each, Math.max(-1, ...instructions[each]!.operands.map((operand) => found.get(operand) ?? -1)) + 1);
  }
  return found;
}

export function graph(instructions: Instruction[], chosen: number, choose: (number: number) => void): SVGElement {
  const shown = near(instructions, chosen);
  const layer = layers(instructions, shown);
  const inLayer: number[] = [];
  const places = new Map(shown.map((i) => {
    const row = layer.get(i)!;
    const column = (inLayer[row] = (inLayer[row] ?? -1) + 1);
    return [i, { x: column * (kWidth + kGapX) + 4, y: row * (kHeight + kGapY) + 4 }];
  }));
  const all = [...places.values()];
  const width = Math.max(...all.map((p) => p.x)) + kWidth + 4;
  const height = Math.max(...all.map((p) => p.y)) + kHeight + 4;
  const picture = svg("svg", {
    viewBox: `0 0 ${width} ${height}`, width, height, class: "graph", role: "group", "aria-label": "graph of instructions",
  });
  for (const [i, to] of places) {
    for (const operand of instructions[i]!.operands) {
      const from = places.get(operand);
      if (!from) continue;
      const x1 = from.x + kWidth / 2, y1 = from.y + kHeight, x2 = to.x + kWidth / 2, y2 = to.y;
      picture.append(svg("path", { class: "edge", d: `M${x1},${y1} C${x1},${y1 + 20} ${x2},${y2 - 20} ${x2},${y2}` }));
    }
  }
  for (const [i, { x, y }] of places) {
    const each = instructions[i]!;
    const node = svg("g", {
      class: i === chosen ? "node chosen" : "node", tabindex: "0", role: "button", "aria-pressed": String(i === chosen),
      "data-instruction": i,
    },
    svg("rect", { x, y, width: kWidth, height: kHeight, rx: 6 }),
    svg("text", { x: x + 8, y: y + 16 }, cut(`${each.name} = ${each.opcode}`)),
    svg("text", { x: x + 8, y: y + 32, class: "shape" }, cut(each.shape)),
    svg("title", {}, each.line));
    node.addEventListener("click", () => choose(i));
    node.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      choose(i);
    });
    picture.append(node);
  }
  return picture;
}

const cut = (text: string): string => (text.length > 27 ? `${text.slice(0, 25)}..` : text);
