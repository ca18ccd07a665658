/**
 * Expands `read/<type>.txt`: facts that were read from a provider's source, documentation or bindings, for providers
 * whose plugin cannot be built. One line a fact, two spaces for each level:
 *
 *     provider <source> <version>
 *     from <repository>@<commit> <files>
 *     held against <what they were compared with>       if they were
 *     note <what a reader has to know>                  if anything
 *     provider-block | resource <type> | data <type>
 *       <name> <type> required|optional|computed|sensitive…
 *       block <name> list|set|single [min=N] [max=N]      a nested block
 *       nested <name> list|set|single|map required|…      an attribute with attributes
 */
import type {
  AttributeSchema,
  BlockSchema,
  BlockTypeSchema,
  Nesting,
  ProviderSchema,
  TypeSpec,
} from './schema-format.ts';

export interface Notes {
  readonly provider: string;
  readonly version: string;
  readonly from: string;
  readonly held?: string;
  readonly note?: string;
  readonly schema: ProviderSchema;
}

interface Line {
  readonly number: number;
  readonly indent: number;
  readonly words: readonly string[];
  readonly text: string;
}

const nestings = ['single', 'list', 'set', 'map', 'group'] as const satisfies readonly Nesting[];

export function readNotes(text: string, file: string): Notes {
  const lines = text
    .split('\n')
    .map((line, index) => ({
      number: index + 1,
      indent: line.search(/\S/),
      words: line.trim().split(/\s+/),
      text: line.trim(),
    }))
    .filter(({ text: content }) => content !== '' && !content.startsWith('#'));
  const schema: ProviderSchema = { provider: {}, resource_schemas: {}, data_source_schemas: {} };
  const head: Record<string, string> = {};
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at];
    if (line?.indent !== 0) continue;
    const [word = '', type = ''] = line.words;
    const body = childrenOf(lines, at);
    if (['provider', 'from', 'held', 'note'].includes(word)) head[word] = line.text.slice(word.length + 1);
    else if (word === 'provider-block') schema.provider = readBlock(body, file);
    else if (word === 'resource') schema.resource_schemas[type] = readBlock(body, file);
    else if (word === 'data') schema.data_source_schemas[type] = readBlock(body, file);
    else throw new Error(`${file}:${line.number}: "${word}" begins no section`);
  }
  const [provider, version] = (head.provider ?? '').split(' ');
  if (!provider || !version || !head.from) throw new Error(`${file}: it must say provider, version and from`);
  const { from, held, note } = head;
  return { provider, version, from, ...(held && { held }), ...(note && { note }), schema };
}

function childrenOf(lines: readonly Line[], at: number): readonly Line[] {
  const indent = lines[at]?.indent ?? 0;
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((line) => line.indent <= indent);
  return end < 0 ? rest : rest.slice(0, end);
}

function readBlock(lines: readonly Line[], file: string): BlockSchema {
  const attributes: Record<string, AttributeSchema> = {};
  const blocks: Record<string, BlockTypeSchema> = {};
  const indent = lines[0]?.indent ?? 0;
  lines.forEach((line, at) => {
    if (line.indent !== indent) return;
    const [first = '', second = '', ...rest] = line.words;
    const inner = (): BlockSchema => readBlock(childrenOf(lines, at), file);
    if (first === 'block') blocks[second] = blockType(rest, inner(), `${file}:${line.number}`);
    else if (first === 'nested') {
      const nesting = nestingOf(rest[0], `${file}:${line.number}`);
      attributes[second] = {
        nested_type: { nesting_mode: nesting, attributes: inner().attributes ?? {} },
        ...presence(rest.slice(1), `${file}:${line.number}`),
      };
    } else attributes[first] = { type: readType(second), ...presence(rest, `${file}:${line.number}`) };
  });
  return {
    ...(Object.keys(attributes).length ? { attributes } : {}),
    ...(Object.keys(blocks).length ? { block_types: blocks } : {}),
  };
}

function blockType(words: readonly string[], block: BlockSchema, where: string): BlockTypeSchema {
  const number = (key: string): number | undefined => {
    const found = words.find((word) => word.startsWith(`${key}=`));
    return found ? Number(found.slice(key.length + 1)) : undefined;
  };
  const [min, max] = [number('min'), number('max')];
  return {
    nesting_mode: nestingOf(words[0], where),
    block,
    ...(min ? { min_items: min } : {}),
    ...(max ? { max_items: max } : {}),
  };
}

function nestingOf(word: string | undefined, where: string): Nesting {
  const found = nestings.find((nesting) => nesting === word);
  if (!found) throw new Error(`${where}: "${word}" is no way of nesting; use ${nestings.join(', ')}`);
  return found;
}

function presence(words: readonly string[], where: string): AttributeSchema {
  const known = ['required', 'optional', 'computed', 'sensitive'];
  const wrong = words.find((word) => !known.includes(word));
  if (wrong || words.length === 0) throw new Error(`${where}: say ${known.join(', ')} instead of "${wrong ?? ''}"`);
  return Object.fromEntries(words.map((word) => [word, true]));
}

function readType(text: string): TypeSpec {
  for (const outer of ['list', 'set', 'map'] as const) {
    if (text.startsWith(`${outer}(`) && text.endsWith(')')) return [outer, readType(text.slice(outer.length + 1, -1))];
  }
  const object = /^object\((.*)\)$/.exec(text);
  if (object) {
    const fields = (object[1] ?? '').split(',').map((field) => field.split(':'));
    return ['object', Object.fromEntries(fields.map(([name, type]) => [name ?? '', readType(type ?? '')]))];
  }
  if (!['string', 'number', 'bool', 'dynamic'].includes(text)) throw new Error(`"${text}" is no type`);
  return text;
}
