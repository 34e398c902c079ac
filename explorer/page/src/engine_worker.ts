// SPDX-License-Identifier: Apache-2.0
// The C++ code in a thread of its own, so that a slow question does not stop the page.
import start from "tileproof-engine";

const engine = start();

async function answer(text: string): Promise<string> {
  const module = await engine;
  const bytes = module.lengthBytesUTF8(text) + 1;
  const at = module._malloc(bytes);
  module.stringToUTF8(text, at, bytes);
  const found = module.UTF8ToString(module._tileproof_answer(at));
  module._free(at);
  return found;
}

onmessage = (event: MessageEvent<{ number: number; text: string }>) => {
  const { number, text } = event.data;
  answer(text).then(
    (found) => postMessage({ number, found }),
    (failure: unknown) => postMessage({ number, failure: String(failure) }),
  );
};
void engine.then(() => postMessage({ number: -1, found: "" }));
