/** Paths of values, as in `kubernetes.version` or `pools["big one"].count`; `*` in a pattern stands for any one part. */

export type ValuePath = readonly string[];

/** The parts of a path as it is written; undefined when the text is not a path. List items are named by their index. */
export function parseValuePath(text: string): ValuePath | undefined {
  const parts: string[] = [];
  const part = /(?:^|\.)([A-Za-z0-9_][\w-]*|\*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y;
  while (part.lastIndex < text.length) {
    const match = part.exec(text);
    if (match === null) return undefined;
    const [, name, index, quoted] = match;
    parts.push(quoted === undefined ? (name ?? index ?? '') : unquoted(quoted));
  }
  return parts.length > 0 && !text.startsWith('.') ? parts : undefined;
}

/** Reads back what `valuePathText` wrote. */
export function valuePathText(path: ValuePath): string {
  return path
    .map((part, index) => {
      if (part !== '*' && !/^[A-Za-z0-9_][\w-]*$/.test(part)) return `[${JSON.stringify(part)}]`;
      return index === 0 ? part : `.${part}`;
    })
    .join('');
}

/** True when the pattern is the path, or a part of it from its start. */
export function covers(pattern: ValuePath, path: ValuePath): boolean {
  return pattern.length <= path.length && meets(pattern, path);
}

/** True when one of the two is the other, or the start of it. */
export function meets(one: ValuePath, other: ValuePath): boolean {
  const shared = Math.min(one.length, other.length);
  for (let index = 0; index < shared; index++) {
    if (one[index] !== other[index] && one[index] !== '*' && other[index] !== '*') return false;
  }
  return true;
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}
