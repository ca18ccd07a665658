/** Secrets that the operator writes for users: the kubeconfig and the machines of each cluster. */
import { z } from 'zod';
import type { ApiClient } from '#client/api-client.ts';
import { ProblemAnswer } from '#client/faults.ts';
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import { ObjectUid } from '#domain/observed/kubernetes-texts.ts';
import { trimmedEnd } from '#domain/trimmed-end.ts';
import { type KubernetesApi, KubernetesRefusal, unlessMissing } from './kubernetes-api.ts';
import type { ManifestObject } from './objects.ts';
import { apiVersionOf, type Resource } from './resources.ts';
import { type KnownSecrets, managedBy } from './secrets.ts';

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
 * Writes the Secrets with kubeconfig and metadata of each cluster next to the object, under both names, and removes those of clusters that are gone, and
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
      const labels = {
        'app.kubernetes.io/managed-by': managedBy,
        'claudie.io/project': trimmedEnd(`${namespace}-${name}`.slice(0, 63), '-.'),
        'claudie.io/cluster': cluster.name,
        'claudie.io/cluster-id': cluster.cluster,
        'claudie.io/output': output,
      };
      const owner = { apiVersion: apiVersionOf(resource), kind: resource.kind, name, uid };
      for (const secret of outputNames(name, cluster, output)) {
        wanted.add(secret);
        const stored = known.get(`${namespace}/${secret}`);
        const body = {
          apiVersion: 'v1',
          kind: 'Secret',
          type: 'Opaque',
          metadata: { name: secret, namespace, labels, ownerReferences: [owner] },
          data: { [output]: Buffer.from(content).toString('base64') },
        };
        const isFree = stored === undefined ? await createSecret(kubernetes, body) : own.includes(stored);
        if (!isFree) foreign.push(secret);
        else if (stored !== undefined) await replaceSecret(kubernetes, body);
      }
    }
  }
  for (const { name: old } of own.filter((secret) => !wanted.has(secret.name))) {
    await kubernetes.ask('DELETE', `/api/v1/namespaces/${namespace}/secrets/${old}`).catch(unlessMissing);
  }
  return { foreign, refused };
}

/** Claudie's names until 0.15, with the id of the cluster, and from 0.16 on, which a person knows before there is a cluster. */
export function outputNames(
  manifest: string,
  { cluster: id, name }: { readonly cluster: string; readonly name: string },
  output: string,
): readonly string[] {
  return [...new Set([`${id}-${output}`, `${manifest}-${name}-${output}`])];
}

interface WrittenSecret {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly ownerReferences: readonly { readonly uid: string }[];
  };
}

/**
 * False when there is one of that name already, and it is not of this owner: `a-b` with cluster `c` and `a` with cluster `b-c` mean the same
 * name.
 */
export async function createSecret(kubernetes: KubernetesApi, body: WrittenSecret): Promise<boolean> {
  const { name, namespace, ownerReferences } = body.metadata;
  const place = `/api/v1/namespaces/${namespace}/secrets`;
  try {
    await kubernetes.ask('POST', place, { query: { fieldManager: managedBy }, body });
    return true;
  } catch (error) {
    if (!(error instanceof KubernetesRefusal) || error.status !== 409) throw error;
  }
  // Since the list, this operator or its replica wrote it, or someone else did.
  const found = OwnedSecret.safeParse(await kubernetes.ask('GET', `${place}/${name}`).catch(unlessMissing)).data;
  const owners = found?.metadata.ownerReferences ?? [];
  const isOwn = owners.some(({ uid }) => ownerReferences.some((owner) => owner.uid === uid));
  if (isOwn) await replaceSecret(kubernetes, body);
  return isOwn;
}

const OwnedSecret = z.object({
  metadata: z.object({ ownerReferences: z.array(z.object({ uid: ObjectUid })).optional() }),
});

async function replaceSecret(kubernetes: KubernetesApi, body: WrittenSecret): Promise<void> {
  const { name, namespace } = body.metadata;
  await kubernetes.ask('PATCH', `/api/v1/namespaces/${namespace}/secrets/${name}`, {
    query: { fieldManager: managedBy, force: 'true' },
    contentType: 'application/apply-patch+yaml',
    body,
  });
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
