/** The same as commands: everything that a page shows or does can be copied as one. */

export interface Name {
  readonly namespace: string;
  readonly name: string;
}

/** One word for a shell, whatever is in it. */
const word = (text: string): string => (/^[\w./:=@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

const of = ({ namespace, name }: Name): string => word(namespace === 'default' ? name : `${namespace}/${name}`);

const inside = (namespace: string): string => (namespace === 'default' ? '' : ` -n ${namespace}`);

export const commands = {
  fleet: () => 'kubeloom get',
  describe: (key: Name) => `kubeloom describe ${of(key)}`,
  nodes: (key: Name) => `kubeloom describe ${of(key)} --nodes`,
  history: (key: Name) => `kubeloom history ${of(key)}`,
  diff: (key: Name, from: number, to: number) => `kubeloom diff ${of(key)} g${from} g${to}`,
  events: (key: Name) => `kubeloom events ${of(key)} -f`,
  allEvents: () => 'kubeloom events -f',
  log: (run: string, namespace: string, stage?: string) =>
    `kubeloom logs ${word(run)}${stage === undefined ? '' : ` --stage ${word(stage)}`}${namespace === 'default' ? '' : ` --namespace ${word(namespace)}`}`,
  plan: (key: Name) => `kubeloom plan ${of(key)}`,
  planOfFile: () => 'kubeloom plan -f manifest.yaml',
  apply: (plan: string) => `kubeloom apply -f manifest.yaml --plan ${word(plan)}`,
  approve: (key: Name, plan: string) => `kubeloom approve ${of(key)} --plan ${word(plan)}`,
  retry: (key: Name) => `kubeloom retry ${of(key)} --wait`,
  cancel: (key: Name) => `kubeloom cancel ${of(key)}`,
  pause: (key: Name) => `kubeloom pause ${of(key)}`,
  resume: (key: Name) => `kubeloom resume ${of(key)}`,
  drift: (key: Name) => `kubeloom drift ${of(key)} --wait`,
  repair: (key: Name) => `kubeloom drift ${of(key)} --repair --wait`,
  rollback: (key: Name) => `kubeloom rollback ${of(key)}`,
  remove: (key: Name) => `kubeloom delete ${of(key)}`,
  checkProvider: ({ namespace, name, provider }: Name & { readonly provider: string }) =>
    `kubeloom provider check ${provider} --manifest ${name}${inside(namespace)}`,
  secrets: () => 'kubeloom secrets list',
  template: ({ namespace, name }: Name) => `kubeloom templates describe ${name}${inside(namespace)}`,
  sources: () => 'kubeloom sources list',
  source: ({ namespace, name }: Name) => `kubeloom sources describe ${name}${inside(namespace)}`,
  syncSource: ({ namespace, name }: Name) => `kubeloom sources sync ${name}${inside(namespace)}`,
  whoami: () => 'kubeloom whoami',
  roles: () => 'kubeloom roles list',
  changes: (namespace: string) => `kubeloom changes${namespace === '' ? '' : ` -n ${namespace}`}`,
  inventory: (namespace: string) => `kubeloom inventory list${inside(namespace)}`,
  inventoryDocument: (namespace: string, kind: string, name: string) =>
    `kubeloom inventory describe ${kind} ${name}${inside(namespace)}`,
  applyInventory: (namespace: string, cluster: string) => `kubeloom inventory apply ${cluster}${inside(namespace)}`,
  planInventory: (namespace: string) => `kubeloom inventory plan${inside(namespace)}`,
  planInventoryFile: () => 'kubeloom inventory plan -f inventory.yaml --detail',
  rollOuts: (namespace: string) => `kubeloom rollout list${inside(namespace)}`,
  rollOut: (namespace: string, id: string) => `kubeloom rollout describe ${id}${inside(namespace)}`,
  rollOutVerb: (verb: string, namespace: string, id: string) => `kubeloom rollout ${verb} ${id}${inside(namespace)}`,
  startRollOut: (namespace: string, plan: string, file: boolean) =>
    `kubeloom rollout start${file ? ' -f inventory.yaml' : ''} --plan ${plan}${inside(namespace)}`,
  explain: (key: Name) => `kubeloom explain ${of(key)}`,
  ssh: ({ namespace, name }: Name, cluster: string, node: string) =>
    `kubeloom ssh ${cluster} ${node} --manifest ${name}${inside(namespace)}`,
} as const;
