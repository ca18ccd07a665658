/** Reads the tree of a template: every fault of its form at once. */

import { isMap } from '../../json.ts';
import { error, type Fault } from '../../manifest/faults/fault.ts';
import type { ManifestKind } from '../../manifest/schema/manifest-kinds.ts';
import { nearest } from '../../nearest.ts';
import type { InventoryTemplate } from '../inventory-documents.ts';
import { parseReference, parseText, type ValueReference } from './expressions.ts';
import type { TemplateCondition, TemplateNode } from './template-node.ts';

export interface ParsedTemplate {
  /** `standard@3` */
  readonly name: string;
  /** The kind of the document. */
  readonly produces: ManifestKind;
  readonly parts: ReadonlyMap<string, TemplateNode>;
  readonly document?: TemplateNode;
  readonly faults: readonly Fault[];
}

type Place = readonly PropertyKey[];
type Fields = Readonly<Record<string, unknown>>;

/** Names that variables cannot have. */
const ownRoots = ['values', 'cluster', 'layers'] as const;

/** Never throws. */
export function parseTemplate({ metadata, spec }: InventoryTemplate): ParsedTemplate {
  const reader = new Reader();
  const parts = Object.entries(spec.parts).map(
    ([name, tree]) => [name, reader.node(tree, ['spec', 'parts', name])] as const,
  );
  const document = spec.document && reader.node(spec.document, ['spec', 'document']);
  return {
    name: `${metadata.name}@${spec.version}`,
    produces: spec.produces,
    parts: new Map(parts),
    ...(document && { document }),
    faults: reader.faults,
  };
}

const words: Readonly<Record<string, readonly string[]>> = {
  $if: ['$then', '$else'],
  $for: ['$in', '$do', '$key'],
  $include: ['$with'],
};

class Reader {
  readonly faults: Fault[] = [];

  node(tree: unknown, at: Place): TemplateNode {
    if (typeof tree === 'string') return this.#text(tree, at);
    if (Array.isArray(tree))
      return { kind: 'list', at, items: tree.map((item, index) => this.node(item, [...at, index])) };
    if (!isMap(tree)) return { kind: 'literal', at, value: tree };
    const word = Object.keys(words).find((one) => Object.hasOwn(tree, one));
    if (word === undefined) {
      const fields = Object.entries(tree).map(([key, value]) => {
        if (key.startsWith('$')) this.#unknownWord(key, [...at, key], Object.keys(words));
        return [key, this.node(value, [...at, key])] as const;
      });
      return { kind: 'map', at, fields };
    }
    const known = [word, ...(words[word] ?? [])];
    for (const key of Object.keys(tree).filter((one) => !known.includes(one)))
      this.#unknownWord(key, [...at, key], known);
    if (word === '$if') return this.#if(tree, at);
    return word === '$for' ? this.#for(tree, at) : this.#include(tree, at);
  }

