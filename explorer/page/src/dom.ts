// SPDX-License-Identifier: Apache-2.0
// Elements of the page, made in one expression.

export type Child = Node | string | undefined | false;
type Attributes = Record<string, string | number | boolean | ((event: never) => void) | undefined>;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  set(element, attributes);
  for (const child of children) if (child) element.append(child);
  return element;
}

export function svg(tag: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  set(element, attributes);
  for (const child of children) if (child) element.append(child);
  return element;
}

function set(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value as EventListener);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

const kLargePaste = 8000; // characters

// A labelled input with a place for its error. The caret stands under the column that is wrong.
export class Field {
  readonly input: HTMLInputElement | HTMLTextAreaElement;
  readonly box: HTMLElement;
  private readonly error: HTMLElement;

  constructor(label: string, id: string, value: string, changed: () => void, lines = 1) {
    const attributes = {
      id,
      spellcheck: "false",
      autocomplete: "off",
      autocapitalize: "off",
      "aria-describedby": `${id}-error`,
      input: changed,
    };
    this.input =
      lines > 1 ? h("textarea", { ...attributes, rows: lines }) : h("input", attributes);
    this.input.value = value;
    this.input.addEventListener("paste", (event) => this.paste(event as ClipboardEvent, changed));
    this.error = h("pre", { class: "error", id: `${id}-error`, role: "alert" });
    this.box = h("div", { class: "field" }, h("label", { for: id }, label), this.input, this.error);
  }

  get value(): string {
    return this.input.value.trim();
  }

  // Chromium inserts a text in time that is quadratic in its lines: 10 s for 1,200. We do it at once.
  private paste(event: ClipboardEvent, changed: () => void): void {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (text.length < kLargePaste) return;
    event.preventDefault();
    const { selectionStart, selectionEnd, value } = this.input;
    this.input.setRangeText(text, selectionStart ?? value.length, selectionEnd ?? value.length, "end");
    changed();
  }

  show(message: string | undefined): void {
    this.input.setAttribute("aria-invalid", message ? "true" : "false");
    this.error.textContent = message ? withCaret(this.input.value.trim(), message) : "";
  }
}

// "column 7: expected .." becomes the line, a caret under the place, and the message.
export function withCaret(text: string, message: string): string {
  const column = Number(/column (\d+)/.exec(message)?.[1] ?? 0);
  const line = text.split("\n")[Number(/line (\d+)/.exec(message)?.[1] ?? 1) - 1];
  if (column === 0 || line === undefined || column > line.length + 1) return message;
  const from = Math.max(0, column - 40);
  return `${line.slice(from, from + 72)}\n${" ".repeat(column - 1 - from)}^\n${message}`;
}

export function select(
  label: string,
  id: string,
  choices: readonly string[],
  value: string,
  changed: () => void,
): { box: HTMLElement; input: HTMLSelectElement } {
  const input = h("select", { id, change: changed });
  for (const choice of choices) {
    input.append(h("option", { value: choice, selected: choice === value }, choice));
  }
  return { box: h("div", { class: "field" }, h("label", { for: id }, label), input), input };
}

export function copyButton(text: string): HTMLButtonElement {
  const button = h("button", { type: "button", class: "copy", "aria-label": `copy ${text}` }, "copy");
  button.addEventListener("click", () => {
    void navigator.clipboard.writeText(text).then(() => (button.textContent = "copied"));
  });
  return button;
}

// Puts trusted SVG of our own program into the page. A wide picture scrolls instead of shrinking
// until nobody can read it.
export function picture(text: string): HTMLElement {
  const box = h("div", { class: "picture", tabindex: "0", role: "group", "aria-label": "picture" });
  box.innerHTML = text;
  shareStyle(box);
  const drawn = box.querySelector("svg");
  if (drawn) {
    const [, , width = 0] = (drawn.getAttribute("viewBox") ?? "").split(" ").map(Number);
    drawn.style.minWidth = `${Math.min(width, Math.max(340, width * 0.62))}px`;
    box.setAttribute("aria-label", drawn.querySelector("title")?.textContent ?? "picture");
  }
  return box;
}

// All pictures have the same style. It is in the page once: a new one makes the browser style the
// whole page again.
function shareStyle(box: HTMLElement): void {
  const style = box.querySelector("style");
  if (!style) return;
  style.remove();
  if (!document.getElementById("picture-style")) {
    style.id = "picture-style";
    document.head.prepend(style);
  }
}

// A table that scrolls by itself if it is wider than the page. A quiet caption is for screen readers:
// a heading above says the same.
export function table(caption: string, head: string[], rows: Child[][], look = ""): HTMLElement {
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", { class: look },
      h("caption", {}, caption),
      head.length > 0 && h("thead", {}, h("tr", {}, ...head.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map((cell) => h("td", {}, cell)))))));
}

export function fragment(...children: Child[]): DocumentFragment {
  const made = document.createDocumentFragment();
  for (const child of children) if (child) made.append(child);
  return made;
}

export const listText = (numbers: readonly (number | bigint)[]): string => `[${numbers.join(",")}]`;

// Calls `action` when no further call came for some milliseconds.
export function delayed(milliseconds: number, action: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, milliseconds);
  };
}
