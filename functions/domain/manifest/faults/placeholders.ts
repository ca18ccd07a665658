/** Words that scaffolds and documentation have where a value is missing: a document with one is not finished. */
import { isMap } from '../../json.ts';
import { error, type Fault, pathText } from './fault.ts';

const usual = 'write the value that belongs here';

/** Anywhere in a short text: `ami-REPLACE-ME`. */
const inside = /REPLACE[-_ ]?(?:ME|THIS)(?![a-z])/i;

/** The whole text. Names such as `todo` are names: only capitals are a remark. */
const whole: readonly RegExp[] = [
  /^CHANGE[-_ ]?(?:ME|THIS)$/i,
  /^(?:TODO|TBD|FIXME)(?:[ :].{0,100})?$/,
  /^(?:YOUR|INSERT)[-_ ][A-Z0-9_ -]{1,60}$/,
  /^your[-_ ](?:own[-_ ])?(?:api|access|secret|token|password|key|project|subscription|tenant|client|account|region|domain|image|server)\b/i,
  /^<[^<>]{1,60}>$/,
  /^(?:ami-|ocid1\.image\.)?x{3,20}$/i,
  /^(?:\.{3}|…|\?{2,})$/,
];

/** Longer ones are texts: scripts, keys, documents of a cluster. */
const longest = 120;

/** What is written there is no value, and no value of anything looks like it. */
export function isUnfinished(text: string): boolean {
  if (text.length > longest) return false;
  const word = text.trim();
  return inside.test(word) || whole.some((form) => form.test(word));
}

/** Maps whose values are remarks of their author, or have meanings that only others know. */
const remarks: readonly string[] = ['labels', 'annotations'];

/** The places of a document with a placeholder instead of a value. Values are not repeated: some are secrets. */
export function placeholderPaths(document: unknown): readonly (readonly PropertyKey[])[] {
  const found: (readonly PropertyKey[])[] = [];
  walk(document, [], found);
  return found;
}

function walk(value: unknown, path: readonly PropertyKey[], found: (readonly PropertyKey[])[]): void {
  if (typeof value === 'string') {
    if (isUnfinished(value)) found.push(path);
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) walk(item, [...path, index], found);
  } else if (isMap(value)) {
    for (const [key, inner] of Object.entries(value)) if (!remarks.includes(key)) walk(inner, [...path, key], found);
  }
}

/** One fault for each placeholder in place of what else is wrong there, whose fix it keeps. */
export function withPlaceholders(
  faults: readonly Fault[],
  paths: readonly (readonly PropertyKey[])[],
): readonly Fault[] {
  if (paths.length === 0) return faults;
  const places = new Map(paths.map((path) => [pathText(path), path]));
  const others = faults.filter(({ path }) => !places.has(path));
  const own = [...places].map(([place, path]) => {
    const known = faults.find((fault) => fault.path === place);
    return error(path, 'is a placeholder', known?.fix ?? usual);
  });
  return [...others, ...own];
}
