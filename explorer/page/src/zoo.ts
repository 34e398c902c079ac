// SPDX-License-Identifier: Apache-2.0
// The panel "Bug zoo": real bugs, each with its smallest counterexample: the question, the wrong
// answer and the right one, and a picture.
import zoo, { type ZooEntry } from "tileproof-zoo";
import { ask } from "./answers";
import { h, picture } from "./dom";
import { plot, type Values } from "./plot";
import { linkTo, type State, write } from "./state";

const shown = zoo.entries.filter((entry) => entry.caught && entry.request);

export function zooPanel(state: State): Node {
  const page = h("article", { id: "bug" });
  const filter = h("input", { id: "filter", type: "search", "aria-label": "filter", placeholder: "filter", input: () => list() });
  const names = h("ul", { class: "names" });

  function list(): void {
    const words = filter.value.toLowerCase();
    names.replaceChildren(...shown
      .filter((entry) => `${entry.id} ${entry.wrong} ${entry.seen}`.toLowerCase().includes(words))
      .map((entry) => h("li", {}, h("a", { href: linkTo("zoo", { bug: entry.id }) }, entry.id))));
  }

  function show(entry: ZooEntry): void {
    write("zoo", { bug: entry.id });
    const drawing = h("div", { class: "picture" });
    page.replaceChildren(
      h("h2", {}, entry.id),
      h("p", {}, h("strong", {}, "The bug: "), entry.wrong),
      h("p", {}, h("strong", {}, "Seen in: "), entry.seen),
      h("p", {}, h("strong", {}, "The smallest case that shows it")),
      h("pre", {}, requestText(entry)),
      h("p", { class: "different" }, "Wrong: ", h("code", {}, entry.answer ?? entry.verdict ?? "")),
      h("p", { class: "equal" }, "Right: ", h("code", {}, entry.right ?? "")),
      drawing);
    void draw(entry, drawing);
  }

  list();
  const first = shown.find((entry) => entry.id === state.bug) ?? shown[0];
  if (first) show(first);
  return h("div", { class: "panel zoo" }, h("nav", { "aria-label": "bugs" }, filter, names), page);
}

function requestText(entry: ZooEntry): string {
  return Object.entries(entry.request ?? {})
    .filter(([key]) => key !== "id" && key !== "parsed")
    .map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("\n");
}

// The result in a text like {"result": ..}.
function resultIn(text: string | undefined): unknown {
  try {
    return (JSON.parse(text ?? "") as { result?: unknown }).result;
  } catch {
    return undefined;
  }
}

async function draw(entry: ZooEntry, box: HTMLElement): Promise<void> {
  const request = entry.request ?? {};
  if (typeof request.shape === "string" || typeof request.layout === "string") {
    const found = await ask<{ svg: string }>({ ask: "layout", text: request.shape ?? request.layout });
    if ("ok" in found) box.replaceChildren(picture(found.ok.svg));
    return;
  }
  const wrong = resultIn(entry.answer);
  const map = typeof request.map === "string" ? request.map : resultIn(entry.right);
  if (typeof map !== "string" || typeof wrong !== "string" || !wrong.includes("->")) return;
  const right = await values(map), answered = await values(wrong);
  if (!right || !answered) return;
  box.replaceChildren(h("p", {}, "right"), plot(right, "values of the right map"),
    h("p", {}, "wrong"), plot(answered, "values of the wrong map", right));
}

// The first result over the first two variables; the others at their least value.
async function values(map: string): Promise<Values | undefined> {
  const found = await ask<{ variables: { name: string; low: number; high: number }[]; results: number }>({ ask: "map", text: map });
  if (!("ok" in found) || found.ok.variables.length === 0 || found.ok.results === 0) return undefined;
  const [first, second] = found.ok.variables;
  const plotted = await ask<Values>({
    ask: "plot", text: map, x: first!.name, ...(second ? { y: second.name } : {}), result: 0,
    at: found.ok.variables.map((variable) => Number(variable.low)),
  });
  return "ok" in plotted ? plotted.ok : undefined;
}
