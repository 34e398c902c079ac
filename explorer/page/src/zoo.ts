// SPDX-License-Identifier: Apache-2.0
// The panel "Bug zoo": each real bug as a story: who saw it, what was asked, the wrong answer and the
// right one for the smallest case, the rule behind it, and a picture.
import zoo, { type ZooEntry } from "tileproof-zoo";
import { ask } from "./answers";
import { h, picture } from "./dom";
import { plotBoth } from "./plot";
import { verdict } from "./verdict";
import { linkTo, type State, write } from "./state";

interface Page {
  id: string;
  wrong: string;
  seen: string;
  found?: ZooEntry; // with its case
  why_not?: string; // no operation of the protocol can show the bug
}

// What an operation is for, to readers who know none of the systems.
const questions: Record<string, string> = {
  "map.simplify": "A compiler makes an index expression shorter. It must give the same numbers at every point.",
  "map.compose": "Two maps, one after the other, become one. It must lead to the same element.",
  "map.evaluate": "An index expression is computed at one point.",
  "map.equal": "Are two index expressions the same at every point?",
  "map.check": "Does a map stay inside of its array, reach all of it, and never reach an element twice?",
  "hlo.index": "Which element of an operand does an element of the result read?",
  "hlo.equal": "Do two programs compute the same values? One of them may be partitioned over devices.",
  "hlo.exchange": "Devices exchange parts of an array. From which device does an element of the result come?",
  "layout.linearize": "At which offset in memory is an element of a tiled array?",
  "layout.physical": "Which sizes does a tiled array have in memory, with its padding?",
  "layout.offset": "At which offset in memory is an element?",
  "layout.banks": "Which threads of a GPU wait for each other, since they need different words of one memory bank?",
  "layout.element": "Which element of an array does a register of a thread hold?",
  "layout.owner": "Which registers of which threads hold an element?",
  "shard.index": "Which element of the whole array is an element of the part that a device holds?",
  "grid.check": "Do the blocks of a kernel stay inside of their arrays, and write each element of the output once?",
  "tile.propagate": "Which tile of an operand does a tile of the result need?",
  "tla.composition": "One layout is read in the order of another one. Which layout is that?",
  "tla.offset": "At which offset is a coordinate of a nested layout?",
  "tla.make": "Which layout has an array of this format?",
};

const shown: Page[] = [
  ...zoo.entries.filter((entry) => entry.caught && entry.request).map((entry) => ({ ...entry, found: entry })),
  ...zoo.others,
];

export function zooPanel(state: State): Node {
  const page = h("article", { id: "bug" });
  const filter = h("input", { id: "filter", type: "search", "aria-label": "filter", placeholder: "filter", input: () => list() });
  const names = h("ul", { class: "names" });

  const first = shown.find((entry) => entry.id === state.bug) ?? shown[0];
  const current = first?.id;

  function list(): void {
    const words = filter.value.toLowerCase();
    names.replaceChildren(...shown
      .filter((entry) => `${entry.id} ${entry.wrong} ${entry.seen}`.toLowerCase().includes(words))
      .map((entry) => h("li", {}, h("a", { href: linkTo("zoo", { bug: entry.id }), "aria-current": entry.id === current && "page" }, entry.id))));
  }

  function show(entry: Page): void {
    write("zoo", { bug: entry.id });
    const drawing = h("div", { id: "bug-picture" });
    page.replaceChildren(
      h("h2", {}, entry.id),
      h("p", {}, h("strong", {}, "Seen in: "), entry.seen),
      ...(entry.found ? caseOf(entry.found) : [h("p", {}, h("strong", {}, "No question shows it: "), entry.why_not ?? "")]),
      h("p", {}, h("strong", {}, "The wrong rule: "), entry.wrong),
      drawing);
    if (entry.found) void draw(entry.found, drawing).then(() => (drawing.dataset.done = ""));
  }

  list();
  if (first) show(first);
  return h("div", { class: "panel zoo" }, h("nav", { "aria-label": "bugs" }, filter, names), page);
}

