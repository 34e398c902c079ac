// SPDX-License-Identifier: Apache-2.0
// The page served by `tileproof explore`: what the program adds. cli/explore_test.py tests the server.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { file, open, program, withBrowser, withServer } from "./browser.mjs";

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

// Equal, but neither rearranging nor the simplifier shows it: a condition on the domain decides.
const box = (names, domain) => names.map((name) => `${name} in [0, 99999]`).concat(domain).join(", ");
const needSolver = [
  ["d0, d1, d2, d3", "(d0 + d1 + d2 + d3) floordiv 1000", "0", ["d0 * 3 + d1 * 2 + d2 * 5 + d3 * 7 in [0, 1999]"]],
  ["d0, d1", "(d0 * 1000 + d1 * 1001) floordiv 123457 mod 97", "(77777000 + d1) floordiv 123457 mod 97", ["d0 + d1 in [77777, 77777]"]],
  ["d0, d1, d2", "d0 * 4 + d1", "d0 + d2 * 3 + d1 * 4", ["d0 - d1 - d2 in [0, 0]", "d0 + d2 in [0, 77777]", "d1 * 3 - d2 in [5, 5]"]],
].map(([names, left, right, domain]) =>
  [left, right].map((result) => `(${names}) -> (${result}), domain: ${box(names.split(", "), domain)}`));

test("the program decides what needs a solver, the page alone says that it does not", async () => {
  await withServer((address) => withBrowser({}, async (browser) => {
    let undecided = 0;
    for (const [left, right] of needSolver) {
      for (const from of [file, address]) {
        const page = await open(browser, `#compare?${new URLSearchParams({ left, right })}`, from);
        await page.waitForSelector("#verdict h2");
        const verdict = await page.textContent("#verdict h2");
        if (from === address) assert.equal(verdict, "equal", left);
        else if (verdict === "undecided") {
          ++undecided;
          assert.match(await page.textContent("#verdict"), /This page has no solver/);
        } else {
          // The page may learn to decide them, but not by a solver.
          assert.equal(verdict, "equal", left);
          assert.doesNotMatch(await page.textContent("#verdict"), /solver/);
        }
        assert.deepEqual(page.errors, []);
        await page.close();
      }
    }
    assert.ok(undecided > 0, "the page decides all of them: choose others, or the test shows nothing");
  }));
});

// Pairs that differ at very few of many points.
const needles = [
  ["f32[1000003]", "((1000002,2)):((1,1000003))"],
  ["f32[1048577,1048575]{1,0:T(8,128)}", "((8,131072,2),(128,8192)):((128,8388608,1099511627777),(1,1024))"],
  ...[[5, 3, 1048583], [7, 0, 1000003], [999983, 77, 1000000007], [12345, 678, 998244353]].map(([factor, summand, prime]) =>
    [`((d0 * ${factor} + ${summand}) mod ${prime}) floordiv ${prime - 1}`, "0"].map((result) =>
      `(d0) -> (${result}), domain: d0 in [0, ${prime - 1}]`)),
  ...[[99991, 123457], [65537, 1000003]].map(([prime, divisor]) =>
    ["", ` + (d0 mod ${prime}) floordiv ${prime - 1}`].map((more) =>
      `(d0, d1) -> ((d0 * 1000 + d1 * 1001${more}) floordiv ${divisor} mod 97), domain: d0 in [0, 9999999], d1 in [0, 9999999]`)),
];

test("what differs at a few points is never equal on the page", async () => {
  const questions = needles.map(([left, right]) => JSON.stringify({ ask: "compare", left, right }));
  const ofProgram = execFileSync(program, ["answer"], { input: questions.join("\n"), encoding: "utf8" }).trim().split("\n");
  await withBrowser({}, async (browser) => {
    const page = await open(browser);
    const found = { program: [], page: [] };
    for (const [i, question] of questions.entries()) {
      const answers = { program: ofProgram[i], page: await page.evaluate((text) => window.tileproofAsk(text), question) };
      for (const [who, answer] of Object.entries(answers)) {
        const verdict = JSON.parse(answer).ok?.verdict;
        assert.ok(["different", "undecided"].includes(verdict), `${who}: ${question} ${answer.slice(0, 300)}`);
        found[who].push(verdict);
      }
    }
    console.log(`the program: ${found.program.join(", ")}; the page: ${found.page.join(", ")}`);
    assert.ok(found.program.includes("different"));
    assert.ok(found.page.includes("undecided"), "the page finds all of them: choose others, or the test shows nothing");
  });
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
