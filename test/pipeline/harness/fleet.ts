/** A fleet of simulated clusters that inherit from one inventory, and the roll-outs of its changes. */
import type { RollOutDescription } from '#contracts/roll-outs.ts';
import { type Answer, type Call, callApi } from '#test/api/api-under-test.ts';
import { Pipeline } from './pipeline.ts';

export const fleet = 'fleet';

const head = (kind: string, name: string) => ({
  apiVersion: 'kubeloom.dev/v1',
  kind,
  metadata: { name, namespace: fleet },
});

/** The line that a change is about. */
export const environment = (version: string, count = 1) => ({
  ...head('InventoryLayer', 'prod'),
  spec: { level: 'environment', values: { kubernetes: { version }, count } },
});
const pool = (name: string, count: unknown) => ({
  name,
  providerSpec: { name: 'sim-1', region: 'r1' },
  count,
  serverType: 'small',
  image: 'linux',
});
export const template = {
  ...head('InventoryTemplate', 'standard'),
  spec: {
    version: 1,
    document: {
      spec: {
        providers: [{ name: 'sim-1', providerType: 'sim' }],
        nodePools: { dynamic: [pool('control', 1), pool('work', '${values.count}')] },
        kubernetes: {
          clusters: [
            {
              name: '${cluster.name}',
              version: '${values.kubernetes.version}',
              network: '192.168.2.0/24',
              pools: { control: ['control'], compute: ['work'] },
            },
          ],
        },
      },
    },
  },
};
export const clusterNamed = (name: string, values: object = {}) => ({
  ...head('InventoryCluster', name),
  spec: { layers: { environment: 'prod' }, template: 'standard@1', values },
});
export const nameOf = (index: number): string => `c${String(index).padStart(3, '0')}`;

export class Fleet {
  readonly pipeline: Pipeline;

  constructor(pipeline = new Pipeline()) {
    this.pipeline = pipeline;
  }

  /** So many clusters at 1.35.2, all done. */
  static async of(
    clusters: number,
    version = '1.35.2',
    settings: Readonly<Record<string, string>> = {},
  ): Promise<Fleet> {
    const fleet = new Fleet(new Pipeline(settings));
    const documents = [environment(version), template];
    for (const document of documents) await fleet.put(document);
    for (let index = 0; index < clusters; index++) await fleet.put(clusterNamed(nameOf(index)));
    await fleet.pipeline.settle();
    return fleet;
  }

  call(method: string, path: string, call: Call = {}): Promise<Answer> {
    return callApi(this.pipeline.deps, method, `/v1/inventory/${fleet}${path}`, call);
  }

  put(document: ReturnType<typeof head>): Promise<Answer> {
    const { version } = 'spec' in document ? (document.spec as { version?: number }) : {};
    const name = `${document.metadata.name}${version === undefined ? '' : `@${version}`}`;
    return this.call('PUT', `/documents/${document.kind}/${encodeURIComponent(name)}`, { body: document });
  }

  /** The id of the plan of a document. */
  async plan(document?: object): Promise<string> {
    return String((await this.call('POST', '/plan', document ? { body: document } : {})).json.id);
  }

  /** `document`: one, or several. */
  start(document: object | undefined, query = '', plan?: string, who: Call = {}): Promise<Answer> {
    const body = Array.isArray(document) ? document.map((one) => JSON.stringify(one)).join('\n---\n') : document;
    return this.call('POST', `/rollouts${query}`, {
      ...who,
      ...(body && { body }),
      ...(plan && { headers: { 'kubeloom-plan': plan } }),
    });
  }

  verb(verb: string, id: string, who: Call = {}): Promise<Answer> {
    return this.call('POST', `/rollouts/${id}/${verb}`, who);
  }

  /** The layer that every cluster inherits from. */
  async layer(): Promise<Readonly<Record<string, unknown>>> {
    return (await this.call('GET', '/documents/InventoryLayer/prod')).json;
  }

  async rollOut(id: string): Promise<RollOutDescription> {
    return (await this.call('GET', `/rollouts/${id}`)).json as RollOutDescription;
  }

  /** The version of Kubernetes of every cluster that exists, by its name. */
  async versions(): Promise<ReadonlyMap<string, string>> {
    return this.#of((current) => current.kubernetesVersion ?? '');
  }

  /** Nodes of the compute pool of every cluster. */
  async counts(): Promise<ReadonlyMap<string, string>> {
    return this.#of((current) => String(current.pools.find(({ name }) => name === 'work')?.nodes.length));
  }

  async #of(read: (current: State) => string): Promise<ReadonlyMap<string, string>> {
    const { items } = await this.pipeline.deps.manifests.list(fleet, 1000);
    const found = new Map<string, string>();
    for (const { namespace, name } of items) {
      const [record] = await this.pipeline.deps.clusters.list({ namespace, name });
      if (record?.current) found.set(name, read(record.current as State));
    }
    return found;
  }
}

type State = {
  readonly kubernetesVersion?: string;
  readonly pools: readonly { readonly name: string; readonly nodes: readonly object[] }[];
};
