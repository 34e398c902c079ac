// SPDX-License-Identifier: Apache-2.0
// The state of a panel is in the part of the address after '#', so that a link shows the same.
//
//     #layout?text=f32%5B3%2C5%5D&coloring=tile

export type State = Record<string, string>;

export function read(): { panel: string; state: State } {
  const [panel = "", query = ""] = location.hash.slice(1).split("?", 2);
  return { panel, state: Object.fromEntries(new URLSearchParams(query)) };
}

export function write(panel: string, state: State): void {
  const query = new URLSearchParams(state).toString();
  history.replaceState(null, "", `#${panel}${query ? `?${query}` : ""}`);
}

export function linkTo(panel: string, state: State): string {
  return `#${panel}?${new URLSearchParams(state).toString()}`;
}
