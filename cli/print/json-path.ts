/** `-o jsonpath=TEMPLATE` of kubectl, in the forms that scripts use: text, `{.path[0].name}`, `[*]`, `{"\n"}`, `{range PATH}…{end}`. */
import { isMap } from '#domain/json.ts';
import { CliError, exitCodes } from '../exit-codes.ts';

type Part =
  | { readonly text: string }
  | { readonly path: readonly string[] }
  | { readonly each: readonly string[]; readonly parts: readonly Part[] };

/** The text of `template` for `value`; what is missing is empty. Throws `CliError` for a template that cannot be read. */
export function jsonPathText(template: string, value: unknown): string {
  const parts = readParts(piecesOf(template), template, false);
  return rendered(parts, value);
}

/** Texts, and what is in braces with them. */
function piecesOf(template: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < template.length; ) {
    const end = template[start] === '{' ? endOfBraces(template, start) : template.indexOf('{', start);
    pieces.push(template.slice(start, end === -1 ? undefined : end));
    start = end === -1 ? template.length : end;
  }
  return pieces;
}

/** Braces in quotes are text. */
function endOfBraces(template: string, start: number): number {
  let quoted = false;
  for (let at = start + 1; at < template.length; at += 1) {
    const letter = template[at];
    if (quoted && letter === '\\') at += 1;
    else if (letter === '"') quoted = !quoted;
    else if (!quoted && letter === '}') return at + 1;
    else if (!quoted && letter === '{') break;
  }
  throw unreadable(template, '{ has no }');
}

function readParts(rest: string[], template: string, inRange: boolean): readonly Part[] {
  const parts: Part[] = [];
  for (let piece = rest.shift(); piece !== undefined; piece = rest.shift()) {
    const inner = piece.startsWith('{') ? piece.slice(1, -1).trim() : undefined;
    if (inner === undefined) parts.push({ text: piece });
    else if (inner === 'end' && inRange) return parts;
    else if (inner.startsWith('"')) parts.push({ text: textOf(inner, template) });
    else if (inner.startsWith('range '))
      parts.push({ each: pathOf(inner.slice(6).trim(), template), parts: readParts(rest, template, true) });
    else parts.push({ path: pathOf(inner, template) });
  }
  if (inRange) throw unreadable(template, '{range} has no {end}');
  return parts;
}

function textOf(quoted: string, template: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    throw unreadable(template, `${quoted} is not a text in quotes`);
  }
}

/** `.items[*].name` → `items`, `*`, `name`. */
function pathOf(text: string, template: string): readonly string[] {
  const path = text.replace(/^\$/, '').replace(/^@/, '');
  const steps = [...path.matchAll(/\.([\w-]+|\*)|\[(\d{1,6}|\*)\]|\['([^']+)'\]|\.(?=\[|$)/g)];
  if (steps.map(([step]) => step).join('') !== path) throw unreadable(template, `"${text.slice(0, 60)}" is not a path`);
  return steps.flatMap(([, name, place, quoted]) => name ?? place ?? quoted ?? []);
}

function found(values: readonly unknown[], path: readonly string[]): readonly unknown[] {
  return path.reduce<readonly unknown[]>((at, step) => at.flatMap((value) => stepInto(value, step)), values);
}

function stepInto(value: unknown, step: string): readonly unknown[] {
  if (step === '*') return Array.isArray(value) ? value : isMap(value) ? Object.values(value) : [];
  if (Array.isArray(value)) return value.slice(Number(step), Number(step) + 1);
  return isMap(value) && Object.hasOwn(value, step) ? [value[step]] : [];
}

const rendered = (parts: readonly Part[], value: unknown): string =>
  parts
    .map((part) => {
      if ('text' in part) return part.text;
      if ('path' in part) return found([value], part.path).map(shown).join(' ');
      return found([value], part.each)
        .map((item) => rendered(part.parts, item))
        .join('');
    })
    .join('');

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const unreadable = (template: string, why: string): CliError =>
  new CliError(`-o jsonpath=${template.slice(0, 120)}: ${why}; for more, use -o json with jq`, exitCodes.usage);
