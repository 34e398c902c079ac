// SPDX-License-Identifier: Apache-2.0
// A diagram of one case of the zoo: the question, and from it an arrow to the right answer and one
// to the wrong answer.
import { svg } from "./dom";

const kLine = 18, kColumns = 58, kWidth = 460, kGap = 90;

// Cuts a text into lines; a long one ends in "..".
function lines(text: string, most: number): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length && found.length < most; at += kColumns) found.push(text.slice(at, at + kColumns));
  if (text.length > most * kColumns) found[most - 1] = `${found[most - 1]!.slice(0, -2)}..`;
  return found.length > 0 ? found : ["nothing"];
}

function box(title: string, text: string, x: number, y: number, look: string): { drawn: SVGElement; height: number } {
  const all = lines(text, 8);
  const height = (all.length + 1) * kLine + 12;
  return {
    height,
    drawn: svg("g", { class: look },
      svg("rect", { x, y, width: kWidth, height, rx: 6 }),
      svg("text", { x: x + 10, y: y + kLine, class: "title" }, title),
      ...all.map((line, i) => svg("text", { x: x + 10, y: y + (i + 2) * kLine }, line))),
  };
}

export function verdict(question: string, right: string, wrong: string): SVGElement {
  const x = kWidth + kGap;
  const upper = box("✓ right", right, x, 4, "verdict right");
  const lower = box("✗ wrong", wrong, x, 4 + upper.height + 16, "verdict wrong");
  const asked = box("the question", question, 4, 4, "verdict");
  const height = Math.max(4 + upper.height + 16 + lower.height, asked.height) + 8;
  const arrow = (to: number) => svg("path", { class: "edge",
    d: `M${kWidth + 4},30 C${kWidth + 50},30 ${kWidth + 50},${to} ${x - 4},${to}` });
  return svg("svg", { viewBox: `0 0 ${x + kWidth + 8} ${height}`, width: x + kWidth + 8, height, class: "graph", role: "img",
    "aria-label": "the question, the right answer and the wrong one" },
  arrow(30), arrow(30 + upper.height + 16), asked.drawn, upper.drawn, lower.drawn);
}
