// SPDX-License-Identifier: Apache-2.0
// Drives every panel as a reader does. Run by tools/explorer.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { file, open, withBrowser, withServer } from "./browser.mjs";

// One browser and one server for all tests.
let browser, address, close;
before(async () => {
  await new Promise((started) => {
    void withServer((served) => withBrowser({}, async (opened) => {
      [browser, address] = [opened, served];
      await new Promise((end) => {
        close = end;
        started();
      });
    }));
  });
});
after(() => close());

// From the file, and from `tileproof explore`.
const everywhere = (name, run) => {
  test(`file: ${name}`, () => run(file));
  test(`explore: ${name}`, () => run(address));
};

const link = (panel, state) => `#${panel}?${new URLSearchParams(state)}`;

// The offsets that the picture of the array shows, row by row.
const offsetsShown = (page) => page.$$eval("#drawing [data-at]", (cells) => {
  const texts = cells.map((cell) => cell.nextElementSibling?.textContent ?? "");
  return texts.slice(0, texts.length / 2); // the second half is memory
});

async function done(page) {
  assert.deepEqual(page.errors, []);
  await page.close();
}

// What the picture shows in memory, by offset: an index, or "-" for padding.
const memoryShown = (page) => page.$$eval("#drawing rect.c, #drawing rect.p", (squares) => {
  const texts = squares.map((square) => square.getAttribute("data-at") ?? "-");
  return texts.slice(texts.length / 2); // the first half is the array
});

// Rectangles of a class, as [column, row, columns, rows] of squares of the array.
const outlines = (page, look) => page.$$eval(`#drawing rect.${look}`, (all) => {
  const number = (rect, name) => Number(rect.getAttribute(name));
  const square = document.querySelector("#drawing [data-at]");
  const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => number(square, name));
  return all.map((rect) => [(number(rect, "x") - x) / width, (number(rect, "y") - y) / height,
    number(rect, "width") / width, number(rect, "height") / height]);
});

everywhere("figure 1 of the document of tiled layouts: F32[3,5] with tiles of 2 by 2", async (from) => {
  const page = await open(browser, "", from);
  await page.fill("#layout-text", "f32[3,5]{1,0:T(2,2)}");
  await page.waitForFunction(() => document.querySelector("#element h2")?.textContent?.includes("[0,0]"));
  assert.deepEqual((await offsetsShown(page)).map(Number), [0, 1, 4, 5, 8, 2, 3, 6, 7, 10, 12, 13, 16, 17, 20]);
  // The left of the figure: 2 by 3 tiles, the last ones with padding.
  assert.deepEqual(await outlines(page, "t0"),
    [[0, 0, 2, 2], [2, 0, 2, 2], [4, 0, 2, 2], [0, 2, 2, 2], [2, 2, 2, 2], [4, 2, 2, 2]]);
  // The right of the figure: memory, with padding in white there and hatched here.
  assert.deepEqual(await memoryShown(page), [
    "0,0", "0,1", "1,0", "1,1", "0,2", "0,3", "1,2", "1,3", "0,4", "-", "1,4", "-",
    "2,0", "2,1", "-", "-", "2,2", "2,3", "-", "-", "2,4", "-", "-", "-"]);
  // Element (2,3) is at offset 17, as the document computes.
  await page.fill("#index", "2,3");
  await page.waitForFunction(() => document.querySelector("#element h2")?.textContent === "Element [2,3] is at offset 17");
  assert.match(await page.textContent("#element"), /tile \[1,1\], position \[0,1\] in it/);
  await done(page);
});

