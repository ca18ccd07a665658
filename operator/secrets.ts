/** Secrets of the management cluster: what objects refer to goes to Kubeloom, what is for users comes back. */
import type { ApiClient } from '#client/api-client.ts';
import { ProblemAnswer } from '#client/faults.ts';
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import { type Reference, referenceName, referencesIn } from '#domain/manifest/references-in.ts';
import { trimmedEnd } from '#domain/trimmed-end.ts';
import { type KubernetesApi, unlessMissing } from './kubernetes-api.ts';
import { type ManifestObject, readPart, type SecretName, SecretNames } from './objects.ts';
import { apiVersionOf, type Resource } from './resources.ts';

const namesOnly = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
export const managedBy = 'kubeloom-operator';

/** Names and versions of Secrets, without their values. */
export class KnownSecrets {
  readonly #byName: ReadonlyMap<string, SecretName>;

  private constructor(names: readonly SecretName[]) {
    this.#byName = new Map(names.map((secret) => [referenceName(secret), secret]));
  }

  /** Secrets of all namespaces, or of some. */
  static async list(kubernetes: KubernetesApi, namespaces: readonly (string | undefined)[]): Promise<KnownSecrets> {
    const names: SecretName[] = [];
    for (const namespace of namespaces) {
      const path = namespace === undefined ? '/api/v1/secrets' : `/api/v1/namespaces/${namespace}/secrets`;
      const answer = await kubernetes.ask('GET', path, {
        accept: namesOnly,
        query: { resourceVersion: '0' },
        kept: readPart,
      });
      names.push(...SecretNames.parse(answer).items.map(({ metadata }) => metadata));
    }
    return new KnownSecrets(names);
  }

  get(name: string): SecretName | undefined {
    return this.#byName.get(name);
  }

  /** Those that the operator wrote for an object, which are next to it. */
  ownedBy({ uid, namespace }: ManifestObject['metadata']): readonly SecretName[] {
    return [...this.#byName.values()].filter(
      ({ labels, ownerReferences, namespace: place }) =>
        place === namespace &&
        labels?.['app.kubernetes.io/managed-by'] === managedBy &&
        ownerReferences?.some((owner) => owner.uid === uid),
    );
  }
}

interface Allowed {
  readonly ownNamespaceOnly: boolean;
}

/** References that an object may not have: to what is in other namespaces, where only its own is allowed. */
export function foreignReferences({ spec, metadata }: ManifestObject, allowed: Allowed): readonly Reference[] {
  if (!allowed.ownNamespaceOnly) return [];
  return [...referencesIn(spec, metadata.namespace)].filter(({ namespace }) => namespace !== metadata.namespace);
}

/** Versions of the Secrets that an object refers to, by name, as far as they exist; none when it may not be submitted. */
export function secretVersions(
  object: ManifestObject,
  known: KnownSecrets,
  allowed: Allowed,
): Readonly<Record<string, string>> {
  if (foreignReferences(object, allowed).length > 0) return {};
  const named = [...referencesIn(object.spec, object.metadata.namespace)].filter(({ field }) => field === 'secretRef');
  const versions = named.flatMap((one) => {
    const secret = known.get(referenceName(one));
    return secret ? [[referenceName(one), secret.resourceVersion] as const] : [];
  });
  return Object.fromEntries(versions);
}

/** Gives a Secret to Kubeloom; throws `ProblemAnswer` when it is refused. One that is gone by now is left out. */
export async function submitSecret(kubernetes: KubernetesApi, api: ApiClient, reference: string): Promise<void> {
  const [namespace = '', name = ''] = reference.split('/');
  const answer = await kubernetes.ask('GET', `/api/v1/namespaces/${namespace}/secrets/${name}`).catch(unlessMissing);
  if (answer === undefined) return;
  const { data = {} } = answer as { data?: Record<string, string> };
  await api.putSecret({ namespace, name }, { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, data });
}

export interface Outputs {
  readonly object: ManifestObject;
  readonly resource: Resource;
  readonly manifest: ManifestDescription;
  readonly known: KnownSecrets;
}

