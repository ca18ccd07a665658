/** All objects of the simulated cluster: one file, one revision counter. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { KubeObject } from './json.ts';
import { type ApiResource, groupVersionOf } from './resources.ts';

/** A control-plane node that keeps a copy of everything. */
export interface StoreMember {
  readonly name: string;
  /** `https://<WireGuard address>:6443` */
  readonly url: string;
}

/** The state that members store and exchange. The higher (term, revision) is the newer. */
export interface Snapshot {
  readonly term: number;
  readonly revision: number;
  /** In the order in which they become leader. */
  readonly members: readonly StoreMember[];
  readonly objects: Readonly<Record<string, KubeObject>>;
}

export function isNewer(one: Pick<Snapshot, 'term' | 'revision'>, other: Pick<Snapshot, 'term' | 'revision'>): boolean {
  return one.term !== other.term ? one.term > other.term : one.revision > other.revision;
}

export class ObjectStore {
  readonly #file: string;
  #snapshot: Snapshot = { term: 0, revision: 0, members: [], objects: {} };

  /** Reads the file; a missing file is an empty cluster. */
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

  get(resource: ApiResource, namespace: string, name: string): KubeObject | undefined {
    const object = this.#snapshot.objects[keyOf(resource, namespace, name)];
    return object && served(resource, object);
  }

  /** All objects of a resource, of one namespace or ('') of all, by name. */
  list(resource: ApiResource, namespace: string): readonly KubeObject[] {
    const prefix = namespace === '' ? `${prefixOf(resource)}/` : keyOf(resource, namespace, '');
    return Object.entries(this.#snapshot.objects)
      .filter(([key]) => key.startsWith(prefix))
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, object]) => served(resource, object));
  }

  /** Writes an object under the next revision and returns what was written. */
  write(resource: ApiResource, object: KubeObject): KubeObject {
    const { namespace = '', name } = object.metadata;
    const key = keyOf(resource, namespace, name);
    const revision = this.#snapshot.revision + 1;
    const written = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
    this.adopt({ ...this.#snapshot, revision, objects: { ...this.#snapshot.objects, [key]: written } });
    return written;
  }

  remove(resource: ApiResource, object: KubeObject): void {
    const { namespace = '', name } = object.metadata;
    const { [keyOf(resource, namespace, name)]: _, ...objects } = this.#snapshot.objects;
    this.adopt({ ...this.#snapshot, revision: this.#snapshot.revision + 1, objects });
  }

  setMembers(members: readonly StoreMember[]): void {
    this.adopt({ ...this.#snapshot, revision: this.#snapshot.revision + 1, members });
  }

  /** Replaces the state by a snapshot, or its term or members. */
  adopt(snapshot: Snapshot): void {
    this.#snapshot = snapshot;
    const fresh = `${this.#file}.new`;
    writeFileSync(fresh, JSON.stringify(snapshot), { mode: 0o600 });
    renameSync(fresh, this.#file);
  }
}

/** An object is stored once and served in every version of its kind. */
function served(resource: ApiResource, object: KubeObject): KubeObject {
  return { ...object, apiVersion: groupVersionOf(resource) };
}

function keyOf(resource: ApiResource, namespace: string, name: string): string {
  return `${prefixOf(resource)}/${namespace}/${name}`;
}

/** Definitions may use kinds that also exist in the core group. */
function prefixOf({ name, group }: ApiResource): string {
  return group === '' ? name : `${name}.${group}`;
}