  #text(text: string, at: Place): TemplateNode {
    const read = parseText(text);
    if (read.kind === 'reference') return { kind: 'value', at, reference: read.reference };
    if (read.kind === 'fault') return this.#broken(at, read.reason, read.fix);
    const [only = '', ...more] = read.parts;
    return more.length === 0 && typeof only === 'string'
      ? { kind: 'literal', at, value: only }
      : { kind: 'text', at, parts: read.parts };
  }

  #if(tree: Fields, at: Place): TemplateNode {
    if (!Object.hasOwn(tree, '$then'))
      return this.#broken(at, '$if has no $then', 'add $then: the content if the condition is true');
    const condition = this.#condition(tree.$if, [...at, '$if']);
    const yes = this.node(tree.$then, [...at, '$then']);
    return {
      kind: 'if',
      at,
      condition,
      yes,
      ...(Object.hasOwn(tree, '$else') && { no: this.node(tree.$else, [...at, '$else']) }),
    };
  }

  #for(tree: Fields, at: Place): TemplateNode {
    if (!Object.hasOwn(tree, '$do')) return this.#broken(at, '$for has no $do', 'add $do: the content for each item');
    const list = this.#reference(tree.$in, [...at, '$in'], '$in');
    const item = this.#variable(tree.$for, [...at, '$for']);
    const key = Object.hasOwn(tree, '$key') ? this.#variable(tree.$key, [...at, '$key']) : undefined;
    return {
      kind: 'for',
      at,
      item,
      ...(key !== undefined && { key }),
      list,
      body: this.node(tree.$do, [...at, '$do']),
    };
  }

  #include(tree: Fields, at: Place): TemplateNode {
    const [, template, part] =
      /^(?:([a-z0-9][-a-z0-9]*@[1-9]\d*)\/)?([A-Za-z0-9][-\w]*)$/.exec(String(tree.$include)) ?? [];
    if (part === undefined) {
      const fix = 'write the name of a part, or "base@2/pool" for one of another template';
      return this.#broken([...at, '$include'], `${JSON.stringify(tree.$include)} names no part`, fix);
    }
    const given = tree.$with ?? {};
    if (!isMap(given))
      return this.#broken([...at, '$with'], 'is not a map', 'write the variables of the part and their values');
    const args = Object.entries(given).map(([name, value]) => {
      const place = [...at, '$with', name];
      return [this.#variable(name, place), this.node(value, place)] as const;
    });
    return { kind: 'include', at, ...(template !== undefined && { template }), part, args };
  }

  #condition(tree: unknown, at: Place): TemplateCondition {
    if (!isMap(tree)) return { kind: 'true', at, reference: this.#reference(tree, at, '$if') };
    const [[word, inner] = ['', undefined], ...more] = Object.entries(tree);
    const place = [...at, word];
    if (more.length > 0) this.faults.push(error(at, 'says several things', 'put them in a list under `all` or `any`'));
    switch (word) {
      case 'defined':
        return { kind: 'defined', at, reference: this.#reference(inner, place, word) };
      case 'not':
        return { kind: 'not', at, inner: this.#condition(inner, place) };
      case 'all':
      case 'any':
        if (!Array.isArray(inner)) break;
        return { kind: word, at, inner: inner.map((one, index) => this.#condition(one, [...place, index])) };
      case 'equals':
        if (!Array.isArray(inner) || inner.length !== 2) break;
        return {
          kind: 'equals',
          at,
          one: this.node(inner[0], [...place, 0]),
          other: this.node(inner[1], [...place, 1]),
        };
    }
    const fix =
      'use a reference, { defined: values.x }, { equals: ["${values.x}", y] }, { not: … }, { all: […] } or { any: […] }';
    this.#broken(at, 'is not a condition', fix);
    return { kind: 'all', at, inner: [] };
  }

  /** With or without `${}` around it. */
  #reference(tree: unknown, at: Place, what: string): ValueReference {
    const read = typeof tree === 'string' ? parseText(tree) : undefined;
    const found =
      read?.kind === 'reference' ? read.reference : typeof tree === 'string' ? parseReference(tree) : undefined;
    if (found) return found;
    this.#broken(at, `${what} is not a reference`, 'write it like "values.pools"');
    return { root: 'values', path: [], otherwise: { value: null } };
  }

  #variable(name: unknown, at: Place): string {
    const isTaken = ownRoots.some((root) => root === name);
    if (typeof name === 'string' && /^[A-Za-z][A-Za-z0-9]*$/.test(name) && !isTaken) return name;
    const reason = isTaken
      ? `"${String(name)}" has a meaning of its own`
      : `${JSON.stringify(name)} is not the name of a variable`;
    this.#broken(at, reason, 'use letters and digits, as in "pool"');
    return 'item';
  }

  #unknownWord(key: string, at: Place, known: readonly string[]): void {
    const near = nearest(key, known);
    const reason = key.startsWith('$') ? `there is no ${key} here` : `${key} cannot be next to ${known[0]}`;
    this.#broken(
      at,
      reason,
      near === undefined ? `remove it; known here: ${known.join(', ')}` : `did you mean ${near}?`,
    );
  }

  #broken(at: Place, reason: string, fix: string): TemplateNode {
    this.faults.push(error(at, reason, fix));
    return { kind: 'literal', at, value: null };
  }
}
