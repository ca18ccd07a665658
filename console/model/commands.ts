/** The same as commands: everything that a page shows or does can be copied as one. */

export interface Name {
  readonly namespace: string;
  readonly name: string;
}

/** One word for a shell, whatever is in it. */
const word = (text: string): string => (/^[\w./:=@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

const of = ({ namespace, name }: Name): string => word(namespace === 'default' ? name : `${namespace}/${name}`);

export const commands = {
  fleet: () => 'kubeloom get',
  describe: (key: Name) => `kubeloom describe ${of(key)}`,
  nodes: (key: Name) => `kubeloom describe ${of(key)} --nodes`,
  runs: (key: Name) => `kubeloom runs ${of(key)}`,
  history: (key: Name) => `kubeloom history ${of(key)}`,
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
} as const;
