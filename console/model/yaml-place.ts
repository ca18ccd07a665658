/** Where a cursor is in YAML that someone is writing, which is rarely valid then: read line by line, by indentation, as people do. */

/** A key, or an item of a list. */
export type YamlStep = string | typeof item;
export const item = Symbol('item');

export interface YamlPlace {
  /** Kind of the document around the cursor. */
  readonly kind: string | undefined;
  /** To the mapping in which a key is written, or to the value. */
  readonly path: readonly YamlStep[];
  readonly what: 'key' | 'value';
  /** What is written of it so far, and where that starts in the text. */
  readonly typed: string;
  readonly from: number;
  /** Keys that the mapping has already. */
  readonly others: readonly string[];
  /** Column at which the keys of the mapping are; undefined within braces. */
  readonly column: number | undefined;
}

interface Line {
  /** Columns of the dashes of list items at its beginning. */
  readonly dashes: readonly number[];
  /** Column of what follows them. */
  readonly column: number;
  readonly key: string | undefined;
  /** The text after the colon, or the item if it has no key. */
  readonly value: string;
  /** Column of the value. */
  readonly valueColumn: number;
}

/** Undefined where nothing can be completed: in comments, block texts, and braces over several lines. */
export function placeInYaml(text: string, position: number): YamlPlace | undefined {
  const before = text.slice(0, position).split('\n');
  const current = before.pop() ?? '';
  const start = before.findLastIndex(isSeparator) + 1;
  const above = before.slice(start);
  const rest = text.slice(position).split('\n').slice(1);
  const end = rest.findIndex(isSeparator);
  const below = end < 0 ? rest : rest.slice(0, end);
  const kind = kindIn([...above, current, ...below]);
  if (/(^|\s)#/.test(current) || above.some((line) => /^\s*[{[]/.test(line) && !/[}\]]\s*$/.test(line)))
    return undefined;
  const line = readLine(current);
  const isEmpty = current.trim() === '' || line.key === undefined;
  const outer = pathAbove(above, line);
  if (outer === undefined) return undefined;
  const lineStart = position - current.length;
  const base = { kind, column: undefined, others: [] as readonly string[] };
  if (line.key === undefined && !/^[{[]/.test(line.value)) {
    // In a list, it may be a value, too: the schema knows.
    const others = siblings(above, below, line.column, line.dashes.length === 0);
    const typed = current.slice(line.column);
    if (/\s/.test(typed.trimEnd()) || typed !== typed.trim()) return undefined;
    return { ...base, path: outer, what: 'key', typed, from: lineStart + line.column, others, column: line.column };
  }
  const path = isEmpty ? outer : [...outer, line.key ?? ''];
  const flow = /^[{[]/.test(line.value) ? placeInBraces(line.value) : undefined;
  if (flow === null) return undefined;
  if (flow) return { ...base, ...flow, path: [...path, ...flow.path], from: position - flow.typed.length };
  if (/^[|>&*!]/.test(line.value)) return undefined;
  return { ...base, path, what: 'value', typed: line.value, from: lineStart + line.valueColumn };
}

const isSeparator = (line: string): boolean => /^---(\s|$)/.test(line);

function kindIn(lines: readonly string[]): string | undefined {
  for (const line of lines) {
    const [, kind] = /^kind:\s*["']?(\w+)/.exec(line) ?? [];
    if (kind !== undefined) return kind;
  }
  return undefined;
}

function readLine(line: string): Line {
  const dashes: number[] = [];
  let column = line.length - line.trimStart().length;
  for (;;) {
    const [dash] = /^-(\s+|$)/.exec(line.slice(column)) ?? [];
    if (dash === undefined) break;
    dashes.push(column);
    column += dash.length;
  }
  const [, key, gap = ''] = /^("[^"]*"|'[^']*'|[^\s#:{}[\]"'][^#:]*?):(\s+|$)/.exec(line.slice(column)) ?? [];
  if (key === undefined) return { dashes, column, key: undefined, value: line.slice(column), valueColumn: column };
  const valueColumn = column + key.length + 1 + gap.length;
  return { dashes, column, key: key.replace(/^["']|["']$/g, ''), value: line.slice(valueColumn), valueColumn };
}

const isBlank = (line: string): boolean => /^\s*(#|$)/.test(line);

/** Steps to the mapping or list in which the line is; undefined inside a block text. */
function pathAbove(above: readonly string[], current: Line): readonly YamlStep[] | undefined {
  const path: YamlStep[] = [];
  let column = current.column;
  const enter = (dashes: readonly number[]): void => {
    for (const dash of dashes.toReversed()) {
      if (dash >= column) continue;
      path.unshift(item);
      column = dash;
    }
  };
  enter(current.dashes);
  /** Whether the last step is into a list: its key may have the column of the dash. */
  let isItem = current.dashes.length > 0;
  for (const text of above.toReversed()) {
    if (isBlank(text)) continue;
    const line = readLine(text);
    const [dash = line.column] = line.dashes;
    // Deeper, or next to it.
    if (dash > column || (dash === column && line.dashes.length > 0)) continue;
    const isParent = line.column < column || (isItem && line.column === column && line.dashes.length === 0);
    if (line.column > column) {
      // The first line of an item of an outer list, in which an inner one starts.
      enter(line.dashes);
      continue;
    }
    if (isParent) {
      if (line.key === undefined) continue;
      if (/^[|>]/.test(line.value)) return undefined;
      path.unshift(line.key);
      column = line.column;
    } else if (line.dashes.length === 0) continue;
    isItem = line.dashes.length > 0;
    enter(line.dashes);
  }
  return path;
}

/** Keys of the same mapping, above and below. `sameItem`: the line is not the first of an item. */
function siblings(
  above: readonly string[],
  below: readonly string[],
  column: number,
  sameItem: boolean,
): readonly string[] {
  const found: string[] = [];
  const look = (lines: readonly string[], isAbove: boolean): void => {
    for (const text of lines) {
      if (isBlank(text)) continue;
      const line = readLine(text);
      if (line.column < column || (line.dashes[0] ?? column) < column) {
        if (isAbove && line.column === column && line.key !== undefined) found.push(line.key);
        return;
      }
      if (line.column === column && line.dashes.length === 0 && line.key !== undefined) found.push(line.key);
    }
  };
  if (sameItem) look(above.toReversed(), true);
  look(below, false);
  return found;
}

interface Level {
  readonly isMap: boolean;
  key: string | undefined;
  readonly keys: string[];
}

/** The open braces up to the cursor, as in `{ a: b, c` and `[a, { b`; null if all are closed. */
function placeInBraces(text: string): Pick<YamlPlace, 'path' | 'what' | 'typed' | 'others'> | null {
  const levels: Level[] = [];
  let word = '';
  for (const [sign] of text.matchAll(/"[^"]*"?|'[^']*'?|./gs)) {
    const level = levels.at(-1);
    if (sign === '{' || sign === '[') levels.push({ isMap: sign === '{', key: undefined, keys: [] });
    else if (sign === '}' || sign === ']') levels.pop();
    else if (sign === ',' && level) level.key = undefined;
    else if (sign === ':' && level?.isMap) {
      level.key = word.trim().replace(/^["']|["']$/g, '');
      level.keys.push(level.key);
    } else {
      word += sign;
      continue;
    }
    word = '';
  }
  const last = levels.at(-1);
  if (!last) return null;
  const path = levels.flatMap(({ isMap, key }, index): YamlStep[] => {
    if (!isMap) return [item];
    return key === undefined || (index === levels.length - 1 && key === undefined) ? [] : [key];
  });
  const what = last.isMap && last.key === undefined ? 'key' : 'value';
  return { path, what, typed: word.trimStart(), others: last.keys };
}
