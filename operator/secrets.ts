/** Secrets of the management cluster that objects refer to, and that go to Kubeloom; what comes back is in outputs.ts. */
import type { ApiClient } from '#client/api-client.ts';
import { type Reference, referenceName, referencesIn } from '#domain/manifest/references-in.ts';
import { type KubernetesApi, unlessMissing } from './kubernetes-api.ts';
import { type ManifestObject, readPart, type SecretName, SecretNames } from './objects.ts';

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
