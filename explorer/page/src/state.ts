// SPDX-License-Identifier: Apache-2.0
// The state of a panel is in the part of the address after '#', so that a link shows the same.
//
//     #layout?text=f32%5B3%2C5%5D&coloring=tile

export type State = Record<string, string>;

export function read(): { panel: string; state: State } {
  const [panel = "", query = ""] = location.hash.slice(1).split("?", 2);
  return { panel, state: Object.fromEntries(new URLSearchParams(query)) };
}

// Replaces the state of a panel, if it is still the one that is shown: an answer may come late.
export function write(panel: string, state: State): void {
  const shown = read().panel || "layout";
  if (shown === panel) history.replaceState(null, "", linkTo(panel, state));
}

// Changes a part of the state of a panel; "" removes it.
export function change(panel: string, changes: State): void {
  const state = { ...read().state, ...changes };
  for (const [key, value] of Object.entries(state)) if (value === "") delete state[key];
  write(panel, state);
}

export function linkTo(panel: string, state: State): string {
  const query = new URLSearchParams(state).toString();
  return `#${panel}${query ? `?${query}` : ""}`;
}
