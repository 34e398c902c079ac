// SPDX-License-Identifier: Apache-2.0
// The state of a panel is in the part of the address after '#', so that a link shows the same.
//
//     #layout?text=f32%5B3%2C5%5D&coloring=tile

export type State = Record<string, string>;

// Browsers allow few changes of the address in a second, so the last one waits a moment.
const kWait = 150; // milliseconds
let pending: { from: string; to: string } | undefined;

function flush(): void {
  if (pending && location.hash === pending.from) history.replaceState(null, "", pending.to);
  pending = undefined;
}
window.addEventListener("pagehide", flush);

export function read(): { panel: string; state: State } {
  const hash = pending && location.hash === pending.from ? pending.to : location.hash;
  const [panel = "", query = ""] = hash.slice(1).split("?", 2);
  return { panel, state: Object.fromEntries(new URLSearchParams(query)) };
}

// Replaces the state of a panel, if it is still the one that is shown: an answer may come late.
export function write(panel: string, state: State): void {
  if ((read().panel || "layout") !== panel) return;
  if (!pending) setTimeout(flush, kWait);
  pending = { from: location.hash, to: linkTo(panel, state) };
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
