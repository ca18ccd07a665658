/** Checks on resources: whether one node or one run can change what belongs to others, and whether resources are tagged. */
import { type Finding, findingsAbout } from './finding.ts';
import { type Block, bodies, type HclBody, type ModuleSource, textsOf } from './module-source.ts';
import { originsOf, referencesOf } from './references.ts';
import { isPlugins, modulesOf, type TypeSource, validOf } from './type-source.ts';

const metaArguments = new Set([
  ...['for_each', 'count', 'lifecycle', 'depends_on'],
  ...['dynamic', 'provider', 'provisioner', 'connection'],
]);

/** Each resource of a pool exists once for each node, or once for the pool and does not depend on its nodes. */
export function* checkNodeResources({ modules: { nodepool } }: TypeSource): Iterable<Finding> {
  if (nodepool === undefined) return;
  for (const block of nodepool.resources) {
    const { fault, warning } = findingsAbout('nodes', placeOf(nodepool, block));
    const { for_each: keys, count } = block.body;
    const knowsNodes = originsOf(nodepool, keys ?? attributesOf(block)).has('var.nodes');
    if (count !== undefined)
      yield fault('it is counted: removing one node would change those after it', 'for_each = var.nodes');
    else if (keys === undefined && knowsNodes)
      yield fault(
        'it is one resource for all nodes, and changes when a node is added or removed',
        'for_each = var.nodes',
      );
    else if (keys !== undefined && !knowsNodes)
      yield warning(
        'its for_each does not come from var.nodes',
        'make sure that adding or removing a node does not change it',
      );
  }
}

/** Values that differ from run to run are ignored where they would change something that works. */
export function* checkChanges(source: TypeSource): Iterable<Finding> {
  for (const module of modulesOf(source))
    for (const block of module.resources.filter(isPlugins))
      for (const [attribute, value] of Object.entries(attributesOf(block))) {
        const why = ignores(block, attribute) ? undefined : reasonToIgnore(module, value);
        if (why === undefined) continue;
        const fix = `lifecycle { ignore_changes = [${attribute}] }${why.more}`;
        yield findingsAbout('changes', placeOf(module, block)).fault(`${attribute} ${why.message}`, fix);
      }
}

/** Tags are used, or the variable says why they are not. */
export function* checkTags(source: TypeSource): Iterable<Finding> {
  for (const module of modulesOf(source)) {
    const makes = module.resources.filter(isPlugins);
    const used = makes.some(({ body }) => referencesOf(module, body).has('var.tags'));
    const isDocumented = /not used|nothing here|no effect|cannot/i.test(
      String(module.variables.tags?.description ?? ''),
    );
    if (makes.length > 0 && !used && !isDocumented)
      yield findingsAbout('tags', module.name).fault(
        'no resource has var.tags',
        'put var.tags on every resource that can have tags; if none can, let the description of the variable begin with "Not used:"',
      );
  }
}

/** A firewall in the cloud that is promised exists. */
export function* checkFirewall(source: TypeSource): Iterable<Finding> {
  const { network } = source.modules;
  if (network === undefined || validOf(source.template)?.firewall !== 'cloud') return;
  const { fault } = findingsAbout('modules', 'network/main.tf');
  const resources = network.resources.map(({ body }) => body);
  const used = referencesOf(network, resources);
  for (const name of ['admin_cidrs', 'peer_cidrs', 'ssh_ports', 'wireguard_port', 'roles', 'api_port_open'])
    if (!used.has(`var.${name}`))
      yield fault(
        `provider.json promises a firewall of the cloud, but no resource uses var.${name}`,
        'use it, or say "firewall": "host" in provider.json',
      );
}

interface Reason {
  readonly message: string;
  readonly more: string;
}

function reasonToIgnore(module: ModuleSource, value: unknown): Reason | undefined {
  const references = referencesOf(module, value);
  const locals = [...references]
    .filter((name) => name.startsWith('local.'))
    .map((name) => module.locals[name.slice(6)]);
  const data = module.data.filter(
    ({ type, name }) => references.has(`data.${type}`) || references.has(`data.${type}.${name}`),
  );
  const texts = [value, ...locals, ...data.map(({ body }) => body)].flatMap(textsOf).join('\n');
  if (references.has('var.first_boot'))
    return { message: 'would replace or alter machines when the first boot script changes', more: '' };
  if (/\bvar\.pool\.image\b/.test(texts))
    return { message: 'would replace machines when their image is found under another id', more: '' };
  if (references.has('var.tags') && !texts.includes('kubeloom-generation')) {
    return {
      message: 'would change with every generation of the manifest',
      more: ', or only its key "kubeloom-generation"',
    };
  }
  return undefined;
}

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
