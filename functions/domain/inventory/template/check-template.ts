/** Follows a template without values: which values it uses, and every reference and part that does not exist. */
import { error, type Fault } from '../../manifest/faults/fault.ts';
import { nearest } from '../../nearest.ts';
import type { ValuePath } from '../value-path.ts';
import { referenceText, type ValueReference } from './expressions.ts';
import type { ParsedTemplate } from './parse-template.ts';
import type { TemplateCondition, TemplateNode } from './template-node.ts';

export interface TemplateCheck {
  /** Paths of values that it may use, `*` for the items of loops; also in branches that are not taken. */
  readonly used: readonly ValuePath[];
  /** In which template each is. */
  readonly faults: readonly (Fault & { readonly template: string })[];
}

/** Parts inside of parts. */
export const maxIncludes = 20;
/** Nodes that are visited; the parts of a part that is included twice count twice. */
export const maxSteps = 50_000;

/** At the end of a path: an item is used, but no part of it. */
const nothingBelow = '';

type Scope = ReadonlyMap<string, ValuePath | 'computed'>;

interface Frame {
  readonly template: ParsedTemplate;
  readonly scope: Scope;
  /** Parts that are being included, the outermost first. */
  readonly within: readonly string[];
}

/** Finds a template by `name@version`; `later`: what it has is not known yet, and not judged. */
type FindTemplate = (name: string) => ParsedTemplate | 'later' | undefined;

/** Never throws. */
export function checkTemplate(template: ParsedTemplate, templates: FindTemplate): TemplateCheck {
  const checker = new Checker(templates);
  const frame: Frame = { template, within: [], scope: new Map() };
  if (template.document) checker.node(template.document, frame);
  return { used: [...checker.used.values()], faults: [...checker.faults.values()] };
}

class Checker {
  readonly used = new Map<string, ValuePath>();
  readonly faults = new Map<string, TemplateCheck['faults'][number]>();
  readonly #templates: FindTemplate;
  #steps = 0;

  constructor(templates: FindTemplate) {
    this.#templates = templates;
  }

  node(node: TemplateNode, frame: Frame): void {
    this.#steps += 1;
    if (this.#steps === maxSteps) {
      const reason = `the template has more than ${maxSteps} nodes when its parts are inserted`;
      this.#fault(frame, node.at, reason, 'include fewer parts inside of parts');
    }
    if (this.#steps >= maxSteps) return;
    switch (node.kind) {
      case 'literal':
        return;
      case 'value':
        this.#use(node.reference, node.at, frame);
        return;
      case 'text':
        for (const part of node.parts) if (typeof part !== 'string') this.#use(part, node.at, frame);
        return;
      case 'list':
        for (const item of node.items) this.node(item, frame);
        return;
      case 'map':
        for (const [, value] of node.fields) this.node(value, frame);
        return;
      case 'if':
        this.#condition(node.condition, frame);
        this.node(node.yes, frame);
        if (node.no) this.node(node.no, frame);
        return;
      case 'for': {
        const list = this.#pathOf(node.list, node.at, frame);
        const item = list === 'computed' ? list : [...list, '*'];
        const scope = new Map([...frame.scope, [node.item, item] as const]);
        if (node.key !== undefined) scope.set(node.key, 'computed');
        // A list without items is used, too.
        if (list !== 'computed') this.#note([...list, '*', nothingBelow]);
        this.node(node.body, { ...frame, scope });
        return;
      }
      case 'include':
        this.#include(node, frame);
        return;
      default:
        node satisfies never;
    }
  }

  #include(node: Extract<TemplateNode, { kind: 'include' }>, frame: Frame): void {
    const name = node.template ?? frame.template.name;
    const template = node.template === undefined ? frame.template : this.#templates(node.template);
    const place = [...node.at, '$include'];
    const scope = new Map(node.args.map(([arg, value]) => [arg, this.#argument(value, frame)] as const));
    if (template === 'later') return;
    if (template === undefined) {
      this.#fault(frame, place, `there is no template ${name}`, 'store it first, or apply it with this document');
      return;
    }
    if (template.produces !== frame.template.produces) {
      const reason = `template ${name} is for ${template.produces}, this one for ${frame.template.produces}`;
      this.#fault(frame, place, reason, 'include parts of templates with the same spec.produces');
      return;
    }
    const part = template.parts.get(node.part);
    if (part === undefined) {
      const known = [...template.parts.keys()];
      const near = nearest(node.part, known);
      const fix = near
        ? `did you mean ${near}?`
        : known.length > 0
          ? `use one of ${known.join(', ')}`
          : 'add it to spec.parts';
      this.#fault(frame, place, `template ${name} has no part "${node.part}"`, fix);
      return;
    }
    const key = `${name}/${node.part}`;
    if (frame.within.includes(key)) {
      const circle = [...frame.within.slice(frame.within.indexOf(key)), key].join(' → ');
      this.#fault(frame, place, `the parts include each other in a circle: ${circle}`, 'remove one of these includes');
    } else if (frame.within.length >= maxIncludes) {
      this.#fault(
        frame,
        place,
        `parts include each other more than ${maxIncludes} levels deep`,
        'include fewer of them',
      );
    } else this.node(part, { template, scope, within: [...frame.within, key] });
  }

  #argument(node: TemplateNode, frame: Frame): ValuePath | 'computed' {
    // What is used of it is seen in the part.
    if (node.kind === 'value') return this.#pathOf(node.reference, node.at, frame);
    this.node(node, frame);
    return 'computed';
  }

  #condition(condition: TemplateCondition, frame: Frame): void {
    switch (condition.kind) {
      case 'true':
      case 'defined':
        this.#use(condition.reference, condition.at, frame);
        return;
      case 'equals':
        this.node(condition.one, frame);
        this.node(condition.other, frame);
        return;
      case 'not':
        this.#condition(condition.inner, frame);
        return;
      case 'all':
      case 'any':
        for (const inner of condition.inner) this.#condition(inner, frame);
        return;
      default:
        condition satisfies never;
    }
  }

  #use(reference: ValueReference, at: readonly PropertyKey[], frame: Frame): void {
    const path = this.#pathOf(reference, at, frame);
    if (path !== 'computed') this.#note(path);
  }

  #note(path: ValuePath): void {
    this.used.set(JSON.stringify(path), path);
  }

  #pathOf(reference: ValueReference, at: readonly PropertyKey[], frame: Frame): ValuePath | 'computed' {
    const { root, path } = reference;
    if (root === 'values') return path;
    if (root === 'layers') return 'computed';
    if (root === 'cluster') {
      if (path.length === 1 && ['name', 'namespace'].includes(path[0] ?? '')) return 'computed';
      this.#fault(frame, at, `there is no ${referenceText(reference)}`, 'use cluster.name or cluster.namespace');
      return 'computed';
    }
    const bound = frame.scope.get(root);
    if (bound !== undefined) return bound === 'computed' ? bound : [...bound, ...path];
    const isSecret = /^secrets?$/i.test(root);
    const known = ['values', 'cluster', 'layers', ...frame.scope.keys()];
    const near = nearest(root, known);
    const fix = isSecret
      ? 'an inventory holds no secrets: give the name of a Secret in a secretRef'
      : near
        ? `did you mean ${near}?`
        : `known here: ${known.join(', ')}`;
    this.#fault(frame, at, `there is no variable "${root}"`, fix);
    return 'computed';
  }

  #fault(frame: Frame, at: readonly PropertyKey[], reason: string, fix: string): void {
    const fault = { ...error(at, reason, fix), template: frame.template.name };
    this.faults.set(`${fault.template} ${fault.path} ${reason}`, fault);
  }
}
