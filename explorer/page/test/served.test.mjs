// SPDX-License-Identifier: Apache-2.0
// The page served by `tileproof explore`, and the server with malformed requests.
import assert from "node:assert/strict";
import net from "node:net";
import { test } from "node:test";
import { open, withBrowser, withServer } from "./browser.mjs";

const post = (address, body, headers = {}) => fetch(`${address}answer`, { method: "POST", body, headers });

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
    await page.fill("#hlo", lines.join("\n"));
    await page.locator("#instruction h2").first().getByText("p2500").waitFor();
    assert.equal(await page.locator(".node").count(), 150);
    assert.deepEqual(page.errors, []);
  }));
});

test("malformed requests get an error, and the server goes on", async () => {
  await withServer(async (address) => {
    const port = Number(new URL(address).port);
    const raw = (text) => new Promise((resolve) => {
      let reply = "";
      const socket = net.connect(port, "127.0.0.1", () => socket.write(text));
      socket.on("data", (data) => (reply += data));
      socket.on("close", () => resolve(reply));
      socket.on("error", () => resolve(reply));
      setTimeout(() => socket.end(), 2000);
    });
    assert.match(await raw("nonsense\r\n\r\n"), /^HTTP\/1.1 400 /);
    assert.match(await raw(`GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(1 << 15)}\r\n\r\n`), /^HTTP\/1.1 431 /);
    assert.match(await raw(`POST /answer HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${1 << 30}\r\n\r\n`), /^HTTP\/1.1 413 /);
    assert.match(await raw("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"), /^HTTP\/1.1 403 /);
    assert.match(await raw("POST /answer HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n"), /^HTTP\/1.1 400 /);
    await raw("POST /answer HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{\"half");
    await raw("\0\0\0\0\r\n\r\n");
    const bodies = ["", "{", "[]", "{}", '{"ask":7}', '{"ask":"nothing"}', '{"ask":"layout"}', '{"ask":"layout","text":7}',
      '{"ask":"module","text":"("}', '{"ask":"tile","text":"a = f32[2] iota()","computation":9,"instruction":-1,"tile":"x"}',
      '{"ask":"plot","text":"(d0) -> (d0)","x":"d0","result":0,"at":[1,2,3]}', "[".repeat(100_000), '{"ask":"layout","text":"f32[' + "9".repeat(1000) + ']"}'];
    for (const body of bodies) {
      const reply = await post(address, body);
      const text = await reply.text();
      assert.ok(reply.status === 400 || JSON.parse(text).error, `${body.slice(0, 80)}: ${text}`);
    }
    assert.equal((await post(address, "{}", { origin: "http://evil.example" })).status, 403);
    assert.equal((await fetch(`${address}nothing`)).status, 404);
    assert.equal((await fetch(address, { method: "PUT" })).status, 405);
    const good = await post(address, '{"ask":"element","text":"f32[3,5]{1,0:T(2,2)}","index":[2,3]}');
    assert.equal((await good.json()).ok.offset, 17);
    const many = await Promise.all(Array.from({ length: 40 }, () => post(address, '{"ask":"lemma","name":"div-div"}')));
    assert.ok(many.every((reply) => reply.status === 200));
  });
});
