/** A small API server in memory: versions, the status subresource, finalizers and server-side apply, as far as the operator uses them. */
import { type KubernetesApi, KubernetesRefusal, type KubernetesRequest } from '#operator/kubernetes-api.ts';

interface Stored {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation: number;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

export class FakeKubernetes {
  readonly #objects = new Map<string, Stored>();
  #version = 0;
  writes = 0;
  afterList: () => void = () => {};
  watchRefusal = 0;
  /** Paths that begin so are not served. */
  missing = '-';

  /** As a user would: a new object, or the next generation of it. */
  apply(path: string, content: { readonly metadata?: object; readonly [field: string]: unknown }): void {
    const old = this.#objects.get(path);
    const [, namespace = '', , name = ''] = path.split('/namespaces/')[1]?.match(/^([^/]+)(\/)[^/]+\/(.+)$/) ?? [];
    this.#put(path, {
      ...old,
      ...content,
      metadata: {
        uid: `uid-${path.replaceAll(/\W/g, '-').slice(-50)}`,
        ...old?.metadata,
        ...content.metadata,
        name,
        namespace,
        resourceVersion: '',
        generation: (old?.metadata.generation ?? 0) + 1,
      },
    });
  }

  delete(path: string): void {
    const old = this.#objects.get(path);
    if (old) this.#put(path, { ...old, metadata: { ...old.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } });
  }

  /** At once, whatever its finalizers are. */
  remove(path: string): void {
    this.#objects.delete(path);
  }

  at(path: string): Stored | undefined {
    return this.#objects.get(path);
  }

  /** Type and reason of each. */
  events(): readonly string[] {
    const events = [...this.#objects].filter(([path]) => path.includes('/events/'));
    return events.map(([, { type, reason }]) => `${type} ${reason}`);
  }

  api(): KubernetesApi {
    return {
      ask: async (method, path, asked = {}) => keptOf(this.#answer(method, path, asked), asked),
      watch: async () => {
        if (this.watchRefusal > 0) throw new KubernetesRefusal(this.watchRefusal, 'too old resource version');
        return { ended: Promise.resolve(), stop: () => {} };
      },
      close: () => {},
    };
  }

  #answer(method: string, path: string, { body, contentType }: KubernetesRequest): unknown {
    if (path.startsWith(this.missing))
      throw new KubernetesRefusal(404, 'the server could not find the requested resource');
    if (method === 'GET') return this.#read(path);
    this.writes += 1;
    const sent = body as Stored | undefined;
    if (method === 'POST') {
      const place = `${path}/${sent?.metadata.name}`;
      if (this.#objects.has(place)) throw new KubernetesRefusal(409, 'already exists');
      return this.#put(place, { ...sent, metadata: { ...sent?.metadata } } as Stored);
    }
    const place = path.replace(/\/status$/, '');
    const old = this.#objects.get(place);
    if (method === 'DELETE') return this.#objects.delete(place);
    if (contentType === 'application/apply-patch+yaml') return this.#put(place, { ...old, ...sent } as Stored);
    if (old === undefined) throw new KubernetesRefusal(404, 'not found');
    const { resourceVersion } = sent?.metadata ?? {};
    if (resourceVersion !== old.metadata.resourceVersion)
      throw new KubernetesRefusal(409, 'the object has been modified');
    // A status is written apart from everything else.
    if (method === 'PUT' && place !== path) return this.#put(place, { ...old, status: sent?.status });
    if (method === 'PATCH') return this.#put(place, { ...old, metadata: { ...old.metadata, ...sent?.metadata } });
    throw new KubernetesRefusal(405, method);
  }

  #read(path: string): unknown {
    const found = this.#objects.get(path);
    if (found) return structuredClone(found);
    const plural = path.slice(path.lastIndexOf('/') + 1);
    if (!/^(inputmanifests|templategitreferences|secrets)$/.test(plural)) throw new KubernetesRefusal(404, 'not found');
    const root = path.slice(0, path.lastIndexOf('/'));
    const items = [...this.#objects].filter(([place]) => place.startsWith(`${root}/`) && place.includes(`/${plural}/`));
    const list = structuredClone(items.map(([, object]) => object));
    if (plural === 'inputmanifests') this.afterList();
    // As the real one does for an empty list.
    return { metadata: { resourceVersion: String(this.#version) }, items: list.length > 0 ? list : null };
  }

  #put(path: string, object: Stored): Stored {
    this.#version += 1;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } };
    const { deletionTimestamp, finalizers = [] } = stored.metadata;
    if (deletionTimestamp !== undefined && finalizers.length === 0) this.#objects.delete(path);
    else this.#objects.set(path, stored);
    return structuredClone(stored);
  }
}

/** A server writes `null` for a list without items. */
function keptOf(answer: unknown, { kept }: KubernetesRequest): unknown {
  const { items } = answer as { readonly items?: readonly unknown[] | null };
  return kept === undefined || !items ? answer : { ...(answer as object), items: items.map(kept) };
}
