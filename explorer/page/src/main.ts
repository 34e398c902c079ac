// SPDX-License-Identifier: Apache-2.0
// Tabs, and the panel that the address names.
import { answerText, hasProgram, ready } from "./answers";
import { commandPanels } from "./commands";
import { comparePanel } from "./compare";
import { h } from "./dom";
import { hloPanel } from "./hlo";
import { layoutPanel } from "./layout";
import { mapPanel } from "./map";
import { read, type State } from "./state";
import { zooPanel } from "./zoo";

type Panel = (state: State) => Node;

const panels: Record<string, { title: string; show: Panel }> = {
  layout: { title: "Layout", show: layoutPanel },
  compare: { title: "Compare", show: comparePanel },
  map: { title: "Map", show: mapPanel },
  hlo: { title: "HLO", show: hloPanel },
  values: { title: "Values", show: commandPanels.values! },
  devices: { title: "Devices", show: commandPanels.devices! },
  banks: { title: "Banks", show: commandPanels.banks! },
  grid: { title: "Grid", show: commandPanels.grid! },
  zoo: { title: "Bug zoo", show: zooPanel },
};

declare global {
  interface Window {
    tileproofAsk?: typeof answerText; // for scripts: answers of explorer/answers/answer.h
  }
}
window.tileproofAsk = answerText;

const tabs = document.getElementById("tabs")!;
const main = document.getElementById("panel")!;

function tab(name: string, title: string): HTMLElement {
  return h("a", { href: `#${name}`, role: "tab", id: `tab-${name}`, "aria-controls": "panel" }, title);
}

function show(): void {
  const { panel, state } = read();
  const name = panel in panels ? panel : "layout";
  for (const each of tabs.children) {
    const chosen = each.id === `tab-${name}`;
    each.setAttribute("aria-selected", String(chosen));
    each.setAttribute("tabindex", chosen ? "0" : "-1");
  }
  main.setAttribute("aria-labelledby", `tab-${name}`);
  main.replaceChildren(panels[name]!.show(state));
}

// The arrow keys go from tab to tab.
tabs.addEventListener("keydown", (event) => {
  const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
  if (step === 0) return;
  const all = [...tabs.children] as HTMLElement[];
  const at = all.indexOf(document.activeElement as HTMLElement);
  const next = all[(at + step + all.length) % all.length]!;
  next.focus();
  next.click();
});

for (const [name, { title }] of Object.entries(panels)) tabs.append(tab(name, title));
window.addEventListener("hashchange", show);
show();
void ready().then(() => {
  document.getElementById("engine")!.textContent = hasProgram()
    ? "answers: this page, and the program for what needs a solver"
    : "answers: this page alone, offline. `tileproof explore` adds the solver";
});
