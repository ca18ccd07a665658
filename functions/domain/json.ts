/** JSON as text: read without an error, written in one way. */

/** Undefined for what is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The same, and undefined for what is nested deeper than `most`: to walk through it would exhaust the stack. */
export function parseShallowJson(text: string, most = 200): unknown {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (inText) {
      if (letter === '\\') at += 1;
      else if (letter === '"') inText = false;
    } else if (letter === '"') inText = true;
    else if (letter === '{' || letter === '[') depth += 1;
    else if (letter === '}' || letter === ']') depth -= 1;
    if (depth > most) return undefined;
  }
  return parseJson(text);
}

/** True for a map with keys, not for a list or null. */
export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same text for the same value, whatever the order of the keys of its maps. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isMap(inner) ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1))) : inner,
  );
}