everywhere("figure 2 of the document: an array of 4 by 8 in tiles of 2 by 4, then of 2 by 1", async (from) => {
  const page = await open(browser, link("layout", { text: "f32[4,8]{1,0:T(2,4)(2,1)}", coloring: "tile" }), from);
  await page.getByText("colored by tile").waitFor();
  // Within a tile of 2 by 4, the tiles of 2 by 1 lie one after the other: columns first.
  assert.deepEqual((await offsetsShown(page)).map(Number), [
    0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15,
    16, 18, 20, 22, 24, 26, 28, 30, 17, 19, 21, 23, 25, 27, 29, 31]);
  assert.deepEqual(await outlines(page, "t0"), [[0, 0, 4, 2], [4, 0, 4, 2], [0, 2, 4, 2], [4, 2, 4, 2]]);
  assert.deepEqual(await outlines(page, "t1"),
    [0, 2].flatMap((row) => [0, 1, 2, 3, 4, 5, 6, 7].map((column) => [column, row, 1, 2])));
  // Each tile of 2 by 4 has a color of its own.
  const colors = await page.$$eval("#drawing [data-at]", (squares) => squares.slice(0, 32).map((square) => square.getAttribute("fill")));
  const ofTile = (top, left) => new Set([0, 1].flatMap((r) => [0, 1, 2, 3].map((c) => colors[(top + r) * 8 + left + c])));
  const tiles = [[0, 0], [0, 4], [2, 0], [2, 4]].map(([top, left]) => ofTile(top, left));
  assert.deepEqual(tiles.map((tile) => tile.size), [1, 1, 1, 1]);
  assert.equal(new Set(tiles.flatMap((tile) => [...tile])).size, 4);
  await done(page);
});

everywhere("layout: hover, keys, link, coloring", async (from) => {
  const page = await open(browser, link("layout", { text: "f32[3,5]{1,0:T(2,2)}", at: "1,2" }), from);
  const title = page.locator("#element h2");
  await title.getByText("Element [1,2] is at offset 6").waitFor();
  await page.hover('#drawing [data-at="2,4"] >> nth=0');
  await title.getByText("Element [2,4] is at offset 20").waitFor();
  await page.mouse.move(0, 0);
  await page.focus("#drawing");
  await page.keyboard.press("ArrowLeft");
  await title.getByText("Element [2,3] is at offset 17").waitFor();
  await page.keyboard.press("ArrowUp");
  await title.getByText("Element [1,3] is at offset 7").waitFor();
  // A frame is around it, in the array and in memory, above all else.
  await page.waitForFunction(() => document.querySelectorAll("#drawing .mark").length === 2);
  const frames = await page.$$eval("#drawing .mark", (all) => all.map((one) => ["x", "y"].map((name) => one.getAttribute(name)).join()));
  const squares = await page.$$eval('#drawing [data-at="1,3"]', (all) => all.map((one) => ["x", "y"].map((name) => one.getAttribute(name)).join()));
  assert.deepEqual(frames.sort(), squares.sort());
  assert.match(await page.textContent("#element"), /tile \[0,1\], position \[1,1\] in it/);
  assert.match(await page.textContent("#element"), /begins at byte 28/);
  await page.waitForURL(/at=1%2C3/);
  await page.selectOption("#coloring", "tile");
  await page.getByText("colored by tile").waitFor();
  await page.check("#path");
  await page.waitForSelector("#drawing polyline");
  await page.waitForURL(/coloring=tile&path=1/);
  // The same link shows the same.
  const again = await open(browser, new URL(page.url()).hash, from);
  await again.locator("#element h2").getByText("Element [1,3] is at offset 7").waitFor();
  assert.equal(await again.isChecked("#path"), true);
  assert.equal(await again.inputValue("#coloring"), "tile");
  await done(again);
  await done(page);
});

everywhere("layout: a live error has a caret under its column", async (from) => {
  const page = await open(browser, "", from);
  await page.fill("#layout-text", "f32[3,5]{1,0:T(2,2)");
  const error = page.locator("#layout-text-error");
  await error.getByText("column").waitFor();
  const [line, caret, message] = (await error.textContent()).split("\n");
  assert.equal(line, "f32[3,5]{1,0:T(2,2)");
  const column = Number(/column (\d+)/.exec(message)[1]);
  assert.equal(caret, " ".repeat(column - 1) + "^");
  assert.equal(await page.getAttribute("#layout-text", "aria-invalid"), "true");
  await page.fill("#layout-text", "f32[3,5]{1,0:T(2,2)}");
  await page.waitForFunction(() => document.querySelector("#layout-text-error")?.textContent === "");
  await done(page);
});

