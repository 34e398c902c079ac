// SPDX-License-Identifier: Apache-2.0
// The panels that show answers of the program: "Values", "Devices", "Banks" and "Grid". A page that
// `tileproof explore` did not serve has no program, and says so.
import { type Answer, hasProgram, runCommand } from "./answers";
import { type Child, Field, h, listText, picture, table } from "./dom";
import { linkTo, type State, write } from "./state";

interface Run {
  output: string;
  errors: string;
}

interface Asked {
  label: string;
  key: string;
  lines?: number;
}

interface Panel {
  name: string;
  fields: Asked[];
  examples: Record<string, string[]>; // a value for each field
  show: (values: string[]) => Promise<Child[]>;
}

const kWait = 400; // milliseconds without typing before the program is asked

// The output of a command, or its error as a paragraph.
async function output(command: string, texts: string[], options: string[]): Promise<{ text: string } | { wrong: Node }> {
  const found: Answer<Run> = await runCommand<Run>(command, texts, options);
  const wrong = "error" in found ? found.error : found.ok.output === "" ? found.ok.errors : "";
  return "error" in found || wrong ? { wrong: h("pre", { class: "error" }, wrong) } : { text: found.ok.output };
}

async function json<T>(command: string, texts: string[], options: string[]): Promise<{ value: T } | { wrong: Node }> {
  const found = await output(command, texts, [...options, "--json"]);
  if ("wrong" in found) return found;
  const value = JSON.parse(found.text.split("\n")[0] ?? "") as T & { error?: { message: string } };
  return value.error ? { wrong: h("pre", { class: "error" }, value.error.message) } : { value };
}

async function drawing(texts: string[], options: string[]): Promise<Node> {
  const found = await output("layout", texts, [...options, "--svg=-"]);
  return "wrong" in found ? found.wrong : picture(found.text);
}

function show(panel: Panel, state: State): Node {
  const first = Object.values(panel.examples)[0]!;
  const fields = panel.fields.map(({ label, key, lines }, i) =>
    new Field(label, `${panel.name}-${key}`, state[key] ?? first[i]!, () => later(), lines));
  const found = h("section", { "aria-live": "polite", id: `${panel.name}-answer` });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = 0;
  const stateOf = (values: string[]) => Object.fromEntries(panel.fields.map(({ key }, i) => [key, values[i]!]));
  async function update(): Promise<void> {
    const values = fields.map((field) => field.value);
    const mine = ++last;
    write(panel.name, stateOf(values));
    const shown = await panel.show(values);
    if (mine === last) found.replaceChildren(...shown.filter((child) => child !== undefined && child !== false));
  }
  function later(): void {
    clearTimeout(timer);
    timer = setTimeout(() => void update(), kWait);
  }
  if (hasProgram()) void update();
  else found.append(h("p", {}, "This panel asks the program: start ", h("code", {}, "tileproof explore"), "."));
  return h("div", { class: "panel" },
    h("div", { class: "inputs" }, ...fields.map((field) => field.box),
      h("p", { class: "examples" }, "Examples: ", ...Object.entries(panel.examples)
        .flatMap(([name, values]) => [h("a", { href: linkTo(panel.name, stateOf(values)) }, name), " "]))),
    found);
}

// ---- Values ----

interface Step {
  instruction: string;
  opcode: string;
  at: number[];
  value: string;
  place?: string;
}

interface Result {
  leaf: number[];
  verdict: "equal" | "different" | "undecided";
  laws: string[];
  at?: number[];
  global?: number[];
  device?: number;
  difference?: string;
  open?: string;
  path?: Partial<Record<"left" | "right" | "left_reads" | "right_reads", Step[]>>;
}

const stepText = (step: Step): string => `${step.instruction}${listText(step.at)} = ${step.value}`;

// The lines of a module. Those of the path are marked, and the last of them, where the modules begin
// to differ, more so.
function listing(text: string, path: Step[]): Node {
  const names = path.map((step) => step.instruction);
  return h("pre", { class: "module", tabindex: "0" }, ...text.split("\n").map((line) => {
    const at = names.indexOf(/^\s*(?:ROOT\s+)?%?([\w.-]+)\s*=/.exec(line)?.[1] ?? "");
    return h("span", { class: at < 0 ? "" : at + 1 === names.length ? "step last" : "step" }, `${line}\n`);
  }));
}

function walk(side: string, path: Step[], reads: Step[]): Node {
  return h("div", {}, h("h3", {}, side),
    h("ol", { class: "walk" },
      ...path.map((step) => h("li", {}, h("code", {}, stepText(step)), ` by ${step.opcode}${step.place ? `, ${step.place}` : ""}`))),
    reads.length > 0 && h("p", {}, "It reads ", h("code", {}, reads.map(stepText).join(", "))));
}

function resultOf(result: Result, [left = "", right = ""]: string[]): Node {
  const { left: one = [], right: two = [], left_reads = [], right_reads = [] } = result.path ?? {};
  const at = result.global ?? result.at;
  return h("details", { open: result.verdict !== "equal" },
    h("summary", { class: result.verdict },
      `result ${result.leaf.join(", ")}: ${result.verdict}`,
      result.laws.length > 0 && `, with the laws ${result.laws.join(", ")}`,
      at && ` at ${listText(at)}`, result.device !== undefined && ` on device ${result.device}`),
    h("p", {}, result.difference ?? result.open ?? ""),
    one.length + two.length > 0 && h("div", { class: "sides" },
      walk("left", one, left_reads), walk("right", two, right_reads), listing(left, one), listing(right, two)));
}

