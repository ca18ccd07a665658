/** JSON Schema of a document → one Markdown table for each object in it: field, type, default, rule, meaning. */

export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly propertyNames?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** A table for the object at `path` and for each object below it, in the order of the document. */
export function objectTables(path: string, schema: Schema, level = 3): string[] {
  const fields = Object.entries(schema.properties ?? {});
  const rows = fields.map(([name, field]) => {
    const cells = [
      `\`${name}\``,
      typeOf(field),
      defaultOf(name, field, schema),
      ruleOf(field),
      field.description ?? '',
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const heading = `${'#'.repeat(level)} \`${path}\``;
  const table = ['| field | type | default | rule | meaning |', '|---|---|---|---|---|', ...rows];
  const below = fields.flatMap(([name, field]) => {
    const inner = field.items ?? field;
    return inner.properties ? objectTables(`${path}.${name}${field.items ? '[]' : ''}`, inner, level) : [];
  });
  return [[heading, ...(schema.description ? [schema.description] : []), table.join('\n')].join('\n\n'), ...below];
}

function typeOf(schema: Schema): string {
  if (schema.items) return `list of ${plural(typeOf(schema.items))}`;
  if (schema.properties) return 'object';
  if (schema.additionalProperties) return 'map';
  if (schema.const !== undefined) return 'text';
  if (schema.enum) return 'word';
  if (schema.anyOf?.every((one) => one.type === 'number')) return 'number';
  if (schema.anyOf) return 'text';
  return { string: 'text', integer: 'number', number: 'number', boolean: 'yes or no' }[schema.type ?? ''] ?? 'anything';
}

const plural = (type: string): string =>
  ({ text: 'texts', object: 'objects', word: 'words', number: 'numbers' })[type] ?? type;

function defaultOf(name: string, field: Schema, parent: Schema): string {
  if (parent.required?.includes(name)) return '**required**';
  if (field.default === undefined) return '–';
  const text = JSON.stringify(field.default);
  return text === '[]' || text === '{}' || text === '""' ? 'none' : `\`${text.replaceAll('"', '')}\``;
}

/** The rule of the field itself; rules between fields are in prose.ts. */
function ruleOf(schema: Schema): string {
  const { items, propertyNames, additionalProperties } = schema;
  const rules = [
    schema.const === undefined ? '' : `\`${String(schema.const)}\``,
    schema.enum ? schema.enum.map((value) => `\`${String(value)}\``).join(' ') : '',
    formatOf(schema),
    rangeOf(schema.minimum, schema.maximum, ''),
    rangeOf(schema.minItems, schema.maxItems, ' of them'),
    items && !items.properties ? ruleOf(items) : '',
    propertyNames?.pattern ? `keys: ${patternWords(propertyNames.pattern)}` : '',
    typeof additionalProperties === 'object' && additionalProperties.pattern
      ? `values: ${patternWords(additionalProperties.pattern)}`
      : '',
  ];
  return rules.filter(Boolean).join('; ');
}

function formatOf({ anyOf, allOf, format, pattern, maxLength }: Schema): string {
  // The strictest pattern is last: a value that it accepts is not empty anyway.
  const strictest = allOf?.at(-1)?.pattern;
  if (strictest !== undefined) return patternWords(strictest);
  if (anyOf)
    return anyOf
      .map((one) => (one.const === undefined ? (formatWords[one.format ?? ''] ?? '') : `\`${String(one.const)}\``))
      .filter(Boolean)
      .join(' or ');
  const words = pattern === undefined ? (formatWords[format ?? ''] ?? '') : patternWords(pattern);
  return [words, maxLength === undefined ? '' : `at most ${maxLength} letters`].filter(Boolean).join(', ');
}

const formatWords: Readonly<Record<string, string>> = { ipv4: 'IPv4 address', ipv6: 'IPv6 address' };

/** Every pattern has words: a table with regular expressions does not help readers. Throws for a pattern without words. */
function patternWords(pattern: string): string {
  const words = patterns.find(([known]) => known === pattern)?.[1];
  if (words === undefined) throw new Error(`scripts/manifest-docs/tables.ts has no words for the pattern ${pattern}`);
  return words;
}

const patterns: readonly (readonly [pattern: string, words: string])[] = [
  ['\\S', 'not empty'],
  ['^\\S(.*\\S)?$', 'not empty, no blanks at its ends'],
  ['^(\\S(.*\\S)?)?$', 'no blanks at its ends'],
  [
    '^[hH][tT][tT][pP][sS]?://(?!127\\.|169\\.254\\.|0\\.|[lL][oO][cC][aA][lL][hH][oO][sS][tT]\\b)[^\\s@/]+/?$',
    '`http://` or `https://`, host and port, no loopback address',
  ],
  ['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', 'DNS name (`a-z 0-9 -`)'],
  ['^[a-z][a-z0-9_-]{0,30}$', 'lower-case letters, digits, `-` and `_`'],
  ['^\\w[\\w.@-]*\\$?$', 'letters, digits, `_`, and after the first `.`, `@` and `-`'],
  ['^[A-Z]{3}$', 'three capital letters'],
  ['^[0-9a-f]{64}$', '64 digits and letters a to f'],
  ['^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$', 'DNS name, dots allowed'],
  ['^[A-Za-z0-9]([-\\w]*[A-Za-z0-9])?$', 'letters, digits, `-` and `_`'],
  ['^[A-Za-z0-9]([-\\w.]*[A-Za-z0-9])?$', 'letters, digits, `-`, `_` and `.`'],
  ['^v?\\d+\\.\\d+\\.\\d+$', 'three numbers, `1.36.0` or `v1.36.0`'],
  [
    '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$',
    'Kubernetes label key',
  ],
  ['^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$', 'Kubernetes label value'],
  [
    '^([A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?\\.)*[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?\\.?$',
    'DNS name, dots allowed',
  ],
  [
    '^(\\*|(\\*\\.)?([A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?\\.)*[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?)\\.?$',
    'DNS name or wildcard',
  ],
  ['^[^/\\s?#%][^\\s?#%]*[^/\\s?#%]$|^[^/\\s?#%]$', 'path without `/` at its ends'],
  [
    '^(?![a-z+]+:\\/\\/)(?!.*\\/\\.\\.?(\\/|$))[^\\s/@#?%\\\\][^\\s/@#?%\\\\.]*\\.[^\\s/@#?%\\\\]+\\/[^\\s@#?%\\\\]+$',
    'host and path, no scheme, no `@` `#` `?` `%` `\\` `..`',
  ],
  [
    '^[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?(:\\d{1,5})?(\\/[A-Za-z0-9]([-\\w.]*[A-Za-z0-9])?)*$',
    'host, with port and path where there are any, no scheme',
  ],
  ['^[\\w*.:/[\\], -]*$', 'hosts, addresses and networks, with commas between'],
  ['^(?!\\/)(?!(.*\\/)?(\\.\\.|\\.git)(\\/|$))[\\w ./-]*$', 'path without `/` at its beginning, no `..`'],
];

function rangeOf(from: number | undefined, to: number | undefined, unit: string): string {
  if (from === undefined && to === undefined) return '';
  if (to === undefined) return `${from} or more${unit}`;
  return from === undefined ? `at most ${to}${unit}` : `${from} to ${to}${unit}`;
}
