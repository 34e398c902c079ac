// SPDX-License-Identifier: Apache-2.0
// How often the elements of operands are read, and how many memory transactions a kernel needs.
import { ask, type Json } from "./answers";
import { Field, h, picture, table } from "./dom";

export function heatBox(question: Json): HTMLElement {
  const box = h("div", { id: "heat" });
  void ask<{ svg: string }>({ ask: "heat", ...question }).then((found) =>
    box.replaceChildren("ok" in found ? picture(found.ok.svg) : h("p", {}, `No picture: ${found.error}`)));
  return box;
}

interface Traffic {
  arrays: { name: string; accesses?: number; transactions?: number; most?: number; used?: number; uncounted?: string }[];
  svg?: string;
  no_svg?: string;
}

// Blocks of 128 threads, each with one element, in row-major order.
export function rowMajorThreads(dims: number[]): string {
  const elements = dims.reduce((product, size) => product * size, 1);
  const blocks = Math.max(1, Math.ceil(elements / 128));
  let stride = elements;
  const results = dims.map((size, d) => {
    stride /= size;
    const quotient = stride === 1 ? "(bl_x * 128 + th_x)" : `((bl_x * 128 + th_x) floordiv ${stride})`;
    return d === 0 ? quotient : `(${quotient} mod ${size})`;
  });
  return `(th_x, bl_x) -> (${results.join(", ")}), domain: th_x in [0, 127], bl_x in [0, ${blocks - 1}], ` +
    `bl_x * 128 + th_x in [0, ${elements - 1}]`;
}

export function trafficBox(question: Json, dims: number[]): HTMLElement {
  const counts = h("div", { id: "traffic", "aria-live": "polite" });
  const threads = new Field("Threads: a map from threads and blocks to an index of the result", "threads",
    rowMajorThreads(dims), () => void update(), 3);
  async function update(): Promise<void> {
    const map = threads.value;
    const found = await ask<Traffic>({ ask: "traffic", ...question, threads: map });
    if (map !== threads.value) return;
    threads.show("error" in found ? found.error : undefined);
    if ("error" in found) return;
    const { arrays, svg, no_svg } = found.ok;
    counts.replaceChildren(
      table("Transactions of 32 bytes of warps of 32 threads", ["array", "accesses", "transactions", "most an access", "bytes used"],
        arrays.map((one) => one.uncounted !== undefined
          ? [one.name, `not counted: ${one.uncounted}`, "", "", ""]
          : [one.name, String(one.accesses), String(one.transactions), String(one.most), `${one.used}%`])),
      svg ? picture(svg) : h("p", {}, `No picture: ${no_svg ?? ""}`));
  }
  if (dims.every((size) => size > 0)) void update();
  return h("div", {}, threads.box, counts);
}
