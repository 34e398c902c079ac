// SPDX-License-Identifier: Apache-2.0
// The panel "Map": a map, its normal form step by step, each step with its lemma, and a plot.
import certificates from "tileproof-certificates";
import { ask } from "./answers";
import { type Child, copyButton, Field, h, select, table } from "./dom";
import { plot, type Values } from "./plot";
import { change, linkTo, read, type State, write } from "./state";

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

const examples: Record<string, string> = {
  "row and column": "(d0, d1) -> ((d0 * 8 + d1) floordiv 8, (d0 * 8 + d1) mod 8), domain: d0 in [0, 15], d1 in [0, 7]",
  "parity of a negative": "(d0) -> ((-d0) mod 2), domain: d0 in [0, 127]",
  "a range and a constraint": "(d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 9], s0 in [0, 3], d0 mod 2 in [0, 0]",
  "nested division": "(d0, d1) -> (((d0 * 64 + d1) floordiv 4) mod 16), domain: d0 in [0, 31], d1 in [0, 63]",
};

export function mapPanel(state: State): Node {
  const text = new Field("Indexing map", "map-text", state.text ?? Object.values(examples)[0]!, () => void update(), 3);
  const result = h("section", { "aria-live": "polite", id: "simplified" });
  const domain = h("section", { id: "domain" });
  const steps = h("section", { id: "proof" });
  const lemma = h("section", { id: "lemma", "aria-live": "polite" });
  const values = h("section", { id: "plot" });

  async function update(): Promise<void> {
    const question = text.value;
    const found = await ask<MapAnswer>({ ask: "map", text: question });
    if (question !== text.value) return;
    text.show("error" in found ? found.error : undefined);
    if ("error" in found) return;
    const map = found.ok;
    const same = read().state.text === question;
    write("map", { ...(same ? read().state : {}), text: question });
    result.replaceChildren(
      h("h2", {}, "Normal form"),
      h("p", {}, h("code", {}, map.simplified), copyButton(map.simplified)),
      h("p", { class: map.accepted ? "equal" : "undecided" }, map.accepted
        ? "The checker accepts every step: the normal form has the same domain and results."
        : `No checked proof: ${map.rejected ?? ""}`),
    );
    showSteps(map);
    lemma.replaceChildren();
    showDomain(map);
    showPlot(map);
    const { lemma: named } = read().state;
    if (named) await showLemma(named);
  }

  function showDomain(map: MapAnswer): void {
    // "d0 in [0, 9], d0 mod 2 in [0, 0]": what is not about a variable alone
    const names = new Set(map.variables.map((variable) => variable.name));
    const constraints = (map.map.split("domain: ")[1] ?? "").split(/(?<=\]), /)
      .filter((part) => part.includes(" in ") && !names.has(part.split(" in ")[0]!));
    domain.replaceChildren(h("h2", {}, "Domain"),
      table("Variables", ["variable", "kind", "from", "to"],
        map.variables.map((variable) => [variable.name, variable.kind, String(variable.low), String(variable.high)]), "quiet"),
      constraints.length > 0 ? h("p", {}, "and ", ...constraints.flatMap((one, i) => [i > 0 ? ", " : "", h("code", {}, one)])) : "");
  }

  function showSteps(map: MapAnswer): void {
    const rows = (map.sections ?? []).flatMap((section): Child[][] => [
      ...section.lets.map((let_): Child[] => ["", h("code", {}, let_), "a name"]),
      ...section.steps.map((step): Child[] => [
        String(step.number), h("code", {}, step.says),
        h("span", {}, step.lemma ? lemmaLink(step) : step.by, step.uses.length > 0 ? ` from ${step.uses.join(", ")}` : ""),
      ])]);
    steps.replaceChildren(h("h2", {}, "Step by step"),
      rows.length > 0 ? table("Each step with its lemma", ["step", "says", "by"], rows, "quiet") : h("p", {}, "Nothing to simplify."));
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
    change("map", { lemma: name });
    lemma.scrollIntoView({ block: "nearest" });
  }

  function showPlot(map: MapAnswer): void {
    values.replaceChildren(h("h2", {}, "Values over a box"));
    if (map.variables.length === 0 || map.results === 0) return values.append(h("p", {}, "Nothing to plot."));
    const names = map.variables.map((variable) => variable.name);
    const known = read().state;
    const draw = () => void drawPlot();
    const x = select("columns", "plot-x", names, known.x ?? names.at(-1)!, draw);
    const y = select("rows", "plot-y", ["", ...names], known.y ?? (names.length > 1 ? names[0]! : ""), draw);
    const number = select("result", "plot-result", Array.from({ length: map.results }, (_, i) => String(i)), known.result ?? "0", draw);
    const places = (known.box ?? "").split(",");
    const from = map.variables.map((variable, i) => h("input", {
      type: "number", min: String(variable.low), max: String(variable.high), value: places[i] || String(variable.low),
      "aria-label": `${variable.name} from`, input: draw,
    }));
    const picture = h("div", { class: "picture", tabindex: "0", role: "region", "aria-label": "plot" });
    async function drawPlot(): Promise<void> {
      const rows = y.input.value !== x.input.value ? y.input.value : "";
      const found = await ask<Values>({
        ask: "plot", text: text.value, x: x.input.value, ...(rows ? { y: rows } : {}),
        result: Number(number.input.value), at: from.map((input) => Number(input.value)),
      });
      if ("error" in found) return picture.replaceChildren(h("p", { class: "error" }, found.error));
      picture.replaceChildren(plot(found.ok, `values of result ${number.input.value}`));
      change("map", { x: x.input.value, y: rows, result: number.input.value, box: from.map((input) => input.value).join(",") });
    }
    values.append(h("div", { class: "inputs" }, x.box, y.box, number.box),
      h("p", { class: "box" }, "The box begins at ", ...from.flatMap((input, i) => [h("label", {}, `${names[i]} = `, input), " "]),
        "and has at most 64 columns and rows; variables that are no axis keep this value."),
      picture);
    void drawPlot();
  }

  void update();
  return h("div", { class: "panel" },
    h("div", { class: "inputs" }, text.box,
      h("p", { class: "examples" }, "Examples: ",
        ...Object.entries(examples).flatMap(([name, one]) => [h("a", { href: linkTo("map", { text: one }) }, name), " "]))),
    result, domain, steps, lemma, values);
}