everywhere("layout: the slider goes through the steps", async (from) => {
  const page = await open(browser, link("layout", { text: "f32[3,5]{1,0:T(2,2)}" }), from);
  await page.waitForSelector("#steps .square");
  const places = () => page.$$eval("#steps .square:not(.padding)", (all) => all.map((one) => one.style.transform));
  const before = await places();
  assert.equal(before.length, 15);
  const last = await page.getAttribute("#steps input", "max");
  await page.locator("#steps input").fill(last);
  assert.equal(await page.locator("#steps .square.padding").count(), 9);
  const after = await places();
  assert.notDeepEqual(before, after);
  assert.match(await page.textContent("#steps"), new RegExp(`${last} of ${last}`));
  await page.waitForURL(new RegExp(`step=${last}`));
  await page.click("#play");
  await page.getByText(`1 of ${last}`).waitFor();
  await done(page);
});

everywhere("layout: conversions to other systems, with copy", async (from) => {
  await browser.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await open(browser, link("layout", { text: "zN:f16[64,96]" }), from);
  await page.waitForSelector("#systems code");
  const rows = await page.$$eval("#systems tbody tr", (all) => all.map((row) => row.textContent));
  assert.ok(rows.some((row) => row.includes("f16[64,96]{0,1:T(16,16)") && row.includes("proven")), rows.join("\n"));
  assert.ok(rows.some((row) => row.startsWith("CuTe") && row.includes("((16,4),(16,6)):")), rows.join("\n"));
  await page.click("#systems button >> nth=0");
  await page.getByText("copied").waitFor();
  await done(page);
});

everywhere("layout: every system is drawn", async (from) => {
  for (const text of ["zN:f16[64,96]", "((4,2),(2,3)):((1,24),(4,8))", "dnnl:nChw16c:f32[2,32,5,5]", "f32[]", "f32[128,256]{1,0:T(8,128)}"]) {
    const page = await open(browser, link("layout", { text }), from);
    await page.waitForSelector("#drawing svg");
    await page.waitForSelector("#element h2");
    assert.match(await page.textContent("#element h2"), /is at offset 0/);
    await done(page);
  }
});

everywhere("compare: equal, different with the smallest difference, errors", async (from) => {
  const page = await open(browser, link("compare", { left: "f32[128,256]{1,0:T(8,128)}", right: "f32[128,256]{1,0}" }), from);
  await page.locator("#verdict h2").getByText("different").waitFor();
  assert.match(await page.textContent("#verdict"), /\[1,0\].*left: offset 128; right: offset 256/s);
  await page.waitForSelector("svg .m");
  await page.fill("#left", "f16[64,96]{0,1:T(16,16)(16,1)}");
  await page.fill("#right", "zN:f16[64,96]");
  await page.locator("#verdict h2").getByText("equal").waitFor();
  await page.fill("#right", "zN:f16[64,");
  await page.locator("#right-error").getByText("^").waitFor();
  await done(page);
});

everywhere("compare: maps, with both plots", async (from) => {
  const page = await open(browser, link("compare",
    { left: "(d0) -> (d0 mod 6), domain: d0 in [0, 99]", right: "(d0) -> (d0 mod 5), domain: d0 in [0, 99]" }), from);
  await page.locator("#verdict h2").getByText("different").waitFor();
  assert.match(await page.textContent("#verdict"), /d0 = 5.*left: \(5\); right: \(0\)/s);
  await page.waitForSelector(".differs");
  await page.fill("#right", "(d0) -> (d0 - (d0 floordiv 6) * 6), domain: d0 in [0, 99]");
  await page.locator("#verdict h2").getByText("equal").waitFor();
  assert.match(await page.textContent("#verdict"), /Proven by/);
  await done(page);
});

