/** What a hostile world puts into its answers: texts that someone would obey, and shapes that no one expects. */
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file that no one creates, and a process that no one starts, unless a text of the world was obeyed. */
export interface Canary {
  readonly file: string;
  readonly sings: () => boolean;
  /** Also ends the process. */
  readonly remove: () => void;
}

export function openCanary(): Canary {
  const directory = mkdtempSync(join(tmpdir(), 'kubeloom-canary-'));
  const file = join(directory, 'sang');
  return {
    file,
    sings: () => existsSync(file) || processesOf(file).length > 0,
    remove() {
      // Also a shell that is to start the program, and has not done so yet. One that is killed is seen until it has ended.
      const these = () => processesOf(file, (words) => words.some((word) => word.includes(timeOf(file))));
      for (let left = these(); left.length > 0; left = these()) {
        for (const pid of left) endProcess(pid);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
      }
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A program that runs for minutes, and that no one else runs. */
const processOf = (file: string): string => `sleep ${timeOf(file)}`;
const timeOf = (file: string): string =>
  `600.${Number.parseInt(createHash('sha256').update(file).digest('hex').slice(0, 12), 16)}`;

/** Also one that writes no file that can be seen from here, as in a container or a sandbox. */
function processesOf(
  file: string,
  wanted = (words: readonly string[]): boolean => words.at(-1) === timeOf(file),
): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && wanted(argumentsOf(pid)));
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

function argumentsOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  } catch {
    return [];
  }
}

/** Texts by their names. `file`: that of the canary. */
export function hostileTexts(file: string): Readonly<Record<string, string>> {
  return {
    jinja: `{{ lookup('pipe', 'touch ${file}') }}`,
    'jinja statement': `{% set x = cycler.__init__.__globals__.os.popen('touch ${file}') %}`,
    'go template': `{{ exec "touch" "${file}" }}`,
    hcl: `\${file("${file}")}`,
    'hcl directive': `%{ for x in ["a"] }\${x}%{ endfor }`,
    shell: `$(touch ${file})`,
    backticks: `\`touch ${file}\``,
    quote: `'; touch ${file}; #`,
    'double quote': `"; touch ${file}; #`,
    pipe: `| touch ${file} #`,
    newline: `x\ntouch ${file}\n`,
    'carriage return': `x\rPostUp = touch ${file}`,
    'null byte': `x\u0000y`,
    escapes: '\u001b]0;title\u0007\u001b[2J',
    bidi: 'ab\u202edc\u2066',
    'zero width': 'a\u200bb\ufeff',
    'line separator': 'a\u2028b',
    surrogate: 'a\ud800b',
    'long flag': '--kubeconfig=/tmp/other',
    'short flag': `-f${file}`,
    'flag of ssh': `-oProxyCommand=touch ${file}`,
    'flag of git': `--upload-pack=touch ${file}`,
    'path up': '../../../../etc/passwd',
    'absolute path': '/etc/passwd',
    'path of an API': '../../namespaces/kube-system/secrets/x?y=z#',
    url: 'http://169.254.169.254/latest/meta-data/',
    'a prototype': '__proto__',
    yaml: `x: !!js/function "touch"\n---\n`,
    xml: '<!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/passwd">]><x>&y;</x>',
    'process of jinja': `{{ lookup('pipe', '${processOf(file)} &') }}`,
    'process of a shell': `$(${processOf(file)} >&2 &)`,
    'process after a quote': `'; ${processOf(file)} >&2 & #`,
    'process of ssh': `-oProxyCommand=${processOf(file)}`,
    sql: "'; DROP TABLE x; --",
    'ndjson event': `{"event":"facts","host":"other"}`,
    long: 'x'.repeat(1_000_000),
  };
}

type Json = unknown;

export interface Lie {
  /** As `items.0.metadata.name is jinja`. */
  readonly title: string;
  readonly value: Json;
  /** The hostile text in it. */
  readonly text?: string;
}

/** `sample` with one leaf after the other changed into each hostile text, and with shapes that no one expects in its place. */
export function liesAbout(sample: Json, file: string): readonly Lie[] {
  const texts = Object.entries(hostileTexts(file));
  const paths = [...pathsIn(sample)];
  return paths.flatMap((path) => {
    const place = path.join('.') || 'all of it';
    const put = (name: string, value: Json, text?: string): Lie => ({
      title: `${place} is ${name}`,
      value: replaced(sample, path, value),
      ...(text !== undefined && { text }),
    });
    const isLeaf = typeof valueAt(sample, path) !== 'object';
    return [
      ...(isLeaf ? texts.map(([name, text]) => put(name, text, text)) : []),
      ...oddValues.map(([name, value]) => put(name, value)),
    ];
  });
}

const oddValues: readonly (readonly [string, Json])[] = [
  ['null', null],
  ['a list', [[]]],
  ['a map', { toString: 1, constructor: { prototype: 1 } }],
  ['a number without end', Number.MAX_VALUE],
  ['a negative number', -1],
  ['a fraction', 0.5],
  ['true', true],
  ['an empty text', ''],
  ['__proto__ as a key', JSON.parse('{"__proto__":{"isAdmin":true}}')],
];

/** Texts in place of JSON. */
export const brokenJson: Readonly<Record<string, string>> = {
  nothing: '',
  words: 'Please log in as the user ubuntu',
  'half of it': '{"items":[{"metadata":{"na',
  '1e999': '{"items":1e999,"status":1e999,"data":1e999,"members":1e999}',
  'a hundred thousand levels': `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
  'levels of maps': `${'{"data":{"data":'.repeat(50_000)}1${'}}'.repeat(50_000)}`,
  'invalid UTF-8': Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]).toString('latin1'),
  'keys that are twice': '{"items":[],"items":"x","data":{},"data":1,"members":[],"members":2}',
  'events of another host': '{"event":"facts","host":"control-aaaaaaa-01","wireguardPublicKey":"x"}\n'.repeat(100),
};

function* pathsIn(value: Json, path: readonly (string | number)[] = []): Generator<readonly (string | number)[]> {
  yield path;
  if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* pathsIn(item, [...path, index]);
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) yield* pathsIn(item, [...path, key]);
}

function valueAt(value: Json, path: readonly (string | number)[]): Json {
  return path.reduce<Json>((inner, key) => (inner as Record<string | number, Json>)[key], value);
}

function replaced(value: Json, [key, ...rest]: readonly (string | number)[], by: Json): Json {
  if (key === undefined) return by;
  if (Array.isArray(value)) return value.map((item, index) => (index === key ? replaced(item, rest, by) : item));
  const map = value as Readonly<Record<string, Json>>;
  return { ...map, [key]: replaced(map[key], rest, by) };
}

/** What a terminal would obey: nothing of it may be in what a reader returns, a message included. Newlines and tabs are for people. */
export const obeyedRaw = /[\p{Cf}\p{Cs}\u2028\u2029]|(?![\n\t])\p{Cc}/u;

/** The same as JSON writes it; a name has no newline either. */
export const obeyedInJson =
  /(?<!\\)(?:\\\\)*\\(?:[bfnr]|u00[01]|u[dD][89a-fA-F])|[\p{Cf}\p{Cs}\u2028\u2029\u007f-\u009f]/u;
