// SPDX-License-Identifier: Apache-2.0
// The panel "Map": a map, its normal form step by step, each step with its lemma, and a plot.
import certificates from "tileproof-certificates";
import { ask } from "./answers";
import { copyButton, Field, h, select } from "./dom";
import { plot, type Values } from "./plot";
import { linkTo, type State, write } from "./state";

interface Variable {
  name: string;
  kind: string;
  low: number;
  high: number;
}

interface Step {
  number: number;
  says: string;
  by: string;
  lemma?: string;
  uses: number[];
}

interface MapAnswer {
  map: string;
  variables: Variable[];
  results: number;
  simplified: string;
  accepted: boolean;
  rejected?: string;
  sections?: { before: string; after: string; lets: string[]; steps: Step[] }[];
}

interface Lemma {
  name: string;
  says: string;
  statement: string;
  subject: string;
}

const examples = [
  "(d0, d1) -> ((d0 * 8 + d1) floordiv 8, (d0 * 8 + d1) mod 8), domain: d0 in [0, 15], d1 in [0, 7]",
  "(d0) -> ((-d0) mod 2), domain: d0 in [0, 127]",
  "(d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 9], s0 in [0, 3], d0 mod 2 in [0, 0]",
  "(d0, d1) -> (((d0 * 64 + d1) floordiv 4) mod 16), domain: d0 in [0, 31], d1 in [0, 63]",
];

export function mapPanel(state: State): Node {
  const text = new Field("Indexing map", "map", state.text ?? examples[0]!, () => void update(), 3);
  const result = h("section", { "aria-live": "polite", id: "simplified" });
  const steps = h("section", { id: "proof" });
  const lemma = h("section", { id: "lemma", "aria-live": "polite" });
  const values = h("section", { id: "plot" });

  async function update(): Promise<void> {
    const question = text.value;
    const found = await ask<MapAnswer>({ ask: "map", text: question });
    if (question !== text.value) return;
    text.show("error" in found ? found.error : undefined);
    if ("error" in found) return;
    write("map", { text: question });
    const map = found.ok;
    result.replaceChildren(
      h("h2", {}, "Normal form"),
      h("p", {}, h("code", {}, map.simplified), copyButton(map.simplified)),
      h("p", { class: map.accepted ? "equal" : "undecided" }, map.accepted
        ? "The checker accepts every step: the normal form has the same domain and results."
        : `No checked proof: ${map.rejected ?? ""}`),
    );
    showSteps(map);
    lemma.replaceChildren();
    showPlot(map);
  }

  function showSteps(map: MapAnswer): void {
    const rows = (map.sections ?? []).flatMap((section) => [
      ...section.lets.map((let_) => h("tr", {}, h("td"), h("td", {}, h("code", {}, let_)), h("td", {}, "a name"))),
      ...section.steps.map((step) => h("tr", {},
        h("td", {}, String(step.number)), h("td", {}, h("code", {}, step.says)),
        h("td", {}, step.lemma ? lemmaLink(step) : step.by,
          step.uses.length > 0 ? ` from ${step.uses.join(", ")}` : ""))),
    ]);
    steps.replaceChildren(h("h2", {}, "Step by step"),
      h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, "step"), h("th", {}, "says"), h("th", {}, "by"))),
        h("tbody", {}, ...rows)));
  }

  function lemmaLink(step: Step): HTMLElement {
    const link = h("button", { type: "button", class: "lemma" }, step.by);
    link.addEventListener("click", () => void showLemma(step.lemma!));
    return link;
  }

  async function showLemma(name: string): Promise<void> {
    const found = await ask<Lemma>({ ask: "lemma", name });
    if ("error" in found) return lemma.replaceChildren(found.error);
    lemma.replaceChildren(
      h("h2", {}, `Lemma ${found.ok.name}`), h("p", {}, found.ok.says),
      h("pre", {}, found.ok.statement),
      h("details", {}, h("summary", {}, "Certificate: why it holds for all integers"),
        h("pre", {}, certificates[name] ?? "none")),
    );
    lemma.scrollIntoView({ block: "nearest" });
  }

  function showPlot(map: MapAnswer): void {
    values.replaceChildren(h("h2", {}, "Values"));
    if (map.variables.length === 0 || map.results === 0) return;
    const names = map.variables.map((variable) => variable.name);
    const draw = () => void drawPlot();
    const x = select("columns", "plot-x", names, names.at(-1)!, draw);
    const y = select("rows", "plot-y", ["", ...names], names.length > 1 ? names[0]! : "", draw);
    const number = select("result", "plot-result", Array.from({ length: map.results }, (_, i) => String(i)), "0", draw);
    const at = map.variables.map((variable) => h("input", {
      type: "number", min: variable.low, max: variable.high, value: variable.low, "aria-label": variable.name, input: draw,
    }));
    const picture = h("div", { class: "picture" });
    async function drawPlot(): Promise<void> {
      const found = await ask<Values>({
        ask: "plot", text: text.value, x: x.input.value,
        ...(y.input.value && y.input.value !== x.input.value ? { y: y.input.value } : {}),
        result: Number(number.input.value), at: at.map((input) => Number(input.value)),
      });
      if ("error" in found) return picture.replaceChildren(found.error);
      picture.replaceChildren(plot(found.ok, `values of result ${number.input.value}`));
    }
    const fixed = map.variables.length > 2 ? h("p", {}, "others at: ", ...at.flatMap((input, i) => [`${names[i]} = `, input, " "])) : "";
    values.append(h("div", { class: "inputs" }, x.box, y.box, number.box), fixed, picture);
    void drawPlot();
  }

  void update();
  return h("div", { class: "panel" },
    h("div", { class: "inputs" }, text.box,
      h("p", { class: "examples" }, "Examples: ",
        ...examples.flatMap((one, i) => [h("a", { href: linkTo("map", { text: one }) }, `map ${i + 1}`), " "]))),
    result, steps, lemma, values);
}
