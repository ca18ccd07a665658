/**
 * Keeps Kubeloom as the objects of a cluster say. Each pass lists everything and decides by that; a watch only makes the next pass
 * come sooner. Nothing is remembered that a restart, or a second replica, would miss.
 */
import pLimit from 'p-limit';
import { type ApiClient, itemsOf } from '#client/api-client.ts';
import type { ManifestSummary } from '#contracts/api-bodies.ts';
import { referenceName } from '#domain/manifest/references-in.ts';
import { deleteManifestObject } from './delete-manifest.ts';
import { type KubernetesApi, unlessMissing, type Watch } from './kubernetes-api.ts';
import { Outdated, objectWrites } from './object-writes.ts';
import { ManifestObject, ObjectList, onDelete, readPart } from './objects.ts';
import { outputNames } from './outputs.ts';
import { hasNews, isKnown, reconcileManifest, type Surroundings } from './reconcile-manifest.ts';
import { reconcileReference } from './reconcile-reference.ts';
import { type Listed, reportRefusal } from './report-refusal.ts';
import { objectPath, type Resource, resources } from './resources.ts';
import { KnownSecrets } from './secrets.ts';

export interface OperatorSettings {
  /** Undefined: all namespaces. */
  readonly namespaces: readonly string[] | undefined;
  /** Secrets of other namespaces than the object's are not read. */
  readonly ownNamespaceOnly: boolean;
  /** How long to wait after a refusal before retrying: what was missing may exist by then. */
  readonly retryRefusedMs: number;
}

export interface OperatorPorts {
  readonly kubernetes: KubernetesApi;
  readonly api: ApiClient;
  readonly now: () => Date;
  /** One line for each decision and each fault; never a value of a Secret. */
  readonly log: (message: string, fields: Readonly<Record<string, string>>) => void;
}

interface Look {
  /** What was known then. */
  readonly print: string;
  readonly at: number;
}

/** Short enough that a change is seen at once; long enough that a list that lags behind the watch does not cause endless passes. */
const wakeMs = 100;

export class Operator {
  readonly #ports: OperatorPorts;
  readonly #settings: OperatorSettings;
  readonly #looks = new Map<string, Look>();
  readonly #faults = new Map<string, string>();
  readonly #watches = new Map<string, Watch>();
  /** What a person did to each object when it was last listed: events about anything else wake no one. */
  readonly #seen = new Map<string, string>();
  #wake: () => void = () => {};
  #stopped = false;

  constructor(ports: OperatorPorts, settings: OperatorSettings) {
    this.#ports = ports;
    this.#settings = settings;
  }

