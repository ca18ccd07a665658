/** Holds a Terraform module, or a provider block, against the schemas of its providers, without a plugin. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { BlockSchema, ProviderSchema } from '../schema-format.ts';
import { terraformFiles } from '../used-types.ts';
import { checkBlock } from './check-block.ts';
import { parseHcl } from './hcl-parse.ts';
import { type Block, type Body, type Expression, HclFault, type Step } from './hcl-syntax.ts';
import { bind, elementsOf, infer, type Scope } from './infer.ts';
import { typeOfBlock, unknown, type ValueType } from './value-types.ts';
import { typeOfConstraint } from './variable-types.ts';

export interface Fault {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** Schemas by the name of the provider inside Terraform. */
export type Schemas = ReadonlyMap<string, ProviderSchema>;

const resourceMeta = new Set(['count', 'for_each', 'provider', 'depends_on', 'lifecycle', 'connection', 'provisioner']);

/** Arguments whose values are words of Terraform or whole resources, not values. */
const keywords = new Set(['depends_on', 'provider', 'when', 'on_failure', 'ignore_changes']);

interface Declared {
  readonly block: Block;
  readonly file: string;
  readonly schema: BlockSchema | undefined;
  readonly address: string;
}

export function checkModule(directory: string, schemas: Schemas): readonly Fault[] {
  const faults: Fault[] = [];
  const bodies: { file: string; body: Body }[] = [];
  for (const file of terraformFiles(directory)) {
    try {
      bodies.push({ file, body: parseHcl(readFileSync(file, 'utf8')) });
    } catch (fault) {
      if (!(fault instanceof HclFault)) throw fault;
      faults.push({ file, line: fault.line, message: fault.message });
    }
  }
  new ModuleCheck(bodies, schemas, faults).run();
  return faults
    .map((fault) => ({ ...fault, file: relative(process.cwd(), fault.file) }))
    .filter((fault, at, all) => all.findIndex((other) => same(other, fault)) === at);
}

export function faultText({ file, line, message }: Fault): string {
  return `${file}:${line}: ${message}`;
}

class ModuleCheck {
  private readonly bodies: readonly { file: string; body: Body }[];
  private readonly faults: Fault[];
  private readonly resources = new Map<string, Declared>();
  private readonly variables = new Map<string, ValueType>();
  private readonly locals = new Map<string, { value: Expression; file: string }>();
  private readonly localTypes = new Map<string, ValueType>();

  constructor(bodies: readonly { file: string; body: Body }[], schemas: Schemas, faults: Fault[]) {
    this.bodies = bodies;
    this.faults = faults;
    for (const { file, block } of this.blocks()) {
      const [first = '', second = ''] = block.labels;
      if (block.type === 'variable') this.variables.set(first, typeOfConstraint(block.body, `var.${first}`));
      if (block.type === 'locals')
        for (const { name, value } of block.body.attributes) this.locals.set(name, { value, file });
      if (block.type !== 'resource' && block.type !== 'data') continue;
      const address = block.type === 'data' ? `data.${first}.${second}` : `${first}.${second}`;
      const provider = schemas.get(first.split('_')[0] ?? '');
      const schema = block.type === 'data' ? provider?.data_source_schemas[first] : provider?.resource_schemas[first];
      this.resources.set(address, { block, file, schema, address });
    }
  }

  run(): void {
    for (const declared of this.resources.values()) this.checkResource(declared);
    for (const name of this.locals.keys()) this.localType(name);
    for (const { file, block } of this.blocks()) {
      if (block.type === 'output' || block.type === 'check') this.inferAll(block.body, this.scope(file));
      if (block.type === 'provider') this.report(file, block.line, 'a module with a provider block can have no count');
    }
  }

  private checkResource({ block, file, schema, address }: Declared): void {
    const scope = this.resourceScope(block, file);
    for (const { name, value } of block.body.attributes) {
      if (name !== 'depends_on' && name !== 'provider' && resourceMeta.has(name)) infer(value, this.scope(file));
    }
    if (block.labels[0] === 'terraform_data') {
      this.inferAll(block.body, scope);
      return;
    }
    if (!schema) {
      this.report(
        file,
        block.line,
        `${address}: its schema is in no fixture: run scripts/provider-schemas/generate.ts`,
      );
      return;
    }
    checkBlock({ body: block.body, schema, title: address, line: block.line, scope, meta: resourceMeta });
    const self = bind(scope, [['self', typeOfBlock(schema, address)]]);
    for (const lifecycle of block.body.blocks.filter(({ type }) => type === 'lifecycle')) {
      this.checkLifecycle(lifecycle, schema, address, self);
    }
  }

