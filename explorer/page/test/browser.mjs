// SPDX-License-Identifier: Apache-2.0
// Chromium with the page, for tests: from its file, or from `tileproof explore`.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

export const program = process.env.TILEPROOF ?? "../../build/release/bin/tileproof";
export const out = process.env.TILEPROOF_EXPLORER ?? "../../build/explorer";
export const file = pathToFileURL(path.resolve(out, "page/index.html")).href;
export const pictures = path.resolve(out, "pictures");
mkdirSync(pictures, { recursive: true });

// Calls `use` with a browser, which it closes. All errors on the console, and all requests to other
// places than `from`, are failures.
export async function withBrowser(options, use) {
  const profile = mkdtempSync(path.join(tmpdir(), "tileproof-browser-"));
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync"],
    viewport: { width: 1280, height: 900 },
    ...options,
  });
  browser.setDefaultTimeout(Number(process.env.TIMEOUT ?? 60_000));
  try {
    return await use(browser);
  } finally {
    await browser.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

// A new tab with the page at this state. `errors` collects what went wrong in it.
export async function open(browser, state = "", address = file) {
  const page = await browser.newPage();
  page.errors = [];
  page.on("console", (message) => message.type() === "error" && page.errors.push(message.text()));
  page.on("pageerror", (error) => page.errors.push(String(error)));
  page.on("request", (request) => {
    const url = request.url();
    if (!/^(file|blob|data):/.test(url) && !url.startsWith(new URL(address).origin)) page.errors.push(`asked for ${url}`);
  });
  await page.goto(address + state);
  return page;
}

// Calls `use` with the address of a running `tileproof explore`.
export async function withServer(use) {
  const server = spawn(program, ["explore", "--port", "0", "--page", path.resolve(out, "page/index.html")],
    { stdio: ["ignore", "pipe", "ignore"] });
  try {
    const address = await new Promise((resolve, reject) => {
      createInterface({ input: server.stdout }).once("line", resolve);
      server.once("exit", (status) => reject(new Error(`explore ended with ${status}`)));
    });
    return await use(address);
  } finally {
    server.kill("SIGTERM");
  }
}
