// SPDX-License-Identifier: Apache-2.0
// The panel "Compare": two layouts or two maps, equal or the smallest difference.
import { ask, hasProgram } from "./answers";
import { Field, h, listText, picture } from "./dom";
import { plotBoth } from "./plot";
import { linkTo, type State, write } from "./state";

interface Comparison {
  kind: "layout" | "map";
  verdict: "equal" | "different" | "undecided";
  by?: string;
  at?: number[] | { dims: number[]; ranges: number[]; runtime: number[] };
  point?: string;
  left?: unknown;
  right?: unknown;
  open?: string;
  notes: string[];
  svg?: string;
}

const examples: [string, string, string][] = [
  ["f16[64,96]{0,1:T(16,16)(16,1)}", "zN:f16[64,96]", "zN as tiles"],
  ["f32[128,256]{1,0:T(8,128)}", "f32[128,256]{1,0}", "tiles and rows"],
  ["(d0) -> (d0 mod 6), domain: d0 in [0, 99]",
    "(d0) -> (d0 - (d0 floordiv 6) * 6), domain: d0 in [0, 99]", "mod by floordiv"],
  ["(d0) -> ((-d0) floordiv 2), domain: d0 in [0, 9]", "(d0) -> (-(d0 floordiv 2)), domain: d0 in [0, 9]", "floordiv of a negative"],
];

function valueText(value: unknown): string {
  if (value === null || value === undefined) return "outside of the domain";
  if (Array.isArray(value)) return `(${value.join(", ")})`;
  return typeof value === "object" ? JSON.stringify(value) : `offset ${String(value)}`;
}

export function comparePanel(state: State): Node {
  const left = new Field("Left", "left", state.left ?? examples[0]![0], () => void update());
  const right = new Field("Right", "right", state.right ?? examples[0]![1], () => void update());
  const verdict = h("section", { "aria-live": "polite", id: "verdict" });
  const drawing = h("div");

  async function update(): Promise<void> {
    const question = { ask: "compare", left: left.value, right: right.value };
    const found = await ask<Comparison>({ ...question });
    if (question.left !== left.value || question.right !== right.value) return;
    const wrong = "error" in found ? found.error : "";
    left.show(wrong.startsWith("left: ") ? wrong.slice(6) : undefined);
    right.show(wrong.startsWith("right: ") ? wrong.slice(7) : undefined);
    drawing.replaceChildren();
    if ("error" in found) {
      const named = wrong.startsWith("left: ") || wrong.startsWith("right: ");
      return verdict.replaceChildren(named ? "" : h("p", { class: "error" }, wrong));
    }
    write("compare", { left: left.value, right: right.value });
    verdict.replaceChildren(...lines(found.ok));
    if (found.ok.svg) return drawing.replaceChildren(picture(found.ok.svg));
    if (found.ok.kind === "map") drawing.replaceChildren(await plotBoth(["left", question.left], ["right", question.right]));
  }

  function lines(found: Comparison): Node[] {
    const list: Node[] = [h("h2", { class: found.verdict }, found.verdict)];
    if (found.verdict === "different") {
      const place = found.point ?? listText(found.at as number[]);
      list.push(
        h("p", {}, `${found.kind === "layout" ? "The smallest index where they differ: " : "They differ at "}`, h("strong", {}, place || "the only point")),
        h("p", {}, `left: ${valueText(found.left)}; right: ${valueText(found.right)}`),
      );
    }
    if (found.by) list.push(h("p", {}, `Proven by ${found.by}.`));
    if (found.verdict === "undecided") {
      list.push(h("p", {}, hasProgram()
        ? `The program did not decide it: ${found.open ?? ""}`
        : "This page has no solver. `tileproof explore` decides more."));
    }
    return [...list, ...found.notes.map((note) => h("p", {}, `Beside the function: ${note}`))];
  }

  void update();
  return h("div", { class: "panel" },
    h("div", { class: "inputs" }, left.box, right.box,
      h("p", { class: "examples" }, "Examples: ",
        ...examples.flatMap(([a, b, name]) => [h("a", { href: linkTo("compare", { left: a, right: b }) }, name), " "]))),
    verdict, drawing);
}
