/** Values inside of a secret text: lines, and what an INI, YAML or JSON file in it has. Pure. */
import { parse } from 'yaml';

/** Keys whose values are no secrets, and that errors of clouds have to name. */
const openKeys =
  /^(type|region\w*|profile|output|source_profile|role_arn|project(_id|_name)?|username|user_name|client_email|auth_type|interface|identity_api_version|kind|apiversion|name|namespace|tenancy|subscriptionid|tenantid|location|zone)$/i;
const openEndings = /(domain(_name|_id)?|_ur[il])$|endpoint/i;
const isOpenKey = (key: string): boolean => openKeys.test(key) || (/^\w+$/.test(key) && openEndings.test(key));

/** Shorter ones may be ordinary words. */
const shortestPart = 8;
/** Longer texts are no configuration. */
const longestText = 100_000;

/** Lines of a text with several, and the values of its keys. */
export function secretParts(value: string): ReadonlySet<string> {
  const lines = value
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => !/^-----(BEGIN|END) [A-Z ]+-----$/.test(line));
  const values = value.length > longestText ? [] : [...lines.flatMap(pairsIn), ...leavesOf(value)];
  const own = values.filter(([key, text]) => !isOpenKey(key) && !/^\w+:\/\/[^@]*$/.test(text)).map(([, text]) => text);
  const all = [
    ...(lines.length > 1 ? lines : []),
    ...own,
    ...own.flatMap((text) => (text.includes('\n') ? text.split('\n') : [])),
  ];
  return new Set(all.map((text) => text.trim()).filter((text) => text.length >= shortestPart && text !== value));
}

type Pair = readonly [key: string, value: string];

/** `key = value`, `key: value`, `export KEY='value'`, `a=1;b=2` */
function pairsIn(line: string): readonly Pair[] {
  if (line.length > 4096) return [];
  return [line, ...line.split(/[;&]/), ...line.split(/[\s,{}]+/)].flatMap((part) => {
    const at = part.search(/[=:]/);
    if (at < 1) return [];
    const key = part
      .slice(0, at)
      .trim()
      .replace(/^export\s/, '');
    const text = part
      .slice(at + 1)
      .trim()
      .replace(/,$/, '');
    return /^["']?[\w.-]{1,100}["']?$/.test(key) ? [[key.replaceAll(/["']/g, ''), unquoted(text)] as const] : [];
  });
}

function unquoted(text: string): string {
  const quote = text[0];
  return (quote === '"' || quote === "'") && text.endsWith(quote) && text.length > 1 ? text.slice(1, -1) : text;
}

/** Texts of a JSON or YAML document. */
function leavesOf(value: string): readonly Pair[] {
  try {
    return walk('', parse(value, { logLevel: 'silent' }));
  } catch {
    return [];
  }
}

function walk(key: string, node: unknown): readonly Pair[] {
  if (typeof node === 'string') return key === '' ? [] : [[key, node]];
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([name, inner]) => walk(Array.isArray(node) ? key : name, inner));
}
