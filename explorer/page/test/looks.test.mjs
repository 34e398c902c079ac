// SPDX-License-Identifier: Apache-2.0
// Accessibility by axe-core, pictures of each panel to look at (build/explorer/pictures), phone
// width, and how fast the page is.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { file, open, pictures, withBrowser, withServer } from "./browser.mjs";

const axe = createRequire(import.meta.url).resolve("axe-core");

// Each panel: its state in the address, a selector that matches once the panel is complete, and whether it needs the program.
// "layout, large" is the panel layout.
const hlo = "p = f32[16,32] parameter(0)\nr = f32[4,4,32] reshape(f32[16,32] p)\nROOT t = f32[32,4,4] transpose(f32[4,4,32] r), dimensions={2,0,1}";
const convolution = "x = f32[1,6,6,2] parameter(0)\nw = f32[3,3,2,4] parameter(1)\n" +
  "ROOT c = f32[1,4,4,4] convolution(x, w), window={size=3x3}, dim_labels=b01f_01io->b01f";
const panels = {
  layout: [{ text: "f32[3,5]{1,0:T(2,2)}", at: "2,3" }, "#systems table"],
  compare: [{ left: "f32[4,8]{1,0:T(2,4)}", right: "f32[4,8]{1,0}" }, "#verdict h2"],
  map: [{ text: "(d0, d1) -> ((d0 * 8 + d1) floordiv 8, (d0 * 8 + d1) mod 8), domain: d0 in [0, 15], d1 in [0, 7]", lemma: "drop-small-part" }, "#plot svg"],
  hlo: [{ text: hlo }, "#traffic svg"],
  zoo: [{}, "#bug-picture[data-done]"],
  "layout, large": [{ text: "f32[128,256]{1,0:T(8,128)}", at: "9,130" }, "#systems table"],
  "layout, slices": [{ text: "bf16[3,8,32]{2,1,0:T(4,16)(2,1)}", coloring: "tile" }, "#systems table"],
  "layout, threads": [{ text: "((4,8),(2,2)):((32,1),(16,8))", path: "1" }, "#systems table"],
  values: [{ left: "p = f32[4] parameter(0)\nROOT a = f32[4] add(p, p)", right: "p = f32[4] parameter(0)\nROOT a = f32[4] multiply(p, p)", law: "exact" },
    "#values-answer .walk", true],
  devices: [{}, "#devices-answer svg", true],
  banks: [{}, "#banks-answer svg", true],
  grid: [{}, "#grid-answer tbody", true],
  "hlo, convolution": [{ text: convolution, tile: "0:1,1:2,1:2,0:1" }, "#traffic svg"],
};

async function shown(browser, panel, served) {
  const [state, complete, needsProgram] = panels[panel];
  const page = await open(browser, `#${panel.split(",")[0]}?${new URLSearchParams(state)}`, needsProgram ? served : file);
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
    await withServer((served) => withBrowser(options, async (browser) => {
      for (const panel of Object.keys(panels)) {
        const page = await shown(browser, panel, served);
        await page.screenshot({ path: path.join(pictures, `${panel.replace(", ", "-")}-${name}.png`), fullPage: true });
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert.ok(wide <= 0, `${panel} is ${wide} pixels wider than the window`);
        await page.addScriptTag({ path: axe });
        const { violations } = await page.evaluate(() => window.axe.run());
        const found = violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`);
        assert.deepEqual(found, [], `${panel}, ${name}`);
        assert.deepEqual(page.errors, []);
        await page.close();
      }
    }));
  });
}

test("the page is less than 3 MB compressed", () => {
  const size = gzipSync(readFileSync(new URL(file)), { level: 9 }).length;
  console.log(`${size} bytes compressed`);
  assert.ok(size < 3_000_000, `${size} bytes`);
});

// Types a text and waits until its picture is on the screen.
const drawn = (page, text) => page.evaluate(async (typed) => {
  const input = document.querySelector("#layout-text");
  const painted = new Promise((resolve) => {
    new MutationObserver((_, observer) => {
      observer.disconnect();
      requestAnimationFrame(() => requestAnimationFrame(resolve));
    }).observe(document.querySelector("#drawing"), { childList: true });
  });
  const start = performance.now();
  input.value = typed;
  input.dispatchEvent(new Event("input", { bubbles: true }));
  await painted;
  return performance.now() - start;
}, text);

// The least time of an answer of the engine, which has a thread of its own.
const answered = (page, question) => page.evaluate(async (text) => {
  let least = Infinity;
  for (let i = 0; i < 15; ++i) {
    const start = performance.now();
    await window.tileproofAsk(text);
    least = Math.min(least, performance.now() - start);
  }
  return least;
}, JSON.stringify(question));

const median = (times) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)];

// Prints what a busy machine distorts; the limits only notice what is wrong by far.
test("how fast: first paint, and from input to picture for 4,096 elements", async () => {
  await withBrowser({}, async (browser) => {
    const page = await open(browser);
    await page.waitForSelector("#systems table");
    const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime);
    const texts = ["f32[64,64]{1,0:T(8,16)}", "f32[64,64]{1,0:T(16,8)}"];
    const engine = await answered(page, { ask: "layout", text: texts[0], coloring: "offset", path: false });
    const client = await browser.newCDPSession(page);
    await client.send("Performance.enable", { timeDomain: "threadTicks" }); // processor time
    const busy = async () => (await client.send("Performance.getMetrics")).metrics.find((one) => one.name === "TaskDuration").value * 1000;
    const wall = [], processor = [];
    for (let i = 0; i < 15; ++i) {
      const before = await busy();
      wall.push(await drawn(page, texts[i % 2]));
      processor.push((await busy()) - before);
      await page.waitForTimeout(500);
    }
    console.log(`first paint after ${paint.toFixed(0)} ms; input to picture: median ${median(wall).toFixed(1)} ms, ` +
      `of which the page computes ${median(processor).toFixed(1)} ms and the engine at least ${engine.toFixed(1)} ms`);
    assert.ok(paint < 30_000 && median(processor) < 500 && engine < 500);
  });
});
