/** Watch requests: a stream of changes, one JSON object a line. */
import type { ServerResponse } from 'node:http';
import { selectorOf } from './object-requests.ts';
import type { ObjectChange, ObjectStore } from './object-store.ts';
import { apiVersion, type Target } from './resources.ts';
import { ApiFailure } from './status.ts';
import { tableOf } from './tables.ts';

export class Watches {
  readonly #store: ObjectStore;
  readonly #open = new Set<ServerResponse>();

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** Answers with every change after `resourceVersion`, until the client goes or its time is over. */
  start(response: ServerResponse, target: Target, query: URLSearchParams, accept: string): void {
    const selects = selectorOf(query, target.namespace, target.name);
    const send = (change: ObjectChange): void => {
      if (change.resource === target.resource && selects(change.object)) {
        response.write(`${JSON.stringify(this.#line(change, query, accept))}\n`);
      }
    };
    const missed = this.#missed(target, Number(query.get('resourceVersion') ?? '0'));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    for (const change of missed) send(change);
    const unsubscribe = this.#store.subscribe(send);
    const seconds = Number(query.get('timeoutSeconds') ?? '0');
    const timer = seconds > 0 ? setTimeout(() => response.end(), seconds * 1000).unref() : undefined;
    this.#open.add(response);
    response.once('close', () => {
      unsubscribe();
      clearTimeout(timer);
      this.#open.delete(response);
    });
  }

  /** Ends all streams: clients come again and are sent to the new leader. */
  endAll(): void {
    for (const response of this.#open) response.end();
  }

  /** Revision 0 means: first everything there is. */
  #missed(target: Target, revision: number): readonly ObjectChange[] {
    if (revision === 0) {
      return this.#store.list(target.resource, target.namespace).map((object) => ({
        type: 'ADDED',
        revision: Number(object.metadata.resourceVersion),
        resource: target.resource,
        object,
      }));
    }
    const missed = this.#store.since(revision);
    if (missed === undefined) throw new ApiFailure('Expired', `too old resource version: ${revision}`);
    return missed;
  }

  #line(change: ObjectChange, query: URLSearchParams, accept: string): object {
    const { type, resource, object } = change;
    if (!accept.includes('as=Table')) {
      return { type, object: { ...object, apiVersion: apiVersion(resource), kind: resource.kind } };
    }
    const includeObject = query.get('includeObject') ?? 'Metadata';
    return {
      type,
      object: tableOf(resource, [object], { revision: String(change.revision), includeObject, now: new Date() }),
    };
  }
}
