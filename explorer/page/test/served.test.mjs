// SPDX-License-Identifier: Apache-2.0
// The page served by `tileproof explore`: what the program adds. cli/explore_test.py tests the server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { file, open, withBrowser, withServer } from "./browser.mjs";

test("all panels work", async () => {
  await withServer((address) => withBrowser({}, async (browser) => {
    const page = await open(browser, "", address);
    await page.waitForSelector("#element h2");
    await page.getByText("and the program").waitFor();
    for (const [tab, complete] of [["compare", "#verdict h2"], ["map", "#simplified code"], ["hlo", "#traffic svg"], ["zoo", "#bug h2"]]) {
      await page.click(`#tab-${tab}`);
      await page.waitForSelector(complete);
    }
    assert.deepEqual(page.errors, []);
  }));
});

// Tiles that overhang: equal, by a proof about all indices at once.
const left = "s16[1,1,512,919956]{0,1,2,3:T(*,*,2,4,*,2)(2,*,5,958,3)}";
const right = "(1,1,(4,128),(2,459978)):(0,0,(3,14370),(2874,1839360))";

test("the program decides what needs a solver, the page alone says that it does not", async () => {
  await withServer((address) => withBrowser({}, async (browser) => {
    for (const [from, verdict, conversion] of [[file, "undecided", "undecided"], [address, "equal", "proven"]]) {
      const page = await open(browser, `#compare?${new URLSearchParams({ left, right })}`, from);
      await page.locator("#verdict h2").getByText(verdict, { exact: true }).waitFor();
      if (from === file) assert.match(await page.textContent("#verdict"), /This page has no solver/);
      await page.evaluate((text) => (location.hash = `#layout?text=${encodeURIComponent(text)}`), left);
      await page.waitForSelector("#systems table");
      const cute = await page.locator("#systems tbody tr").filter({ hasText: "CuTe" }).textContent();
      assert.ok(cute.includes(right) && cute.endsWith(conversion), cute);
      assert.deepEqual(page.errors, []);
      await page.close();
    }
  }));
});

test("a module that is too large for the page is pasted at once and goes to the program", async () => {
  await withServer((address) => withBrowser({}, async (browser) => {
    await browser.grantPermissions(["clipboard-read", "clipboard-write"]);
    const page = await open(browser, "#hlo", address);
    const asked = [];
    page.on("request", (request) => request.url().endsWith("/answer") && asked.push(JSON.parse(request.postData()).ask));
    await page.waitForSelector("#traffic svg");
    const lines = ["p0 = f32[8] parameter(0)"];
    for (let i = 1; i <= 2500; ++i) lines.push(`p${i} = f32[8] negate(f32[8] p${i - 1})`);
    await page.evaluate((text) => navigator.clipboard.writeText(text), lines.join("\n"));
    await page.focus("#hlo-text");
    await page.keyboard.press("Control+A");
    await page.keyboard.press("Control+V");
    await page.locator("#instruction h2").first().getByText("p2500").waitFor();
    assert.equal(await page.inputValue("#hlo-text"), lines.join("\n"));
    assert.equal(await page.locator(".node").count(), 150);
    assert.deepEqual(asked, ["module"]);
    assert.deepEqual(page.errors, []);
  }));
});