/** What was not written, and why. */
export interface Unwritten {
  /** Names of Secrets that others wrote and that are therefore left as they are. */
  readonly foreign: readonly string[];
  /** Sentences of Kubeloom about kubeconfigs that it does not give out. */
  readonly refused: readonly string[];
}

/**
 * Writes the Secrets with kubeconfig and metadata of each cluster next to the object, and removes those of clusters that are gone, and
 * of kubeconfigs that Kubeloom does not give out.
 */
export async function writeOutputs(
  kubernetes: KubernetesApi,
  api: ApiClient,
  { object, resource, manifest, known }: Outputs,
): Promise<Unwritten> {
  const { namespace, name, uid } = object.metadata;
  const own = known.ownedBy(object.metadata);
  const wanted = new Set<string>();
  const foreign: string[] = [];
  const refused: string[] = [];
  for (const cluster of manifest.clusters) {
    if (cluster.kubeconfigPath === null) continue;
    const kubeconfig = await api
      .getKubeconfig({ namespace, name, cluster: cluster.cluster })
      .catch(unlessNone(refused));
    const contents = { kubeconfig, metadata: JSON.stringify(metadataOf(cluster), null, 2) };
    for (const [output, content] of Object.entries(contents)) {
      if (content === undefined) continue;
      const secret = `${cluster.cluster}-${output}`;
      wanted.add(secret);
      const stored = known.get(`${namespace}/${secret}`);
      if (stored && !own.includes(stored)) foreign.push(secret);
      else {
        const labels = {
          'app.kubernetes.io/managed-by': managedBy,
          'claudie.io/project': trimmedEnd(`${namespace}-${name}`.slice(0, 63), '-.'),
          'claudie.io/cluster': cluster.name,
          'claudie.io/cluster-id': cluster.cluster,
          'claudie.io/output': output,
        };
        const owner = { apiVersion: apiVersionOf(resource), kind: resource.kind, name, uid };
        await kubernetes.ask('PATCH', `/api/v1/namespaces/${namespace}/secrets/${secret}`, {
          query: { fieldManager: managedBy, force: 'true' },
          contentType: 'application/apply-patch+yaml',
          body: {
            apiVersion: 'v1',
            kind: 'Secret',
            type: 'Opaque',
            metadata: { name: secret, namespace, labels, ownerReferences: [owner] },
            data: { [output]: Buffer.from(content).toString('base64') },
          },
        });
      }
    }
  }
  for (const { name: old } of own.filter((secret) => !wanted.has(secret.name))) {
    await kubernetes.ask('DELETE', `/api/v1/namespaces/${namespace}/secrets/${old}`).catch(unlessMissing);
  }
  return { foreign, refused };
}

/** A cluster that has no kubeconfig yet, or none any more, or whose kubeconfig is refused, which is noted. */
function unlessNone(refused: string[]): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof ProblemAnswer) || ![404, 409].includes(error.problem.status)) throw error;
    const { code, detail } = error.problem;
    if (code === 'KubeconfigRefused') refused.push(detail);
    return undefined;
  };
}

/** Addresses by pool and node, in Claudie's shape; keys of nodes are not handed out. */
function metadataOf({ nodes, loadBalancers }: ManifestDescription['clusters'][number]): object {
  const pools = (list: typeof nodes): object => {
    const byPool = Object.groupBy(list, ({ pool }) => pool);
    return Object.fromEntries(
      Object.entries(byPool).map(([pool, rows = []]) => [
        pool,
        {
          node_ips: Object.fromEntries(
            rows.map((row) => [row.name, { public_ip: row.publicAddress ?? '', private_ip: row.privateAddress }]),
          ),
        },
      ]),
    );
  };
  const of = (isStatic: boolean, isBalancer: boolean) =>
    pools(
      nodes.filter((row) => (row.provider === 'static') === isStatic && (row.role === 'loadBalancer') === isBalancer),
    );
  return {
    dynamic_nodepools: of(false, false),
    static_nodepools: of(true, false),
    dynamic_load_balancer_nodepools: of(false, true),
    static_load_balancer_nodepools: of(true, true),
    endpoints: Object.fromEntries(loadBalancers.map((one) => [one.name, one.endpoint ?? ''])),
  };
}
