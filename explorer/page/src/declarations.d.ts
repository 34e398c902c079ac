// SPDX-License-Identifier: Apache-2.0
// What tools/explorer gives the page besides its own sources.
declare module "tileproof-engine" {
  export interface Engine {
    _malloc(bytes: number): number;
    _free(at: number): void;
    _tileproof_answer(question: number): number;
    lengthBytesUTF8(text: string): number;
    stringToUTF8(text: string, at: number, bytes: number): void;
    UTF8ToString(at: number): string;
  }
  export default function start(): Promise<Engine>;
}

declare module "tileproof-zoo" {
  export interface ZooEntry {
    id: string;
    wrong: string;
    seen: string;
    operation: string;
    caught: boolean;
    verdict?: string;
    request?: Record<string, unknown>;
    answer?: string;
    right?: string;
  }
  // `others`: bugs that no operation of the protocol can show.
  const zoo: { entries: ZooEntry[]; others: { id: string; wrong: string; seen: string; why_not: string }[] };
  export default zoo;
}

declare module "tileproof-certificates" {
  const certificates: Record<string, string>; // by lemma
  export default certificates;
}