  /** Passes until `stop()`, `intervalMs` between them, or as soon as an object changes. */
  async run({ intervalMs }: { readonly intervalMs: number }): Promise<void> {
    while (!this.#stopped) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await this.pass().catch((error: unknown) => this.#fault('pass', error));
      const { promise: over, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, intervalMs);
      if (!this.#stopped) await Promise.race([over, woken]);
      clearTimeout(timer);
    }
  }

  stop(): void {
    this.#stopped = true;
    for (const watch of this.#watches.values()) watch.stop();
    this.#wake();
  }

  /** Throws when Kubernetes or Kubeloom cannot be listed; faults of single objects are logged, and the next pass retries them. */
  async pass(): Promise<void> {
    const { kubernetes, api } = this.#ports;
    const { ownNamespaceOnly, retryRefusedMs } = this.#settings;
    const namespaces = this.#settings.namespaces ?? [undefined];
    const lists = await this.#list(namespaces);
    const all = lists.flatMap(({ objects }) => objects);
    this.#forgetAllBut(new Set(all.map(({ metadata }) => metadata.uid)));
    if (all.length === 0) return;
    const secrets = await KnownSecrets.list(kubernetes, ownNamespaceOnly ? namespaces : await this.#secretPlaces(all));
    const summaries = await summariesIn(api, namespaces).catch(async (error: unknown) => {
      await reportRefusal(this.#ports, lists, error);
      throw error;
    });
    const now = this.#ports.now().getTime();
    // One after another for references: manifests name them.
    const atOnce = pLimit(4);
    for (const { resource, objects } of lists) {
      const writes = objectWrites(kubernetes, resource, this.#ports.now);
      const ports = { ...this.#ports, writes, resource };
      const work = objects.map((object) =>
        atOnce(async () => {
          const { uid } = object.metadata;
          const last = this.#looks.get(uid);
          const summary = summaries.get(referenceName(object.metadata));
          const retryRefused = last !== undefined && now - last.at >= retryRefusedMs;
          const around = { secrets, summary, retryRefused, ownNamespaceOnly };
          if (resource.kind === 'TemplateGitReference') {
            await this.#attempt(object, () => reconcileReference(ports, object, around));
            if (last === undefined || retryRefused) this.#looks.set(uid, { print: '', at: now });
            return;
          }
          const print = printOf(object, around);
          if (last?.print === print && !this.#isDue(object, resource, around)) return;
          if (last === undefined && isKnown(object, summary) && !hasNews(object, resource, around)) {
            this.#looks.set(uid, { print, at: now });
            return;
          }
          const isDeleted = object.metadata.deletionTimestamp !== undefined;
          const look = (): Promise<void> =>
            isDeleted
              ? hasNews(object, resource, around)
                ? deleteManifestObject(ports, object)
                : Promise.resolve()
              : reconcileManifest(ports, object, around);
          if (await this.#attempt(object, look)) this.#looks.set(uid, { print, at: now });
          else this.#looks.delete(uid);
        }),
      );
      await Promise.all(work);
    }
    this.#faults.delete('pass');
  }

  #isDue(object: ManifestObject, resource: Resource, around: Surroundings): boolean {
    // A refused deletion is retried after a while, not earlier.
    if (object.metadata.deletionTimestamp !== undefined) return around.retryRefused;
    const { status } = object;
    // The run has ended, and the next look says that nothing is left to do.
    const rests = status.state === 'DONE' && around.summary?.status === 'Done' && !around.summary.paused;
    return rests || hasNews(object, resource, around);
  }

  async #attempt(object: ManifestObject, look: () => Promise<void>): Promise<boolean> {
    const { uid } = object.metadata;
    try {
      await look();
      this.#faults.delete(uid);
      return true;
    } catch (error) {
      if (!(error instanceof Outdated)) this.#fault(uid, error, object);
      return false;
    }
  }

  /** The same fault again is not logged again. */
  #fault(about: string, error: unknown, object?: ManifestObject): void {
    const fault = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    if (this.#faults.get(about) === fault) return;
    this.#faults.set(about, fault);
    this.#ports.log('will be retried in the next pass', {
      fault,
      ...(object && { object: referenceName(object.metadata) }),
    });
  }

  async #list(namespaces: readonly (string | undefined)[]): Promise<readonly Listed[]> {
    const lists: Listed[] = [];
    for (const resource of resources) {
      const objects: ManifestObject[] = [];
      for (const namespace of namespaces) {
        const path = objectPath(resource, namespace);
        // From the server's cache: what is decided by it is read again before anything is written.
        const answer = await this.#ports.kubernetes
          .ask('GET', path, { query: { resourceVersion: '0' }, kept: readPart })
          // A group that is not installed.
          .catch(unlessMissing);
        if (answer === undefined) continue;
        const { items, metadata } = ObjectList.parse(answer);
        objects.push(...items);
        await this.#follow(path, metadata.resourceVersion);
      }
      for (const { metadata } of objects) this.#seen.set(metadata.uid, wakingPart(metadata));
      lists.push({ resource, objects });
    }
    return lists;
  }

  /** A watch that ended, or could not be opened, is opened again by the next pass, from what that lists. */
  async #follow(path: string, resourceVersion: string): Promise<void> {
    if (this.#stopped || this.#watches.has(path)) return;
    const query = { resourceVersion, allowWatchBookmarks: 'true', timeoutSeconds: '240' };
    const happened = (event: unknown): void => {
      const { metadata } = ManifestObject.safeParse((event as { object?: unknown }).object).data ?? {};
      if (metadata && this.#seen.get(metadata.uid) !== wakingPart(metadata)) setTimeout(() => this.#wake(), wakeMs);
    };
    const watch = await this.#ports.kubernetes
      .watch(path, query, { happened, silentMs: 90_000 })
      .catch(() => undefined);
    if (watch === undefined) return;
    this.#watches.set(path, watch);
    void watch.ended.then(() => this.#watches.delete(path));
  }

  /** All namespaces where objects of any may be there; else those that are named. */
  async #secretPlaces(all: readonly ManifestObject[]): Promise<readonly (string | undefined)[]> {
    return this.#settings.namespaces === undefined
      ? [undefined]
      : [...new Set([...this.#settings.namespaces, ...all.map(({ metadata }) => metadata.namespace)])];
  }

  #forgetAllBut(uids: ReadonlySet<string>): void {
    for (const map of [this.#looks, this.#seen, this.#faults]) {
      for (const uid of map.keys()) if (!uids.has(uid) && uid !== 'pass') map.delete(uid);
    }
  }
}

/** What a person does to an object; its status is written by the operator. */
function wakingPart({ generation, deletionTimestamp, annotations }: ManifestObject['metadata']): string {
  return `${generation} ${deletionTimestamp ?? ''} ${annotations[onDelete] ?? ''}`;
}

/** What a person did to an object, what Kubeloom's list says of it, and which of its Secrets with kubeconfigs exist. */
function printOf({ metadata }: ManifestObject, { summary, secrets }: Surroundings): string {
  const there = summary?.clusters.map((cluster) =>
    outputNames(metadata.name, cluster, 'kubeconfig').map(
      (secret) => secrets.get(`${metadata.namespace}/${secret}`) !== undefined,
    ),
  );
  return JSON.stringify([wakingPart(metadata), summary, there]);
}

async function summariesIn(
  api: ApiClient,
  namespaces: readonly (string | undefined)[],
): Promise<ReadonlyMap<string, ManifestSummary>> {
  const found = new Map<string, ManifestSummary>();
  for (const namespace of namespaces) {
    const where = namespace === undefined ? {} : { namespace };
    for await (const one of itemsOf((next) => api.listManifests({ ...where, ...(next !== undefined && { next }) })))
      found.set(referenceName(one), one);
  }
  return found;
}
