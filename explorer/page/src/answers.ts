// SPDX-License-Identifier: Apache-2.0
// Questions to the C++ code (explorer/answers/answer.h), as WebAssembly in this page. If the page
// was served by `tileproof explore`, questions that need a solver or much memory go to the program.
import EngineWorker from "./engine_worker?worker&inline";

export type Json = Record<string, unknown>;
export type Answer<T> = { ok: T } | { error: string; limit?: boolean };

declare global {
  interface Window {
    tileproofProgram?: boolean; // set by `tileproof explore`
  }
}

const kLargeText = 1 << 20; // such a module goes to the program
const kMostTime = 20_000; // milliseconds for an answer of this page

// Integers beyond 2^53 stay exact.
export function parse(text: string): unknown {
  type Source = { source?: string };
  const reviver = (_key: string, value: unknown, context?: Source) =>
    typeof value === "number" && !Number.isSafeInteger(value) && context?.source !== undefined
      ? BigInt(context.source)
      : value;
  return JSON.parse(text, reviver as (key: string, value: unknown) => unknown);
}

// A thread with the engine. It is ended if it fails or takes too long; the next question starts
// another one.
class Engine {
  private readonly worker = new EngineWorker();
  private readonly waiting = new Map<number, (text: string) => void>();
  private last = 0;
  readonly ready: Promise<void>;

  constructor(private readonly ended: () => void) {
    this.ready = new Promise((resolve) => {
      this.waiting.set(-1, () => resolve());
    });
    this.worker.onmessage = (event: MessageEvent<{ number: number; found?: string; failure?: string }>) => {
      const { number, found, failure } = event.data;
      if (failure !== undefined) return this.end(`the page cannot answer this: ${failure}`);
      this.waiting.get(number)?.(found!);
      this.waiting.delete(number);
    };
    this.worker.onerror = (event) => this.end(`the page cannot answer: ${event.message}`);
  }

  async ask(text: string): Promise<string> {
    await this.ready;
    const number = ++this.last;
    return new Promise((resolve) => {
      const limit = setTimeout(() => this.end(`no answer within ${kMostTime / 1000} s`), kMostTime);
      this.waiting.set(number, (found) => {
        clearTimeout(limit);
        resolve(found);
      });
      this.worker.postMessage({ number, text });
    });
  }

  private end(why: string): void {
    this.worker.terminate();
    this.ended();
    for (const answer of this.waiting.values()) answer(JSON.stringify({ error: why, limit: true }));
    this.waiting.clear();
  }
}

let engine: Engine | undefined;
const started = (): Engine => (engine ??= new Engine(() => (engine = undefined)));

async function askProgram(text: string): Promise<unknown> {
  try {
    const reply = await fetch("/answer", { method: "POST", body: text });
    const found = await reply.text();
    return reply.ok ? parse(found) : { error: `the program answered: ${found.trim()}` };
  } catch (failure) {
    return { error: `the program does not answer: ${String(failure)}` };
  }
}

export const hasProgram = (): boolean => window.tileproofProgram === true;

// A comparison, or one of the conversions of a layout, that needs a solver.
function isUndecided(found: unknown): boolean {
  const { verdict, systems = [] } = found as { verdict?: string; systems?: { verdict: string }[] };
  return verdict === "undecided" || systems.some((one) => one.verdict === "undecided");
}

export async function ask<T>(question: Json): Promise<Answer<T>> {
  const text = JSON.stringify(question);
  if (hasProgram() && text.length > kLargeText) return (await askProgram(text)) as Answer<T>;
  const found = parse(await started().ask(text)) as Answer<T>;
  const undecided = "ok" in found && isUndecided(found.ok);
  const limited = "error" in found && found.limit === true;
  return hasProgram() && (undecided || limited) ? ((await askProgram(text)) as Answer<T>) : found;
}

// The output of a command of the program. Its texts reach it in files.
export const runCommand = async <T>(command: string, texts: string[], options: string[]): Promise<Answer<T>> =>
  (await askProgram(JSON.stringify({ ask: "command", command, texts, options }))) as Answer<T>;

// The answer of this page as text, for scripts.
export const answerText = (question: string): Promise<string> => started().ask(question);

// Resolves when the first question can be answered.
export const ready = (): Promise<void> => started().ready;
