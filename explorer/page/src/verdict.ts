// SPDX-License-Identifier: Apache-2.0
// A diagram of one case of the zoo: the question, and from it an arrow to the right answer and one
// to the wrong answer.
import { svg } from "./dom";

const kLine = 18, kLetter = 7.3;

// Beside each other, or on a narrow page one below the other.
interface Look {
  narrow: boolean;
  width: number; // of a box
  columns: number; // of its text
}
const look = (): Look => {
  const narrow = window.innerWidth < 700;
  const width = narrow ? Math.max(280, window.innerWidth - 50) : 430;
  return { narrow, width, columns: Math.floor((width - 20) / kLetter) };
};

// Cuts a text into lines; a long one ends in "..".
function lines(text: string, most: number, columns: number): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length && found.length < most; at += columns) found.push(text.slice(at, at + columns));
  if (text.length > most * columns) found[most - 1] = `${found[most - 1]!.slice(0, -2)}..`;
  return found.length > 0 ? found : ["nothing"];
}

function box({ width, columns }: Look, title: string, text: string, x: number, y: number, kind: string): { drawn: SVGElement; height: number } {
  const all = lines(text, 8, columns);
  const height = (all.length + 1) * kLine + 12;
  return {
    height,
    drawn: svg("g", { class: kind },
      svg("rect", { x, y, width, height, rx: 6 }),
      svg("text", { x: x + 10, y: y + kLine, class: "title" }, title),
      ...all.map((line, i) => svg("text", { x: x + 10, y: y + (i + 2) * kLine }, line))),
  };
}

export function verdict(question: string, right: string, wrong: string): SVGElement {
  const shape = look();
  const { narrow, width } = shape;
  const gap = narrow ? 24 : 70;
  const asked = box(shape, "the question", question, 4, 4, "verdict");
  const x = narrow ? 4 : 4 + width + gap;
  const y = narrow ? 4 + asked.height + gap : 4;
  const upper = box(shape, "✓ right", right, x, y, "verdict right");
  const below = y + upper.height + 16;
  const lower = box(shape, "✗ wrong", wrong, x, below, "verdict wrong");
  const height = Math.max(below + lower.height, asked.height) + 8;
  const arrow = (to: number) => svg("path", { class: "edge",
    d: `M${4 + width},30 C${4 + width + gap / 2},30 ${4 + width + gap / 2},${to} ${x},${to}` });
  const arrows = narrow
    ? [svg("path", { class: "edge", d: `M${4 + width / 2},${4 + asked.height} V${y}` })]
    : [arrow(30), arrow(below + 26)];
  return svg("svg", { viewBox: `0 0 ${x + width + 4} ${height}`, width: x + width + 4, height, class: "graph", role: "img",
    "aria-label": "the question, the right answer and the wrong one" },
  ...arrows, asked.drawn, upper.drawn, lower.drawn);
}