everywhere("map: normal form, steps with lemmas and certificates, plot of a box", async (from) => {
  const text = "(d0, d1) -> ((d0 * 8 + d1) floordiv 8, (d0 * 8 + d1) mod 8), domain: d0 in [0, 15], d1 in [0, 7], d0 mod 2 in [0, 0]";
  const page = await open(browser, link("map", { text }), from);
  await page.locator("#simplified code").getByText("(d0, d1) -> (d0, d1)").waitFor();
  assert.match(await page.textContent("#simplified"), /checker accepts every step/);
  assert.match(await page.textContent("#domain"), /d0 mod 2 in \[0, 0\]/);
  const lemma = page.locator("button.lemma").first();
  const name = /^[a-z-]+/.exec(await lemma.textContent())[0];
  await lemma.click();
  await page.locator("#lemma h2").getByText(`Lemma ${name}`).waitFor();
  await page.click("#lemma summary");
  const certificate = await page.textContent("#lemma details pre");
  assert.match(certificate, /\d/);
  assert.notEqual(certificate, "none");
  await page.waitForURL(new RegExp(`lemma=${name}`));
  await page.selectOption("#plot-result", "1");
  await page.getByLabel("d0 from").fill("4");
  await page.waitForFunction(() => document.querySelector("#plot svg text:nth-of-type(9)")?.textContent !== undefined);
  const values = await page.$$eval("#plot svg rect.inside + text", (all) => all.map((one) => one.textContent));
  assert.deepEqual(values.slice(0, 8), ["0", "1", "2", "3", "4", "5", "6", "7"]);
  await page.fill("#map-text", "(d0 -> (d0)");
  await page.locator("#map-text-error").getByText("^").waitFor();
  await done(page);
});

everywhere("hlo: graph, maps both ways, tiles by dragging, utilization, coalescing", async (from) => {
  const page = await open(browser, link("hlo", {
    text: "p = f32[16,32] parameter(0)\nr = f32[4,4,32] reshape(f32[16,32] p)\nROOT t = f32[32,4,4] transpose(f32[4,4,32] r), dimensions={2,0,1}" }), from);
  await page.waitForSelector(".node.chosen");
  assert.equal(await page.locator(".node").count(), 3);
  await page.click('[data-instruction="1"]');
  await page.locator("#instruction h2").first().getByText("r", { exact: true }).waitFor();
  const details = await page.textContent("#instruction");
  assert.match(details, /\(d0, d1, d2\) -> \(d0 \* 4 \+ d1, d2\)/);
  assert.match(details, /from the operand to the result:\(d0, d1\) -> \(d0 floordiv 4, d0 mod 4, d1\)/);
  assert.match(details, /reads 512 of 512 elements/);
  await page.waitForURL(/instruction=1/);
  // Keys: the graph is a list of buttons.
  await page.focus('[data-instruction="2"]');
  await page.keyboard.press("Enter");
  await page.locator("#instruction h2").first().getByText("t", { exact: true }).waitFor();
  await page.fill("#tile", "4:8,0:2,1:3");
  await page.getByText("r needs 0:2,1:3,4:8").waitFor();
  await page.locator("#tile-result").scrollIntoViewIfNeeded();
  const box = await page.locator("#tile-result svg").boundingBox();
  await page.mouse.move(box.x + box.width * 0.1, box.y + box.height * 0.1);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.6, { steps: 4 });
  await page.mouse.up();
  await page.getByText("r needs 0:3,0:3,4:8").waitFor();
  assert.equal(await page.inputValue("#tile"), "4:8,0:3,0:3");
  await page.waitForSelector("#tile-reads svg");
  await page.waitForSelector("#heat svg");
  await page.waitForSelector("#traffic svg");
  const traffic = await page.$$eval("#traffic tbody tr", (all) => all.map((row) => row.textContent));
  assert.match(traffic[0], /^result16644100%$/); // 16 accesses, 64 transactions, 4 each, all bytes used
  await done(page);
});

everywhere("hlo: a dropped file is read, errors are shown", async (from) => {
  const page = await open(browser, "#hlo", from);
  await page.waitForSelector(".node");
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File(["a = f32[4] parameter(0)\nROOT b = f32[4] reverse(f32[4] a), dimensions={0}"], "m.hlo"));
    document.querySelector(".panel").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  });
  await page.getByText("(d0) -> (-d0 + 3)").first().waitFor();
  await page.fill("#hlo-text", "a = f32[4] nonsense(");
  await page.locator("#hlo-text-error").getByText("expected").waitFor();
  await done(page);
});

everywhere("layout: the tile of the chosen element of a large array is enlarged", async (from) => {
  const page = await open(browser, link("layout", { text: "f32[128,256]{1,0:T(8,128)}", at: "100,200" }), from);
  await page.waitForSelector('#drawing [data-at="100,200"]');
  await page.getByText("the tile at [96,128]").waitFor();
  assert.equal(await page.locator("#drawing .r").count(), 3); // the tile, the element, its place in memory
  await page.click('#drawing [data-at="tile:8,0"]'); // another tile
  await page.getByText("the tile at [8,0]").waitFor();
  await page.locator("#element h2").getByText("Element [8,0] is at offset 2048").waitFor();
  await done(page);
});

