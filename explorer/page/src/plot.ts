// SPDX-License-Identifier: Apache-2.0
// Values of a map over a box, as a grid of colored squares: rows are y, columns are x.
import { ask } from "./answers";
import { fragment, h, svg } from "./dom";

export interface Values {
  x: [number, number];
  y: [number, number];
  values: (number | bigint | null)[][];
}

const kCell = 30;

// The ramp of the pictures of layouts, from light to dark: readable in gray.
export function ramp(part: number): string {
  const anchors = [[255, 246, 214], [196, 226, 190], [120, 182, 200], [84, 118, 184], [62, 58, 128]];
  const at = Math.min(Math.max(part, 0), 1) * (anchors.length - 1);
  const left = Math.min(Math.floor(at), anchors.length - 2);
  const mixed = anchors[left]!.map((low, i) => Math.round(low + (anchors[left + 1]![i]! - low) * (at - left)));
  return `rgb(${mixed.join(",")})`;
}

// The first result of a map over its first two variables; the others have their least value.
export async function valuesOf(map: string): Promise<Values | undefined> {
  interface Variables {
    variables: { name: string; low: number | bigint }[];
    results: number;
  }
  const found = await ask<Variables>({ ask: "map", text: map });
  if (!("ok" in found) || found.ok.variables.length === 0 || found.ok.results === 0) return undefined;
  const [first, second] = found.ok.variables;
  const plotted = await ask<Values>({
    ask: "plot", text: map, x: (second ?? first)!.name, ...(second ? { y: first!.name } : {}), result: 0,
    at: found.ok.variables.map((variable) => Number(variable.low)),
  });
  return "ok" in plotted ? plotted.ok : undefined;
}

// Two maps side by side; squares where they differ are marked in both.
export async function plotBoth(left: [string, string], right: [string, string]): Promise<DocumentFragment> {
  const a = await valuesOf(left[1]), b = await valuesOf(right[1]);
  if (!a || !b) return fragment();
  const box = (name: string, values: Values, other: Values) =>
    h("div", {}, h("p", {}, `${name}: the first result`), h("div", { class: "picture", tabindex: "0", role: "region", "aria-label": `plot: ${name}` },
      plot(values, `values of the map ${name}`, other)));
  return fragment(h("div", { class: "row" }, box(left[0], a, b), box(right[0], b, a)));
}

// `other`: values of another map on the same box; squares where they differ are marked.
export function plot(found: Values, title: string, other?: Values): SVGElement {
  const all = found.values.flat().filter((value) => value !== null).map(Number);
  const low = Math.min(...all, Infinity), high = Math.max(...all, -Infinity);
  const rows = found.values.length, columns = found.values[0]?.length ?? 0;
  const cell = Math.max(kCell, 8 * Math.max(...all.map((value) => String(value).length), 1) + 8);
  const width = (columns + 1) * cell, height = (rows + 1) * kCell;
  const picture = svg("svg", {
    viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title, width, height,
  }, svg("title", {}, title));
  for (let c = 0; c < columns; ++c) {
    picture.append(svg("text", { x: (c + 1.5) * cell, y: kCell - 8, "text-anchor": "middle" }, String(found.x[0] + c)));
  }
  found.values.forEach((row, r) => {
    picture.append(svg("text", { x: cell - 6, y: (r + 1.6) * kCell, "text-anchor": "end" }, String(found.y[0] + r)));
    row.forEach((value, c) => {
      const part = value === null || high === low ? 0 : (Number(value) - low) / (high - low);
      const differs = other !== undefined && String(other.values[r]?.[c]) !== String(value);
      picture.append(
        svg("rect", {
          x: (c + 1) * cell, y: (r + 1) * kCell, width: cell - 1, height: kCell - 1,
          fill: value === null ? "none" : ramp(part), class: differs ? "differs" : value === null ? "outside" : "inside",
        }),
        svg("text", {
          x: (c + 1.5) * cell, y: (r + 1.6) * kCell, "text-anchor": "middle", class: part > 0.74 ? "light" : "dark",
        }, value === null ? "" : String(value)),
      );
    });
  });
  return picture;
}
