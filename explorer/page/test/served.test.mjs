// SPDX-License-Identifier: Apache-2.0
// The page served by `tileproof explore`: what the program adds. cli/explore_test.py tests the server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { open, withBrowser, withServer } from "./browser.mjs";

test("all panels work, and the program decides what the page cannot", async () => {
  await withServer((address) => withBrowser({}, async (browser) => {
    const page = await open(browser, "", address);
    await page.waitForSelector("#element h2");
    await page.getByText("and the program").waitFor();
    for (const [tab, complete] of [["compare", "#verdict h2"], ["map", "#simplified code"], ["hlo", "#traffic svg"], ["zoo", "#bug h2"]]) {
      await page.click(`#tab-${tab}`);
      await page.waitForSelector(complete);
    }
    // A module that is too large for the page goes to the program.
    const lines = ["p0 = f32[8] parameter(0)"];
    for (let i = 1; i <= 2500; ++i) lines.push(`p${i} = f32[8] negate(f32[8] p${i - 1})`);
    await page.click("#tab-hlo");
    await page.waitForSelector(".node.chosen");
    await page.fill("#hlo-text", lines.join("\n"));
    await page.locator("#instruction h2").first().getByText("p2500").waitFor();
    assert.equal(await page.locator(".node").count(), 150);
    assert.deepEqual(page.errors, []);
  }));
});