test("file: panels that need the program say so", async () => {
  for (const panel of ["values", "devices", "banks", "grid"]) {
    const page = await open(browser, `#${panel}`);
    await page.locator(`#${panel}-answer`).getByText("This panel asks the program").waitFor();
    await done(page);
  }
});

test("explore: values, down to where two modules begin to differ", async () => {
  const page = await open(browser, "#values", address);
  await page.locator("#values-answer h2").getByText("equal", { exact: true }).waitFor();
  await page.click("text=a wrong square");
  await page.locator("#values-answer h2").getByText("different", { exact: true }).waitFor();
  assert.match(await page.textContent("#values-answer summary"), /result 0: different at \[0,0\]/);
  const last = await page.$$eval("#values-answer .module .last", (all) => all.map((one) => one.textContent.trim()));
  assert.deepEqual(last, ["c = f32[] constant(2)", "p = f32[4,8] parameter(0)"]);
  assert.equal(await page.locator("#values-answer .walk").count(), 2);
  await page.fill("#values-right", "ROOT x = f32[");
  await page.locator("#values-answer .error").getByText("expected").waitFor();
  await done(page);
});

test("explore: devices, banks and grids", async () => {
  const page = await open(browser, "#devices", address);
  await page.waitForSelector("#devices-answer svg");
  assert.equal(await page.locator("#devices-answer tbody tr").count(), 8);
  await page.goto(`${address}#banks`);
  await page.locator("#banks-answer h2").getByText("8-way conflicts").waitFor();
  await page.waitForSelector("#banks-answer svg");
  await page.click("text=swizzled rows");
  await page.locator("#banks-answer h2").getByText("no conflicts").waitFor();
  await page.goto(`${address}#grid`);
  await page.locator("#grid-answer").getByText("out[2] is never written").waitFor();
  assert.equal(await page.locator("#grid-answer tbody .equal").count(), 3);
  await done(page);
});

test("zoo: pages of bugs with the wrong and the right answer, and a picture", async () => {
  const page = await open(browser, "#zoo");
  await page.waitForSelector("#bug h2");
  const names = await page.$$eval(".names a", (all) => all.map((one) => one.textContent));
  assert.ok(names.length > 140, `${names.length} bugs`);
  let pictures = 0, without = 0;
  for (const name of names) {
    await page.evaluate((bug) => (location.hash = `#zoo?bug=${encodeURIComponent(bug)}`), name);
    await page.locator("#bug h2").getByText(name, { exact: true }).waitFor();
    if ((await page.textContent("#bug")).includes("No question shows it")) {
      ++without;
      continue;
    }
    await page.waitForSelector("#bug-picture[data-done]");
    // The diagram: the question, the right answer, the wrong one.
    assert.equal(await page.locator("#bug-picture .verdict").count(), 3, name);
    const [, right, wrong] = await page.$$eval("#bug-picture .verdict", (all) => all.map((box) =>
      [...box.querySelectorAll("text")].slice(1).map((line) => line.textContent).join("")));
    assert.notEqual(right, wrong, name);
    pictures += (await page.locator("#bug-picture svg").count()) > 1;
    const text = await page.textContent("#bug");
    assert.match(text, /Seen in: \S.*What was asked: [A-Z].*Wrong: \S.*Right: \S.*The wrong rule: \S/s, name);
  }
  console.log(`${names.length} bugs: ${pictures} with a plot or layout, ${without} that no question shows`);
  assert.ok(pictures >= 60 && without < 70); // many smallest cases are maps without variables
  await page.fill("#filter", names[3]);
  assert.equal(await page.locator(".names a").first().textContent(), names[3]);
  await done(page);
});

everywhere("tabs are reached and changed by keys", async (from) => {
  const page = await open(browser, "", from);
  await page.waitForSelector("#element h2");
  await page.focus("#tab-layout");
  await page.keyboard.press("ArrowRight");
  await page.waitForSelector("#verdict h2");
  assert.equal(await page.getAttribute("#tab-compare", "aria-selected"), "true");
  await page.waitForURL(/#compare/);
  await page.goBack();
  await page.waitForSelector("#element h2");
  await done(page);
});
