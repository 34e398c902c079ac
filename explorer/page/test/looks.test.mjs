// SPDX-License-Identifier: Apache-2.0
// Accessibility by axe-core, pictures of each panel to look at (build/explorer/pictures), phone
// width, and how fast the page is.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import path from "node:path";
import { test } from "node:test";
import { open, pictures, withBrowser } from "./browser.mjs";

const axe = createRequire(import.meta.url).resolve("axe-core");

// Each panel: its state in the address, and a selector that matches once the panel is complete.
const hlo = "p = f32[16,32] parameter(0)\nr = f32[4,4,32] reshape(f32[16,32] p)\nROOT t = f32[32,4,4] transpose(f32[4,4,32] r), dimensions={2,0,1}";
const panels = {
  layout: [{ text: "f32[3,5]{1,0:T(2,2)}", at: "2,3" }, "#systems table"],
  compare: [{ left: "f32[4,8]{1,0:T(2,4)}", right: "f32[4,8]{1,0}" }, "#verdict h2"],
  map: [{ text: "(d0, d1) -> ((d0 * 8 + d1) floordiv 8, (d0 * 8 + d1) mod 8), domain: d0 in [0, 15], d1 in [0, 7]", lemma: "drop-small-part" }, "#plot svg"],
  hlo: [{ text: hlo }, "#traffic svg"],
  zoo: [{}, "#bug-picture[data-done]"],
};

async function shown(browser, panel) {
  const [state, complete] = panels[panel];
  const page = await open(browser, `#${panel}?${new URLSearchParams(state)}`);
  await page.waitForSelector(complete);
  await page.waitForTimeout(300);
  return page;
}

for (const [name, options] of Object.entries({
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  phone: { colorScheme: "light", viewport: { width: 390, height: 844 } },
})) {
  test(`${name}: accessible, no wider than the window`, async () => {
    await withBrowser(options, async (browser) => {
      for (const panel of Object.keys(panels)) {
        const page = await shown(browser, panel);
        await page.screenshot({ path: path.join(pictures, `${panel}-${name}.png`), fullPage: true });
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert.ok(wide <= 0, `${panel} is ${wide} pixels wider than the window`);
        await page.addScriptTag({ path: axe });
        const { violations } = await page.evaluate(() => window.axe.run());
        const found = violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`);
        assert.deepEqual(found, [], `${panel}, ${name}`);
        assert.deepEqual(page.errors, []);
        await page.close();
      }
    });
  });
}

test("how fast: first paint, and from input to picture for 4,096 elements", async () => {
  await withBrowser({}, async (browser) => {
    const page = await open(browser);
    await page.waitForSelector("#element h2");
    const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime);
    const times = [];
    for (let i = 0; i < 15; ++i) {
      times.push(await page.evaluate(async (text) => {
        const input = document.querySelector("#layout-text");
        const drawn = new Promise((resolve) => {
          new MutationObserver((_, observer) => {
            observer.disconnect();
            requestAnimationFrame(() => resolve(performance.now()));
          }).observe(document.querySelector("#drawing"), { childList: true });
        });
        const start = performance.now();
        input.value = text;
        input.dispatchEvent(new Event("input", { bubbles: true }));
        return (await drawn) - start;
      }, i % 2 === 0 ? "f32[64,64]{1,0:T(8,16)}" : "f32[64,64]{1,0:T(16,8)}"));
      await page.waitForSelector("#element h2");
      await page.waitForTimeout(200);
    }
    times.sort((a, b) => a - b);
    console.log(`first paint after ${paint.toFixed(0)} ms; input to picture: median ${times[7].toFixed(1)} ms, most ${times[14].toFixed(1)} ms`);
    assert.ok(paint < 30_000 && times[7] < 5_000);
  });
});
