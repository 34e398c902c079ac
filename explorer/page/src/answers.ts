// SPDX-License-Identifier: Apache-2.0
// Questions to the C++ code (explorer/answers/answer.h), as WebAssembly in this page. If the page
// was served by `tileproof explore`, questions that need a solver or much memory go to the program.
import start, { type Engine } from "tileproof-engine";

export type Json = Record<string, unknown>;
export type Answer<T> = { ok: T } | { error: string };

declare global {
  interface Window {
    tileproofProgram?: boolean; // set by `tileproof explore`
  }
}

const kLargeText = 1 << 20; // such a module goes to the program

let engine: Promise<Engine> | undefined;
const started = (): Promise<Engine> => (engine ??= start());

// Integers beyond 2^53 stay exact.
function parse(text: string): unknown {
  type Source = { source?: string };
  const reviver = (_key: string, value: unknown, context?: Source) =>
    typeof value === "number" && !Number.isSafeInteger(value) && context?.source !== undefined
      ? BigInt(context.source)
      : value;
  return JSON.parse(text, reviver as (key: string, value: unknown) => unknown);
}

async function askPage(text: string): Promise<unknown> {
  const module = await started();
  const bytes = module.lengthBytesUTF8(text) + 1;
  const at = module._malloc(bytes);
  try {
    module.stringToUTF8(text, at, bytes);
    return parse(module.UTF8ToString(module._tileproof_answer(at)));
  } catch (failure) {
    engine = undefined; // the next question starts anew
    return { error: `the page cannot answer this: ${String(failure)}` };
  } finally {
    if (engine) module._free(at);
  }
}

async function askProgram(text: string): Promise<unknown> {
  const reply = await fetch("/answer", { method: "POST", body: text });
  return reply.ok ? parse(await reply.text()) : { error: `the program answered ${reply.status}` };
}

export const hasProgram = (): boolean => window.tileproofProgram === true;

export async function ask<T>(question: Json): Promise<Answer<T>> {
  const text = JSON.stringify(question, (_key, value: unknown) =>
    typeof value === "bigint" ? Number(value) : value,
  );
  if (hasProgram() && text.length > kLargeText) return (await askProgram(text)) as Answer<T>;
  const found = (await askPage(text)) as Answer<T>;
  const undecided = "ok" in found && (found.ok as { verdict?: string }).verdict === "undecided";
  if (hasProgram() && (undecided || !("ok" in found))) {
    return (await askProgram(text)) as Answer<T>;
  }
  return found;
}

// Resolves when the first question can be answered.
export async function ready(): Promise<void> {
  await started();
}
