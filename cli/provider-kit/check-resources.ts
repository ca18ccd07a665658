/** Checks on resources: whether one node or one run can change what belongs to others, and whether resources are tagged. */
import { builtInResources } from './contract.ts';
import { type Finding, fault, warningFinding } from './finding.ts';
import { type Block, bodies, type HclBody, type ModuleSource, textsOf } from './module-source.ts';
import { originsOf, referencesOf } from './references.ts';
import { modulesOf, type TypeSource, validOf } from './type-source.ts';

const metaArguments = new Set([
  'for_each',
  'count',
  'lifecycle',
  'depends_on',
  'dynamic',
  'provider',
  'provisioner',
  'connection',
]);

/** Each resource of a pool exists once for each node, or once for the pool and does not depend on its nodes. */
export function checkNodeResources({ modules: { nodepool } }: TypeSource): readonly Finding[] {
  if (nodepool === undefined) return [];
  return nodepool.resources.flatMap((block) => {
    const reported = (message: string, fix: string): Finding =>
      fault('nodes', { place: placeOf(nodepool, block), message, fix });
    const { for_each: keys, count } = block.body;
    if (count !== undefined) {
      return [reported('it is counted: removing one node would change those after it', 'for_each = var.nodes')];
    }
    if (keys !== undefined) {
      return originsOf(nodepool, keys).has('var.nodes')
        ? []
        : [
            warningFinding('nodes', {
              place: placeOf(nodepool, block),
              message: 'its for_each does not come from var.nodes',
              fix: 'make sure that no node that comes or goes changes it',
            }),
          ];
    }
    const knowsNodes = originsOf(nodepool, attributesOf(block)).has('var.nodes');
    return knowsNodes
      ? [reported('it is one for all nodes, and changes when one comes or goes', 'for_each = var.nodes')]
      : [];
  });
}

/** Values that differ from run to run are ignored where they would change something that works. */
export function checkChanges(source: TypeSource): readonly Finding[] {
  return modulesOf(source).flatMap((module) =>
    module.resources
      .filter(({ type }) => !builtInResources.has(type))
      .flatMap((block) =>
        Object.entries(attributesOf(block)).flatMap(([attribute, value]) => {
          if (ignores(block, attribute)) return [];
          const why = reasonToIgnore(module, value);
          if (why === undefined) return [];
          const fix = `lifecycle { ignore_changes = [${attribute}] }${why.more}`;
          return [fault('changes', { place: placeOf(module, block), message: `${attribute} ${why.message}`, fix })];
        }),
      ),
  );
}

/** Tags are used, or the variable says why they are not. */
export function checkTags(source: TypeSource): readonly Finding[] {
  return modulesOf(source).flatMap((module) => {
    const makes = module.resources.filter(({ type }) => !builtInResources.has(type));
    const used = makes.some(({ body }) => referencesOf(module, body).has('var.tags'));
    const said = /not used|nothing here|no effect|cannot/i.test(String(module.variables.tags?.description ?? ''));
    if (makes.length === 0 || used || said) return [];
    return [
      fault('tags', {
        place: module.name,
        message: 'no resource has the tags',
        fix: 'put var.tags on every resource that can have tags; if none can, let the description of the variable begin with "Not used:"',
      }),
    ];
  });
}

/** A firewall in the cloud that is promised exists. */
export function checkFirewall(source: TypeSource): readonly Finding[] {
  const { network } = source.modules;
  if (network === undefined || validOf(source.template)?.firewall !== 'cloud') return [];
  const used = referencesOf(
    network,
    network.resources.map(({ body }) => body),
  );
  return ['admin_cidrs', 'peer_cidrs', 'ssh_ports', 'wireguard_port', 'roles', 'api_port_open']
    .filter((name) => !used.has(`var.${name}`))
    .map((name) =>
      fault('modules', {
        place: 'network/main.tf',
        message: `provider.json promises a firewall of the cloud, but no resource uses var.${name}`,
        fix: 'use it, or say "firewall": "host" in provider.json',
      }),
    );
}

interface Reason {
  readonly message: string;
  readonly more: string;
}

function reasonToIgnore(module: ModuleSource, value: unknown): Reason | undefined {
  const references = referencesOf(module, value);
  const texts = [value, ...locals(module, references), ...data(module, references)].flatMap(textsOf).join('\n');
  if (references.has('var.first_boot'))
    return { message: 'would replace or alter machines when the first boot script changes', more: '' };
  if (/\bvar\.pool\.image\b/.test(texts))
    return { message: 'would replace machines when their image is found under another id', more: '' };
  if (references.has('var.tags') && !texts.includes('kubeloom-generation')) {
    return {
      message: 'would change with every generation of the manifest',
      more: ', or its key "kubeloom-generation" alone',
    };
  }
  return undefined;
}

const locals = (module: ModuleSource, references: ReadonlySet<string>): readonly unknown[] =>
  [...references].filter((name) => name.startsWith('local.')).map((name) => module.locals[name.slice(6)]);
const data = (module: ModuleSource, references: ReadonlySet<string>): readonly unknown[] =>
  module.data
    .filter(({ type, name }) => references.has(`data.${type}`) || references.has(`data.${type}.${name}`))
    .map(({ body }) => body);

function ignores({ body }: Block, attribute: string): boolean {
  const ignored = bodies(body.lifecycle).flatMap((lifecycle) => textsOf(lifecycle.ignore_changes));
  return ignored.some((text) => {
    const name = text.replace(/^\$\{([\s\S]*)\}$/, '$1');
    return name === 'all' || name === attribute || new RegExp(`^${attribute}[.[]`).test(name);
  });
}

/** Attributes and nested blocks; a `dynamic` block counts under the name of the block that it creates. */
function attributesOf({ body }: Block): HclBody {
  const made = bodies(body.dynamic).flatMap((dynamic) => Object.entries(dynamic));
  const own = Object.entries(body).filter(([name]) => !metaArguments.has(name));
  return Object.fromEntries([...own, ...made]);
}

const placeOf = (module: ModuleSource, { type, name }: Block): string => `${module.name}: ${type}.${name}`;
