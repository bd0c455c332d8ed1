// SPDX-License-Identifier: Apache-2.0

/** A piece of a text: from the first character to behind the last. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A JSON value, and where its parts stand, by path as the server writes it: `cloths[0].area_density`. */
export interface JsonText {
  readonly value: unknown;
  readonly spans: ReadonlyMap<string, Span>;
}

export class JsonSyntaxError extends Error {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}

/** Nesting beyond this is nobody's scene. */
const deepest = 200;

/** Reads JSON with `//` and `/* *\/` comments and trailing commas, as scenes have them. Throws JsonSyntaxError. */
export function parseJsonText(text: string): JsonText {
  const spans = new Map<string, Span>();
  let at = 0;
  const fail = (what: string): never => {
    throw new JsonSyntaxError(at >= text.length ? `${what}, but the text ends` : what, Math.min(at, text.length));
  };
  const skip = (): void => {
    const blank = /(?:\s|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)*/y;
    blank.lastIndex = at;
    at += blank.exec(text)?.[0].length ?? 0;
  };
  const take = (pattern: RegExp, what: string): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found === undefined) return fail(`expected ${what}`);
    at += found.length;
    return found;
  };
  const string = (): string => {
    const begin = at;
    const quoted = take(/"(?:[^"\\\n]|\\.)*"/y, "a string in double quotes");
    try {
      return JSON.parse(quoted) as string;
    } catch {
      at = begin;
      return fail("this string has a bad escape");
    }
  };
  const members = (close: string, member: (index: number) => void): void => {
    ++at;
    for (let index = 0; ; ++index) {
      skip();
      if (text[at] === close) break;
      member(index);
      skip();
      if (text[at] === ",") ++at;
      else if (text[at] !== close) fail(`expected a comma or ${close}`);
    }
    ++at;
  };
  const value = (path: string, depth: number): unknown => {
    if (depth > deepest) fail("this is nested too deeply");
    skip();
    const from = at;
    let result: unknown;
    if (text[at] === "{") {
      const object: Record<string, unknown> = {};
      members("}", () => {
        skip();
        const begin = at;
        const key = string();
        if (Object.hasOwn(object, key)) {
          at = begin;
          fail(`"${key}" is given twice`);
        }
        skip();
        take(/:/y, "a colon");
        object[key] = value(path === "" ? snakeCase(key) : `${path}.${snakeCase(key)}`, depth + 1);
      });
      result = object;
    } else if (text[at] === "[") {
      const array: unknown[] = [];
      members("]", (index) => array.push(value(`${path}[${index}]`, depth + 1)));
      result = array;
    } else if (text[at] === '"') {
      result = string();
    } else {
      result = JSON.parse(take(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y, "a value"));
    }
    spans.set(path, { from, to: at });
    return result;
  };
  const whole = value("", 0);
  skip();
  if (at < text.length) fail("nothing may follow the scene");
  return { value: whole, spans };
}

/** Where a problem's field stands: itself, or the nearest part around it that is there. */
export function spanOf({ spans }: JsonText, field: string): Span {
  for (let path = field; ; path = path.replace(/(?:\.[^.[\]]+|\[\d+\]|^[^.[\]]+)$/, "")) {
    const span = spans.get(path);
    if (span !== undefined) return span;
    if (path === "") return { from: 0, to: 0 };
  }
}

/** Scenes may spell fields as `cellSize` or `cell_size`; the server names them the second way. */
function snakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
