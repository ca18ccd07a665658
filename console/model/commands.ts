/** The same as commands: everything that a page shows or does can be copied as one. */
import type { FleetChoice } from './fleet.ts';

export interface Name {
  readonly namespace: string;
  readonly name: string;
}

/** One word for a shell, whatever is in it. */
const word = (text: string): string => (/^[\w./:=@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** The same for a terminal that uses another context: of a text that is a command of ours. */
export const inContext = (command: string, context?: string): string =>
  context === undefined ? command : command.replace(/^kubeloom(?= )/, `kubeloom --context ${word(context)}`);

const of = ({ namespace, name }: Name): string => word(namespace === 'default' ? name : `${namespace}/${name}`);

const inside = (namespace: string): string => (namespace === 'default' ? '' : ` -n ${word(namespace)}`);

/** An option with its value; nothing where there is no value. */
const option = (name: string, value = ''): string => (value === '' ? '' : ` --${name} ${word(value)}`);

/** From so many minutes ago on, or from a time. */
const since = (from = ''): string => option('since', /^\d+$/.test(from) ? `${from}m` : from);

/** Kinds with commas between. */
const kinds = (kind: string): string => (kind === '' ? '' : ` --kind ${kind.split(',').map(word).join(' ')}`);

function sshTo({ namespace, name }: Name, cluster: string, node: string): string {
  return `kubeloom ssh ${word(cluster)} ${word(node)}${option('manifest', name)}${inside(namespace)}`;
}

/** Which events of everything; empty: all. */
export interface FeedChoice {
  readonly minutes: string;
  readonly namespace: string;
  readonly kind: string;
}

interface RollOutStart {
  /** What is rolled out is a file, and not what is stored. */
  readonly file: boolean;
  /** Empty: as the order of the inventory has it. */
  readonly waves?: string;
  readonly soak?: string;
  readonly maxFailed?: string;
}

export const commands = {
  console: () => 'kubeloom console',
  fleet: ({ search, state, namespace, provider, sort }: FleetChoice) =>
    [
      `kubeloom get --sort ${word(sort || 'state')}`,
      option('state', state),
      option('search', search),
      option('namespace', namespace),
      option('provider', provider),
    ].join(''),
  describe: (key: Name) => `kubeloom describe ${of(key)}`,
  nodes: (key: Name) => `kubeloom describe ${of(key)} --nodes`,
  history: (key: Name) => `kubeloom history ${of(key)}`,
  diff: (key: Name, from: number, to: number) => `kubeloom diff ${of(key)} g${from} g${to}`,
  /** `minutes`: only those of the last so many. */
  events: (key: Name, minutes?: string) => `kubeloom events ${of(key)} -f${since(minutes)}`,
  allEvents: ({ minutes, namespace, kind }: FeedChoice) =>
    [`kubeloom events -f${since(minutes)}`, option('namespace', namespace), kinds(kind)].join(''),
  log: (run: string, namespace: string, stage?: string, cluster?: string) =>
    `kubeloom logs ${word(run)}${option('cluster', cluster)}${option('stage', stage)}${inside(namespace)}`,
  plan: (key: Name) => `kubeloom plan ${of(key)}`,
  planOfFile: () => 'kubeloom plan -f manifest.yaml',
  apply: (plan: string) => `kubeloom apply -f manifest.yaml --plan ${word(plan)}`,
  /** Documents of any kind. */
  store: (file: `${string}.yaml`) => `kubeloom apply -f ${word(file)}`,
  approve: (key: Name, plan: string) => `kubeloom approve ${of(key)} --plan ${word(plan)}`,
  approveRollOut: (namespace: string, plan: string) =>
    `kubeloom rollout start --plan ${word(plan)}${inside(namespace)}`,
  retry: (key: Name) => `kubeloom retry ${of(key)} --wait`,
  cancel: (key: Name) => `kubeloom cancel ${of(key)}`,
  pause: (key: Name) => `kubeloom pause ${of(key)}`,
  resume: (key: Name) => `kubeloom resume ${of(key)}`,
  drift: (key: Name) => `kubeloom drift ${of(key)} --wait`,
  repair: (key: Name) => `kubeloom drift ${of(key)} --repair --wait`,
  rollback: (key: Name, to = '') => `kubeloom rollback ${of(key)}${option('to', to)}`,
  remove: (key: Name) => `kubeloom delete ${of(key)}`,
  checkProvider: ({ namespace, name, provider }: Name & { readonly provider: string }) =>
    `kubeloom provider check ${word(provider)}${option('manifest', name)}${inside(namespace)}`,
  secrets: () => 'kubeloom secrets list',
  template: ({ namespace, name }: Name) => `kubeloom templates get ${word(name)}${inside(namespace)}`,
  sources: () => 'kubeloom sources list',
  source: ({ namespace, name }: Name) => `kubeloom sources describe ${word(name)}${inside(namespace)}`,
  syncSource: ({ namespace, name }: Name) => `kubeloom sources sync ${word(name)}${inside(namespace)}`,
  whoami: () => 'kubeloom whoami',
  roles: () => 'kubeloom roles list',
  /** What people asked for. */
  audit: (days: string, shown: readonly string[]) => `kubeloom events --since ${word(days)}d${kinds(shown.join(','))}`,
  inventory: (namespace: string) => `kubeloom inventory list${inside(namespace)}`,
  inventoryDocument: (namespace: string, kind: string, name: string) =>
    `kubeloom inventory get ${word(kind)} ${word(name)}${inside(namespace)}`,
  applyInventory: (namespace: string, cluster: string) =>
    `kubeloom inventory apply ${word(cluster)}${inside(namespace)}`,
  planInventory: (namespace: string) => `kubeloom inventory plan${inside(namespace)}`,
  planInventoryFile: (namespace: string) => `kubeloom inventory plan -f inventory.yaml --detail${inside(namespace)}`,
  rollOuts: (namespace: string) => `kubeloom rollout list${inside(namespace)}`,
  rollOut: (namespace: string, id: string) => `kubeloom rollout describe ${word(id)}${inside(namespace)}`,
  rollOutVerb: (verb: string, namespace: string, id: string) =>
    `kubeloom rollout ${word(verb)} ${word(id)}${inside(namespace)}`,
  startRollOut: (namespace: string, plan: string, { file, waves, soak, maxFailed }: RollOutStart) =>
    `kubeloom rollout start${file ? ' -f inventory.yaml' : ''} --plan ${word(plan)}${option('waves', waves)}${option('soak', soak)}${option('max-failed', maxFailed)}${inside(namespace)}`,
  explain: (key: Name) => `kubeloom explain ${of(key)}`,
  ssh: sshTo,
  /** Its peers in the mesh, with the last handshake and the traffic of each. */
  peers: (key: Name, cluster: string, node: string) => `${sshTo(key, cluster, node)} -- wg show wg0`,
} as const;