  private checkLifecycle(lifecycle: Block, schema: BlockSchema, address: string, scope: Scope): void {
    const names = new Set([...Object.keys(schema.attributes ?? {}), ...Object.keys(schema.block_types ?? {})]);
    for (const { name, line, value } of lifecycle.body.attributes) {
      if (name !== 'ignore_changes') {
        if (name === 'replace_triggered_by') infer(value, scope);
        continue;
      }
      for (const ignored of value.kind === 'tuple' ? value.items : []) {
        if (ignored.kind === 'reference' && !names.has(ignored.root)) {
          scope.report(line, `${address}: ignore_changes names "${ignored.root}", which is no argument`);
        }
      }
    }
    for (const condition of lifecycle.body.blocks) this.inferAll(condition.body, scope);
  }

  private inferAll(body: Body, scope: Scope): void {
    for (const { value, name } of body.attributes) if (!keywords.has(name)) infer(value, scope);
    for (const block of body.blocks) this.inferAll(block.body, bind(scope, [['self', unknown]]));
  }

  private resourceScope(block: Block, file: string): Scope {
    const scope = this.scope(file);
    const value = (name: string): Expression | undefined =>
      block.body.attributes.find((attribute) => attribute.name === name)?.value;
    const collection = value('for_each');
    const names: (readonly [string, ValueType])[] = [];
    if (collection) {
      const { key, value: element } = elementsOf(
        infer(
          collection,
          this.scope(file, () => {}),
        ),
      );
      names.push([
        'each',
        object('each', [
          ['key', key],
          ['value', element],
        ]),
      ]);
    }
    if (value('count')) names.push(['count', object('count', [['index', { kind: 'number' }]])]);
    return bind(scope, names);
  }

  private scope(file: string, report = (line: number, message: string) => this.report(file, line, message)): Scope {
    const named: Scope['named'] = (root, steps, line) => this.named(root, steps, (message) => report(line, message));
    return { bound: new Map(), named, report };
  }

  private named(root: string, steps: readonly Step[], fault: (message: string) => void): ReturnType<Scope['named']> {
    const names = steps.map((step) => (step.kind === 'name' ? step.name : ''));
    const [first = '', second = ''] = names;
    const rest = (after: number): readonly Step[] => steps.slice(after);
    if (root === 'var') {
      if (!this.variables.has(first)) fault(`there is no variable "${first}"`);
      return { type: this.variables.get(first) ?? unknown, rest: rest(1) };
    }
    if (root === 'local') {
      if (!this.locals.has(first)) fault(`there is no local "${first}"`);
      return { type: this.localType(first), rest: rest(1) };
    }
    if (['path', 'terraform', 'module', 'provider'].includes(root)) return { type: unknown, rest: [] };
    if (['each', 'count', 'self'].includes(root)) fault(`"${root}" is not known here`);
    const address = root === 'data' ? `data.${first}.${second}` : `${root}.${first}`;
    const found = this.resources.get(address);
    if (!found && !['each', 'count', 'self'].includes(root)) {
      fault(steps.length ? `"${address}" is not declared in this module` : `"${root}" is not known here`);
    }
    const type = found?.schema ? this.instances(found) : unknown;
    return { type, rest: rest(root === 'data' ? 2 : 1) };
  }

  /** A resource with for_each is a map of instances, one with count a list. */
  private instances({ block, schema, address }: Declared): ValueType {
    const one = typeOfBlock(schema ?? {}, address);
    const has = (name: string): boolean => block.body.attributes.some((attribute) => attribute.name === name);
    if (has('for_each')) return { kind: 'map', of: one };
    return has('count') ? { kind: 'list', of: one } : one;
  }

  private localType(name: string): ValueType {
    const known = this.localTypes.get(name);
    const local = this.locals.get(name);
    if (known || !local) return known ?? unknown;
    this.localTypes.set(name, unknown);
    const type = infer(local.value, this.scope(local.file));
    this.localTypes.set(name, type);
    return type;
  }

  private *blocks(): Iterable<{ file: string; block: Block }> {
    for (const { file, body } of this.bodies) for (const block of body.blocks) yield { file, block };
  }

  private report(file: string, line: number, message: string): void {
    this.faults.push({ file, line, message });
  }
}

function object(title: string, fields: Iterable<readonly [string, ValueType]>): ValueType {
  return { kind: 'object', fields: new Map(fields), title };
}

function same(a: Fault, b: Fault): boolean {
  return a.file === b.file && a.line === b.line && a.message === b.message;
}
