/** Texts with `${…}`: a reference to a value by its path, with an optional default. */
import { type ValuePath, valuePathText } from '../value-path.ts';

export interface ValueReference {
  /** `values`, `cluster`, `layers`, or a variable of `$for` or `$with`. */
  readonly root: string;
  readonly path: ValuePath;
  /** The default: what follows `??`. */
  readonly otherwise?: { readonly value: unknown };
}

export type ParsedText =
  /** The text is one reference, and the value keeps its type. */
  | { readonly kind: 'reference'; readonly reference: ValueReference }
  | { readonly kind: 'parts'; readonly parts: readonly (string | ValueReference)[] }
  | { readonly kind: 'fault'; readonly reason: string; readonly fix: string };

/** `$${` stands for `${`. */
export function parseText(text: string): ParsedText {
  const parts: (string | ValueReference)[] = [];
  let rest = 0;
  let literal = '';
  for (;;) {
    const start = text.indexOf('${', rest);
    if (start < 0) break;
    if (start > rest && text[start - 1] === '$') {
      literal += `${text.slice(rest, start - 1)}\${`;
      rest = start + 2;
      continue;
    }
    const end = endOf(text, start + 2);
    if (end < 0)
      return { kind: 'fault', reason: 'has "${" without "}"', fix: 'close it, or write "$${" for the text "${"' };
    const inside = text.slice(start + 2, end);
    const reference = parseReference(inside);
    if (reference === undefined)
      return { kind: 'fault', reason: `"\${${cut(inside)}}" is not a reference`, fix: howTo };
    literal += text.slice(rest, start);
    if (literal !== '') parts.push(literal);
    literal = '';
    parts.push(reference);
    rest = end + 1;
  }
  literal += text.slice(rest);
  if (literal !== '') parts.push(literal);
  const [only, ...more] = parts;
  if (only !== undefined && typeof only !== 'string' && more.length === 0)
    return { kind: 'reference', reference: only };
  return { kind: 'parts', parts };
}

const cut = (text: string): string => (text.length > 60 ? `${text.slice(0, 57)}…` : text);

const howTo = 'write it like "${values.kubernetes.version}" or "${values.size ?? 3}"';

/** `values.a.b`, `pool["x y"]`, `values.size ?? 3`: what follows `??` is JSON. Undefined if it is not a reference. */
export function parseReference(text: string): ValueReference | undefined {
  const [read, root, steps = ''] =
    /^\s*([A-Za-z][A-Za-z0-9]*)((?:\.[A-Za-z0-9_][\w-]*|\[\d+\]|\["(?:[^"\\]|\\.)*"\])*)/s.exec(text) ?? [];
  if (read === undefined || root === undefined) return undefined;
  const rest = text.slice(read.length).trim();
  if (rest !== '' && !rest.startsWith('??')) return undefined;
  try {
    const path = [...steps.matchAll(/\.([\w-]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/gs)].map(
      ([, name, index, quoted]) => name ?? index ?? String(JSON.parse(quoted ?? '""')),
    );
    return rest === ''
      ? { root, path }
      : { root, path, otherwise: { value: JSON.parse(rest.slice(2).trim()) as unknown } };
  } catch {
    return undefined;
  }
}

export function referenceText({ root, path }: ValueReference): string {
  return valuePathText([root, ...path]);
}

/** The `}` that closes the expression; a `}` in quotes or in a map after `??` does not. */
function endOf(text: string, from: number): number {
  let depth = 0;
  let quoted = false;
  for (let at = from; at < text.length; at++) {
    const sign = text[at];
    if (quoted) {
      if (sign === '\\') at += 1;
      else if (sign === '"') quoted = false;
    } else if (sign === '"') quoted = true;
    else if (sign === '{') depth += 1;
    else if (sign === '}') {
      if (depth === 0) return at;
      depth -= 1;
    }
  }
  return -1;
}
