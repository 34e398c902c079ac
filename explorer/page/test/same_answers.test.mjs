// SPDX-License-Identifier: Apache-2.0
// The page answers as the program does: 500 random layouts, and random maps.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { test } from "node:test";
import { open, program, withBrowser } from "./browser.mjs";

const generated = (suite, count, seed) =>
  execFileSync(program, ["generate", "--suite", suite, "--count", String(count), "--seed", String(seed), "--answers"],
    { encoding: "utf8", maxBuffer: 1 << 30 }).trim().split("\n").map((line) => JSON.parse(line));

const asText = (question) => typeof question === "string" ? question : JSON.stringify(question);

// The answers of the program to questions of the page.
function ofProgram(questions) {
  const found = spawnSync(program, ["answer"],
    { input: questions.map(asText).join("\n"), encoding: "utf8", maxBuffer: 1 << 30 });
  return found.stdout.trim().split("\n");
}

// The same of the page, as text, byte for byte.
const ofPage = (page, questions) => page.evaluate(async (all) => {
  const answers = [];
  for (const question of all) answers.push(await window.tileproofAsk(question));
  return answers;
}, questions.map(asText));

test("500 random layouts: pictures, elements, conversions", async () => {
  const requests = generated("layout", 6000, 30);
  const shapes = new Map();
  for (const { op, shape, index, answer } of requests) {
    // JSON.parse rounds integers beyond 2^53; the next test asks about them as text.
    const exact = Array.isArray(index) && [...index, answer.result ?? 0].every(Number.isSafeInteger);
    if (op === "layout.linearize" && exact && shapes.size < 500 && !shapes.has(shape)) {
      shapes.set(shape, { index, offset: answer.result });
    }
  }
  assert.equal(shapes.size, 500);
  const questions = [...shapes].flatMap(([text, { index }]) => [
    { ask: "layout", text }, { ask: "element", text, index }, { ask: "steps", text },
  ]);
  const expected = ofProgram(questions);
  await withBrowser({}, async (browser) => {
    const page = await open(browser);
    const found = await ofPage(page, questions);
    assert.equal(found.length, 1500);
    let different = 0;
    found.forEach((answer, i) => {
      if (answer !== expected[i]) {
        ++different;
        if (different <= 3) console.log(JSON.stringify(questions[i]), answer.slice(0, 400), expected[i].slice(0, 400));
      }
    });
    assert.equal(different, 0, `${different} of ${found.length} answers differ`);
    // And as the judge expects.
    let offsets = 0;
    [...shapes.values()].forEach(({ offset }, i) => {
      const element = JSON.parse(found[3 * i + 1]);
      // null: the index is not in the array.
      if (offset === null || offset === undefined) return assert.ok("error" in element, questions[3 * i].text);
      assert.equal(element.ok.offset, offset, questions[3 * i].text);
      ++offsets;
    });
    assert.ok(offsets > 350, `${offsets} offsets`);
  });
});

test("sizes beyond 32 bits", async () => {
  const questions = [
    { ask: "layout", text: "f32[100000,100000]{1,0:T(8,128)}" },
    { ask: "element", text: "f32[3000000000,3]{1,0}", index: [2999999999, 2] },
    { ask: "element", text: "s8[9007199254740993]{0}", index: [9007199254740992] },
    '{"ask":"element","text":"s8[9223372036854775807]{0}","index":[9223372036854775806]}',
    { ask: "map", text: "(d0) -> ((d0 * 4294967296 + 5) floordiv 4294967296), domain: d0 in [0, 1000000]" },
    { ask: "compare", left: "f32[3000000000,3]{1,0}", right: "f32[3000000000,3]{0,1}" },
  ];
  const expected = ofProgram(questions);
  await withBrowser({}, async (browser) => {
    const found = await ofPage(await open(browser), questions);
    assert.deepEqual(found, expected);
  });
});

test("100 random maps: normal forms and proof logs", async () => {
  const requests = generated("simplify", 100, 31);
  const questions = requests.map((one) => ({ ask: "map", text: one.map }));
  const expected = ofProgram(questions);
  await withBrowser({}, async (browser) => {
    const found = await ofPage(await open(browser), questions);
    assert.deepEqual(found, expected);
  });
});
