/** All objects of the simulated cluster: one file, one revision counter, a short history for watches. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { KubeObject } from './json.ts';
import type { Resource } from './resources.ts';

/** A control-plane node that keeps a copy of everything. */
export interface Member {
  readonly name: string;
  /** `https://<WireGuard address>:6443` */
  readonly url: string;
}

/** What is kept and passed on between members. The higher (term, revision) is the newer. */
export interface Snapshot {
  readonly term: number;
  readonly revision: number;
  /** In the order in which they may lead. */
  readonly members: readonly Member[];
  readonly objects: Readonly<Record<string, KubeObject>>;
}

export interface ObjectChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly revision: number;
  readonly resource: Resource;
  readonly object: KubeObject;
}

const historyLength = 1000;

export function isNewer(one: Pick<Snapshot, 'term' | 'revision'>, other: Pick<Snapshot, 'term' | 'revision'>): boolean {
  return one.term !== other.term ? one.term > other.term : one.revision > other.revision;
}

export class ObjectStore {
  readonly #file: string;
  readonly #listeners = new Set<(change: ObjectChange) => void>();
  #snapshot: Snapshot = { term: 0, revision: 0, members: [], objects: {} };
  #history: ObjectChange[] = [];

  /** Reads what the file has; a missing one is an empty cluster. */
  constructor(file: string) {
    this.#file = file;
    mkdirSync(dirname(file), { recursive: true });
    try {
      this.#snapshot = JSON.parse(readFileSync(file, 'utf8'));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
  }

  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  get(resource: Resource, namespace: string, name: string): KubeObject | undefined {
    return this.#snapshot.objects[keyOf(resource, namespace, name)];
  }

  /** All objects of a resource, of one namespace or ('') of all, by name. */
  list(resource: Resource, namespace: string): readonly KubeObject[] {
    const prefix = namespace === '' ? `${resource.name}.${resource.group}/` : keyOf(resource, namespace, '');
    return Object.entries(this.#snapshot.objects)
      .filter(([key]) => key.startsWith(prefix))
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, object]) => object);
  }

  /** Writes an object under the next revision and returns what was written. */
  write(resource: Resource, object: KubeObject): KubeObject {
    const { namespace = '', name } = object.metadata;
    const key = keyOf(resource, namespace, name);
    const revision = this.#snapshot.revision + 1;
    const written = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
    const type = key in this.#snapshot.objects ? 'MODIFIED' : 'ADDED';
    this.#save({ ...this.#snapshot, revision, objects: { ...this.#snapshot.objects, [key]: written } });
    this.#tell({ type, revision, resource, object: written });
    return written;
  }

  remove(resource: Resource, object: KubeObject): void {
    const { namespace = '', name } = object.metadata;
    const { [keyOf(resource, namespace, name)]: _, ...objects } = this.#snapshot.objects;
    const revision = this.#snapshot.revision + 1;
    this.#save({ ...this.#snapshot, revision, objects });
    const last = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
    this.#tell({ type: 'DELETED', revision, resource, object: last });
  }

  /** Takes over a whole snapshot, its term or its members. Watches cannot be continued over it. */
  adopt(snapshot: Snapshot): void {
    this.#history = [];
    this.#save(snapshot);
  }

  setMembers(members: readonly Member[]): void {
    this.#save({ ...this.#snapshot, revision: this.#snapshot.revision + 1, members });
  }

  /** Changes after a revision; undefined when they are forgotten. */
  since(revision: number): readonly ObjectChange[] | undefined {
    if (revision === this.#snapshot.revision) return [];
    const oldest = this.#history[0]?.revision;
    if (oldest === undefined || revision + 1 < oldest) return undefined;
    return this.#history.filter((change) => change.revision > revision);
  }

  /** Calls back for each change until the returned function is called. */
  subscribe(listener: (change: ObjectChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #save(snapshot: Snapshot): void {
    this.#snapshot = snapshot;
    const fresh = `${this.#file}.new`;
    writeFileSync(fresh, JSON.stringify(snapshot), { mode: 0o600 });
    renameSync(fresh, this.#file);
  }

  #tell(change: ObjectChange): void {
    this.#history = [...this.#history.slice(-historyLength), change];
    for (const listener of this.#listeners) listener(change);
  }
}

function keyOf(resource: Resource, namespace: string, name: string): string {
  return `${resource.name}.${resource.group}/${namespace}/${name}`;
}
