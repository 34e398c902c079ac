// SPDX-License-Identifier: Apache-2.0
// One file, index.html, with script, style, WebAssembly and data inside: it works from file:// and
// asks no server for anything. tools/explorer names the inputs.
import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

const build = process.env.TILEPROOF_EXPLORER ?? "../../build/explorer";

export default defineConfig({
  plugins: [viteSingleFile()],
  resolve: {
    alias: {
      "tileproof-engine": `${build}/explorer.mjs`,
      "tileproof-zoo": `${build}/zoo.json`,
      "tileproof-certificates": `${build}/certificates.json`,
    },
  },
  build: { outDir: `${build}/page`, emptyOutDir: true, assetsInlineLimit: 100_000_000, target: "es2022" },
});