function caseOf(entry: ZooEntry): Node[] {
  return [
    h("p", {}, h("strong", {}, "What was asked: "), questions[entry.operation] ?? entry.operation),
    h("p", {}, "The smallest case that goes wrong:"),
    h("pre", {}, requestText(entry)),
    h("p", { class: "different" }, "Wrong: ", h("code", {}, answerText(entry.answer) || entry.verdict)),
    h("p", { class: "equal" }, "Right: ", h("code", {}, answerText(entry.right) || "an error")),
    whyIn(entry.right) !== undefined && h("p", {}, `They differ ${whyIn(entry.right)}.`),
  ].filter((node) => node !== false);
}

function requestText(entry: ZooEntry): string {
  return Object.entries(entry.request ?? {})
    .filter(([key]) => key !== "id" && key !== "op" && key !== "parsed")
    .map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("\n");
}

// A member of a text like {"result": ..}.
function memberIn(text: string | undefined, name: "result" | "why"): unknown {
  try {
    return (JSON.parse(text ?? "") as Record<string, unknown>)[name];
  } catch {
    return undefined;
  }
}
const resultIn = (text: string | undefined): unknown => memberIn(text, "result");

function whyIn(text: string | undefined): string | undefined {
  const why = memberIn(text, "why");
  return typeof why === "string" && why.startsWith("at ") ? why : undefined;
}

// The result alone, if the answer has one.
function answerText(text: string | undefined): string {
  const result = resultIn(text);
  return result === undefined ? text ?? "" : typeof result === "string" ? result : JSON.stringify(result);
}

// The picture of a case: the layout with the element, the two maps, or what the instruction reads.
async function draw(entry: ZooEntry, box: HTMLElement): Promise<void> {
  const request = entry.request ?? {};
  box.append(h("div", { class: "picture", tabindex: "0", role: "region", "aria-label": "diagram" },
    verdict(requestText(entry).replaceAll("\n", "  "), answerText(entry.right) || "an error", answerText(entry.answer) || "an error")));
  const layout = request.shape ?? request.layout;
  if (typeof layout === "string") return drawLayout(layout, request.index ?? request.coord, box);
  const right = resultIn(entry.right), wrong = resultIn(entry.answer);
  if (typeof request.hlo === "string") await drawModule(request.hlo, box);
  const maps = [request.map, right, request.left, request.first].filter((map) => typeof map === "string" && map.includes("->"));
  const pair: [unknown, unknown] = typeof wrong === "string" ? [maps[0], wrong]
    : Array.isArray(right) && Array.isArray(wrong) ? [firstMap(right), firstMap(wrong)]
    : [request.left ?? request.first ?? request.map, request.right ?? request.second ?? request.map];
  if (typeof pair[0] !== "string" || typeof pair[1] !== "string") return;
  const isAnswer = pair[1] === wrong || Array.isArray(wrong);
  box.append(pair[0] === pair[1]
    ? await plotBoth(["the map", pair[0]], ["the same", pair[1]])
    : await plotBoth([isAnswer ? "right" : "one map", pair[0]], [isAnswer ? "wrong" : "the other", pair[1]]));
}

const firstMap = (lists: unknown[]): unknown => {
  const first: unknown = lists.flat().at(0);
  return typeof first === "object" && first !== null ? (first as { map?: unknown }).map : first;
};

async function drawLayout(text: string, index: unknown, box: HTMLElement): Promise<void> {
  const found = await ask<{ svg: string }>({ ask: "layout", text });
  if (!("ok" in found)) return;
  box.append(h("p", {}, "the right offsets"), picture(found.ok.svg));
  const at = Array.isArray(index) ? index.join(",") : "";
  box.querySelector(`[data-at="${at}"]`)?.classList.add("chosen");
}

async function drawModule(text: string, box: HTMLElement): Promise<void> {
  const module = await ask<{ entry: number; computations: { root: number }[] }>({ ask: "module", text });
  if (!("ok" in module)) return;
  const computation = module.ok.entry, instruction = module.ok.computations[computation]!.root;
  const found = await ask<{ svg: string }>({ ask: "reads", text, computation, instruction });
  if ("ok" in found) box.append(h("p", {}, "what the corner of the result reads"), picture(found.ok.svg));
}