async function values(texts: string[]): Promise<Child[]> {
  const found = await json<{ equal: boolean | null; results?: Result[]; notes?: string[] }>("equiv", texts.slice(0, 2),
    [`--law=${texts[2] || "exact"}`]);
  if ("wrong" in found) return [found.wrong];
  const { equal, results = [], notes = [] } = found.value;
  const verdict = equal === null ? "undecided" : equal ? "equal" : "different";
  return [h("h2", { class: verdict }, verdict), ...results.map((one) => resultOf(one, texts)), ...notes.map((note) => h("p", {}, note))];
}

// ---- Devices, banks, grids ----

async function devices([shape = "", sharding = ""]: string[]): Promise<Child[]> {
  const given = [`--sharding=${sharding}`];
  const found = await json<{ part: number[]; copies: number[]; devices: { device: number; slice: number[][] | null }[] }>(
    "layout", [shape], given);
  if ("wrong" in found) return [found.wrong];
  const { part, devices: all } = found.value;
  return [await drawing([shape], given),
    table(`Each device holds a part of ${listText(part)}`, ["device", "elements"], all.map(({ device, slice }) =>
      [String(device), slice === null ? "none" : `[${slice.map(([low, high]) => `${low}:${high}`).join(", ")}]`]))];
}

interface Phase {
  access: number[];
  ways: number;
  lanes: number[];
  clash?: { bank: number; lanes: number[]; from: number[][] };
}

async function banks([layout = "", access = "", type = ""]: string[]): Promise<Child[]> {
  const given = type === "" ? [] : [`--type=${type}`];
  const found = await json<{ ways: number; cycles: number; ideal: number; phases: Phase[] }>("banks", [layout], [`--access=${access}`, ...given]);
  if ("wrong" in found) return [found.wrong];
  const { ways, cycles, ideal, phases } = found.value;
  const worst = phases.find((phase) => phase.ways === ways && phase.clash);
  const clash = worst?.clash;
  return [
    h("h2", { class: ways > 1 ? "different" : "equal" }, ways > 1 ? `${ways}-way conflicts` : "no conflicts"),
    h("p", {}, `${cycles} cycles; without conflicts ${ideal}.`),
    clash && h("p", {}, `The lanes ${clash.lanes.join(" and ")} need different words of bank ${clash.bank}: they read from `,
      h("code", {}, clash.from.map(listText).join(" and ")), "."),
    await drawing([layout], ["--color=bank", ...given, ...(clash ? [`--index=${clash.from[0]!.join(",")}`] : [])])];
}

async function grid([text = ""]: string[]): Promise<Child[]> {
  const found = await json<Record<string, { holds: boolean | null; why?: string }>>("grid", [text], []);
  if ("wrong" in found) return [found.wrong];
  return [table("Facts of the grid", ["fact", "holds?", "why not"], Object.entries(found.value).map(([name, { holds, why }]) =>
    [name, h("span", { class: holds === null ? "undecided" : holds ? "equal" : "different" }, holds === null ? "undecided" : holds ? "yes" : "no"), why ?? ""]))];
}

const kSum = "p = f32[4,8] parameter(0)\nc = f32[] constant(2)\nb = f32[4,8] broadcast(c), dimensions={}\nROOT m = f32[4,8] multiply(p, b)";
const kTwice = "p = f32[4,8] parameter(0)\nROOT a = f32[4,8] add(p, p)";
const kSquare = "p = f32[4,8] parameter(0)\nROOT a = f32[4,8] multiply(p, p)";
const output_of = (map: string) => JSON.stringify({ grid: [2], operands: [{ name: "out", kind: "out", shape: [4], block: [2], index_map: map }] }, null, 1);

const panels: Panel[] = [
  {
    name: "values",
    fields: [{ label: "Left module", key: "left", lines: 8 }, { label: "Right module", key: "right", lines: 8 },
      { label: "Laws: exact, order, approximate or real", key: "law" }],
    examples: { "twice as a sum": [kSum, kTwice, "exact"], "a wrong square": [kSum, kSquare, "exact"] },
    show: values,
  },
  {
    name: "devices",
    fields: [{ label: "Shape", key: "shape" }, { label: "Sharding, as HLO writes it", key: "sharding" }],
    examples: {
      "copies": ["f32[6,8]", "{devices=[2,2,2]<=[8] last_tile_dim_replicate}"],
      "padding": ["f32[5,6]", "{devices=[4,1]<=[4]}"],
      "a transposed mesh": ["f32[8,8]", "{devices=[4,2]<=[2,4]T(1,0)}"],
    },
    show: devices,
  },
  {
    name: "banks",
    fields: [{ label: "Layout in shared memory", key: "layout" },
      { label: "Access: a map from lanes, a layout (T, V), ldmatrix, stmatrix, vector or tma", key: "access" },
      { label: "Element type, if the layout names none", key: "type" }],
    examples: {
      "rows": ["f16[64,64]{1,0}", "ldmatrix", ""],
      "swizzled rows": ["Sw<3,3,3> o 0 o (8,64):(64,1)", "ldmatrix", "f16"],
      "a column": ["f32[32,32]{1,0}", "(lane) -> (lane, 0), domain: lane in [0, 31]", ""],
      "a padded column": ["(32,32):(33,1)", "(lane) -> (lane, 0), domain: lane in [0, 31]", "f32"],
    },
    show: banks,
  },
  {
    name: "grid",
    fields: [{ label: "Grid of a kernel, as JSON", key: "grid", lines: 12 }],
    examples: {
      "a block that nobody writes": [output_of("(i) -> (0), domain: i in [0, 1]")],
      "each block once": [output_of("(i) -> (i), domain: i in [0, 1]")],
    },
    show: grid,
  },
];

export const commandPanels = Object.fromEntries(panels.map((panel) => [panel.name, (state: State) => show(panel, state)]));
