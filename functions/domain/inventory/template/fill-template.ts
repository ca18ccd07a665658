/** Fills a template with values: the document, and for each part of it the values that it was made from. */
import { pathText } from '../../manifest/faults/fault.ts';
import { nearest } from '../../nearest.ts';
import { sameValue } from '../../same-value.ts';
import { type InventoryFault, inventoryFault } from '../inventory-fault.ts';
import { type IsByName, valueAt } from '../value-at.ts';
import { valuePathText } from '../value-path.ts';
import { maxIncludes, maxSteps } from './check-template.ts';
import { referenceText, type ValueReference } from './expressions.ts';
import type { ParsedTemplate } from './parse-template.ts';
import type { TemplateCondition, TemplateNode } from './template-node.ts';
import { nothingUsed, plainValue, type Tracked, trackedValue, type Uses, withoutTracks } from './tracked.ts';

export interface TemplateInput {
  readonly values: Readonly<Record<string, unknown>>;
  readonly cluster: { readonly name: string; readonly namespace: string };
  readonly layers: Readonly<Record<string, unknown>>;
  readonly isByName: IsByName;
}

export interface FilledTemplate {
  /** Absent when there are faults, or when the template has only parts. */
  readonly document?: Tracked;
  readonly faults: readonly InventoryFault[];
}

/** `templates` by `name@version`. Never throws. */
export function fillTemplate(
  template: ParsedTemplate,
  input: TemplateInput,
  templates: (name: string) => ParsedTemplate | undefined,
): FilledTemplate {
  const filler = new Filler(input, templates);
  const document = template.document && filler.one(template.document, { template, scope: new Map(), depth: 0 });
  const faults = [...filler.faults.values()];
  return document && faults.length === 0 ? { document, faults } : { faults };
}

/** What a part of the document costs. */
interface Weight {
  readonly steps: number;
  readonly characters: number;
}

const oneStep: Weight = { steps: 1, characters: 0 };
/** Limit for all texts together. */
const maxCharacters = 2_000_000;

interface Frame {
  readonly template: ParsedTemplate;
  readonly scope: ReadonlyMap<string, Tracked>;
  readonly depth: number;
}

class Filler {
  readonly faults = new Map<string, InventoryFault>();
  readonly #input: TemplateInput;
  readonly #templates: (name: string) => ParsedTemplate | undefined;
  /** Values by their paths; undefined: no such value. */
  readonly #known = new Map<string, Tracked | undefined>();
  readonly #weights = new WeakMap<Tracked, Weight>();
  #steps = 0;
  #characters = 0;
  #spent = false;

  constructor(input: TemplateInput, templates: (name: string) => ParsedTemplate | undefined) {
    this.#input = input;
    this.#templates = templates;
  }

