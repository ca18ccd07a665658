/** Variables in a component's file, as `clusterctl` fills them; values cannot become YAML, and those of secrets are filled last. */
import type { KubernetesObject } from '#domain/kubernetes-objects.ts';

export interface Variables {
  readonly values: Readonly<Record<string, string>>;
  /** Fields of the component's Secret. */
  readonly secrets: Readonly<Record<string, string>>;
}

export interface FilledText {
  /** YAML with marks in the place of all that is not a plain word. */
  readonly text: string;
  /** By mark. */
  readonly values: ReadonlyMap<string, string>;
  /** By mark; a mark of a secret follows from the name of its variable alone. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Sentences without full stop. */
  readonly faults: readonly string[];
}

/** What is escaped, or a variable. */
const variable = /\$\$\{|\$\{([^{}]*)\}/g;
const form = /^([A-Za-z_][A-Za-z0-9_]*)(?:(:?[=-])(.*))?$/s;
/** `${NAME/#start/other}`, which is empty without a value. Cluster API's provider of AWS has one. */
const otherStart = /^([A-Za-z_][A-Za-z0-9_]*)\/#([^/]+)\/(.*)$/s;
/** Such a value has no meaning in YAML apart from itself: it becomes a number or a truth where it is alone, as in `clusterctl`. */
const plainWord = /^([A-Za-z0-9_./]([\w./:=+-]*[\w./=+-])?)?$/;
const marks = 'KUBELOOM-VALUE-';
const secretMarks = `${marks}SECRET-`;

export function fillVariables(text: string, { values, secrets }: Variables): FilledText {
  const found = { values: new Map<string, string>(), secrets: new Map<string, string>() };
  const missing = new Set<string>();
  const faults: string[] = [];
  if (text.includes(marks)) faults.push(`the file has the word ${marks}, which is used for its variables`);
  const used = new Set<string>();
  const filled = text.replaceAll(variable, (whole, inner: string | undefined) => {
    if (inner === undefined) return whole.slice(1);
    const [, replaced, start = '', other = ''] = otherStart.exec(inner) ?? [];
    if (replaced !== undefined) {
      used.add(replaced);
      const value = own(values, replaced) ?? '';
      if (own(secrets, replaced) !== undefined || !plainWord.test(value))
        faults.push(`only a plain word can have another start: ${whole.slice(0, 60)}`);
      return value.startsWith(start) ? other + value.slice(start.length) : value;
    }
    const [, name, operator, fallback = ''] = form.exec(inner) ?? [];
    if (name === undefined) {
      faults.push(`${whole.slice(0, 60)} is not a variable; write \${NAME} or \${NAME:=default}`);
      return '';
    }
    used.add(name);
    const secret = own(secrets, name);
    const given = secret ?? own(values, name);
    // `:=` and `:-` also replace an empty value.
    const value = given === undefined || (given === '' && operator?.startsWith(':')) ? undefined : given;
    if (value !== undefined && secret !== undefined) return mark(found.secrets, `${secretMarks}${name}-`, value);
    if (value === undefined && operator === undefined) {
      missing.add(name);
      return '';
    }
    // A default is the file's own YAML, such as `""`.
    if (value === undefined) return fallback;
    return plainWord.test(value) ? value : mark(found.values, `${marks}${found.values.size}-`, value);
  });
  for (const [start] of text
    .replaceAll(variable, ' ')
    .matchAll(/\$\{[^\n]{0,40}/g)
    .take(5))
    faults.push(`${start} is not a variable: a default has no braces, and other text starts with $\${…}`);
  if (missing.size > 0) faults.push(`there is no value for ${[...missing].map((name) => `\${${name}}`).join(', ')}`);
  const unused = Object.keys(values).filter((name) => !used.has(name));
  if (unused.length > 0) faults.push(`the file has no variable ${unused.join(', ')}`);
  return { text: filled, ...found, faults };
}

function own(map: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}

function mark(into: Map<string, string>, word: string, value: string): string {
  into.set(word, value);
  return word;
}

/** Where marks would stay, or a secret would be shown: keys of maps, and what objects are known by. Sentences without full stop. */
export function misplacedMarks(objects: readonly KubernetesObject[]): readonly string[] {
  const inKeys = objects.filter((object) => keysOf(object).some((key) => key.includes(marks)));
  const named = objects.filter(({ apiVersion, kind, metadata }) =>
    [apiVersion, kind, metadata.name, metadata.namespace ?? ''].some((text) => text.includes(secretMarks)),
  );
  return [
    ...inKeys.map(({ kind }) => `a secret, or a value that is no plain word, is in the key of a map (${kind})`),
    ...named.map(({ kind }) => `a secret is in the name, the namespace or the kind of an object (${kind})`),
  ];
}

function keysOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(keysOf);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...keysOf(inner)]);
}

/** The same value with texts in the place of marks. */
export function withoutMarks<Value>(value: Value, texts: ReadonlyMap<string, string>): Value {
  if (texts.size === 0) return value;
  const fill = (inner: unknown): unknown => {
    if (typeof inner === 'string') {
      if (!inner.includes(marks)) return inner;
      return [...texts].reduce((text, [word, given]) => text.replaceAll(word, () => given), inner);
    }
    if (Array.isArray(inner)) return inner.map(fill);
    if (typeof inner !== 'object' || inner === null) return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, part]) => [key, fill(part)]));
  };
  return fill(value) as Value;
}