  /** Undefined where a condition leaves it out, and after a fault. */
  one(node: TemplateNode, frame: Frame): Tracked | undefined {
    if (!this.#spend(oneStep, node.at, frame)) return undefined;
    switch (node.kind) {
      case 'literal': {
        const characters = typeof node.value === 'string' ? node.value.length : 0;
        if (!this.#spend({ steps: 0, characters }, node.at, frame)) return undefined;
        return { kind: 'leaf', value: node.value, uses: nothingUsed };
      }
      case 'value': {
        const value = this.#value(node.reference, node.at, frame);
        return value && this.#spend(this.#weightOf(value), node.at, frame) ? value : undefined;
      }
      case 'text':
        return this.#text(node.parts, node.at, frame);
      case 'list':
        return { kind: 'list', uses: nothingUsed, items: node.items.flatMap((item) => this.#many(item, frame)) };
      case 'for':
        return { kind: 'list', uses: this.#list(node.list, node.at, frame).uses, items: this.#many(node, frame) };
      case 'map': {
        const fields = node.fields.flatMap(([key, inner]) => {
          if (!this.#spend({ steps: 0, characters: key.length }, node.at, frame)) return [];
          const value = this.one(inner, frame);
          return value ? [[key, value] as const] : [];
        });
        return { kind: 'map', uses: nothingUsed, fields: new Map(fields) };
      }
      case 'if': {
        const branch = this.#holds(node.condition, frame) ? node.yes : node.no;
        return branch && this.one(branch, frame);
      }
      case 'include': {
        const inner = this.#part(node, frame);
        return inner && this.one(inner.node, inner.frame);
      }
      default:
        return node satisfies never;
    }
  }

  /** Items of a list: a loop in it is as many items as it has. */
  #many(node: TemplateNode, frame: Frame): readonly Tracked[] {
    switch (node.kind) {
      case 'for': {
        const { items } = this.#list(node.list, node.at, frame);
        return items.flatMap(([key, item]) => {
          // A step also without items: a condition may leave all of them out.
          if (!this.#spend(oneStep, node.at, frame)) return [];
          const scope = new Map([...frame.scope, [node.item, item] as const]);
          if (node.key !== undefined) scope.set(node.key, { kind: 'leaf', value: key, uses: item.uses });
          return this.#many(node.body, { ...frame, scope });
        });
      }
      case 'if': {
        const branch = this.#holds(node.condition, frame) ? node.yes : node.no;
        return branch ? this.#many(branch, frame) : [];
      }
      case 'include': {
        const inner = this.#part(node, frame);
        return inner ? this.#many(inner.node, inner.frame) : [];
      }
      default: {
        const item = this.one(node, frame);
        return item ? [item] : [];
      }
    }
  }

  #list(
    reference: ValueReference,
    at: readonly PropertyKey[],
    frame: Frame,
  ): { readonly items: readonly (readonly [string | number, Tracked])[]; readonly uses: Uses } {
    const list = this.#value(reference, [...at, '$in'], frame);
    if (list === undefined) return { items: [], uses: nothingUsed };
    if (list.kind === 'list') return { items: [...list.items.entries()], uses: list.uses };
    if (list.kind === 'map') return { items: [...list.fields], uses: list.uses };
    const reason = `${referenceText(reference)} is ${JSON.stringify(list.value)}, not a list or map`;
    this.#fault(frame, [...at, '$in'], reason, 'loop over a list or a map of values');
    return { items: [], uses: list.uses };
  }

  #part(
    node: Extract<TemplateNode, { kind: 'include' }>,
    frame: Frame,
  ): { readonly node: TemplateNode; readonly frame: Frame } | undefined {
    const template = node.template === undefined ? frame.template : this.#templates(node.template);
    const part = template?.parts.get(node.part);
    // The check of the template has already reported it.
    if (template === undefined || part === undefined || frame.depth > maxIncludes) return undefined;
    const scope = new Map(
      node.args.flatMap(([name, value]) => {
        const given = this.one(value, frame);
        return given ? [[name, given] as const] : [];
      }),
    );
    return { node: part, frame: { template, scope, depth: frame.depth + 1 } };
  }

  #text(parts: readonly (string | ValueReference)[], at: readonly PropertyKey[], frame: Frame): Tracked {
    const uses: Uses[] = [];
    const texts = parts.map((part) => {
      if (typeof part === 'string') return part;
      const value = this.#value(part, at, frame);
      if (value === undefined) return '';
      uses.push(value.uses);
      if (value.kind === 'leaf') return String(value.value);
      const reason = `${referenceText(part)} is a ${value.kind}, and cannot be a part of a text`;
      this.#fault(frame, at, reason, 'name a value in it, or make it the whole field');
      return '';
    });
    const characters = texts.reduce((sum, text) => sum + text.length, 0);
    if (!this.#spend({ steps: texts.length, characters }, at, frame)) texts.length = 0;
    const values = uses.flatMap((one) => one.values);
    const otherwise = uses.some((one) => one.otherwise);
    return { kind: 'leaf', value: texts.join(''), uses: { values, ...(otherwise && { otherwise }) } };
  }

  #holds(condition: TemplateCondition, frame: Frame): boolean {
    if (!this.#spend(oneStep, condition.at, frame)) return false;
    switch (condition.kind) {
      case 'true': {
        const found = this.#value(condition.reference, condition.at, frame);
        if (found === undefined) return false;
        if (found.kind === 'leaf' && typeof found.value === 'boolean') return found.value;
        const reason = `${referenceText(condition.reference)} is not true or false`;
        this.#fault(frame, condition.at, reason, 'use { defined: … } or { equals: […] }');
        return false;
      }
      case 'defined':
        return this.#find(condition.reference, frame) !== undefined;
      case 'equals': {
        const [one, other] = [this.one(condition.one, frame), this.one(condition.other, frame)];
        return one !== undefined && other !== undefined && sameValue(withoutTracks(one), withoutTracks(other));
      }
      case 'not':
        return !this.#holds(condition.inner, frame);
      case 'all':
        return condition.inner.every((inner) => this.#holds(inner, frame));
      case 'any':
        return condition.inner.some((inner) => this.#holds(inner, frame));
      default:
        return condition satisfies never;
    }
  }

  #value(reference: ValueReference, at: readonly PropertyKey[], frame: Frame): Tracked | undefined {
    const found = this.#find(reference, frame);
    if (found) return found;
    if (reference.otherwise) return plainValue(reference.otherwise.value, { values: [], otherwise: true });
    this.#fault(frame, at, `there is no value ${referenceText(reference)}`, () => {
      const near = nearest(reference.path.at(-1) ?? '', this.#namesNextTo(reference, frame));
      return near === undefined
        ? 'set it in a layer of the cluster or in the cluster, or add a default with "?? …"'
        : `did you mean ${near}?`;
    });
    return undefined;
  }

  #find({ root, path }: ValueReference, frame: Frame): Tracked | undefined {
    if (root === 'cluster' || root === 'layers') {
      const found = valueAt(this.#input[root], path, never);
      return found && plainValue(found.value);
    }
    if (root === 'values') {
      const key = valuePathText(path);
      if (!this.#known.has(key)) {
        const found = valueAt(this.#input.values, path, this.#input.isByName);
        this.#known.set(key, found && trackedValue(found.value, found.path, this.#input.isByName));
      }
      return this.#known.get(key);
    }
    return path.reduce<Tracked | undefined>((at, key) => {
      if (at?.kind === 'list') return at.items[Number(key)];
      return at?.kind === 'map' ? at.fields.get(key) : undefined;
    }, frame.scope.get(root));
  }

  #namesNextTo({ root, path }: ValueReference, frame: Frame): readonly string[] {
    const above = this.#find({ root, path: path.slice(0, -1) }, frame);
    return above?.kind === 'map' ? [...above.fields.keys()] : [];
  }

  /** False when the document is made of more than it may be: no template may keep the API busy for minutes. */
  #spend({ steps, characters }: Weight, at: readonly PropertyKey[], frame: Frame): boolean {
    this.#steps += steps;
    this.#characters += characters;
    if (this.#steps < maxSteps && this.#characters < maxCharacters) return true;
    if (!this.#spent) {
      const [most, what] = this.#steps < maxSteps ? [maxCharacters, 'characters of text'] : [maxSteps, 'parts'];
      this.#fault(frame, at, `the document has more than ${most} ${what}`, 'loop over fewer values');
    }
    this.#spent = true;
    return false;
  }

  #weightOf(value: Tracked): Weight {
    const known = this.#weights.get(value);
    if (known) return known;
    const parts = value.kind === 'list' ? value.items : value.kind === 'map' ? [...value.fields.values()] : [];
    const own = value.kind === 'leaf' && typeof value.value === 'string' ? value.value.length : 0;
    const weight = parts
      .map((part) => this.#weightOf(part))
      .reduce((sum, one) => ({ steps: sum.steps + one.steps, characters: sum.characters + one.characters }), {
        steps: 1,
        characters: own,
      });
    this.#weights.set(value, weight);
    return weight;
  }

  #fault(frame: Frame, at: readonly PropertyKey[], reason: string, fix: string | (() => string)): void {
    const name = frame.template.name;
    const key = `${name} ${pathText(at)} ${reason}`;
    if (this.faults.has(key)) return;
    const words = typeof fix === 'string' ? fix : fix();
    this.faults.set(key, inventoryFault({ kind: 'InventoryTemplate', name }, at, reason, words));
  }
}

const never = (): boolean => false;
