/** Requests for objects: get, list, patch, server-side apply, delete. Pure of HTTP, so that it reads as the API does. */
import { admitObject } from './admission.ts';
import { isObject, type Json, type JsonObject, type KubeObject } from './json.ts';
import type { ObjectStore } from './object-store.ts';
import { mergePatch, strategicPatch } from './patch.ts';
import { groupVersionOf, resourceNamed, type Target } from './resources.ts';
import { fieldSelector, labelSelector } from './selectors.ts';
import { applied } from './server-side-apply.ts';
import { ApiFailure, success } from './status.ts';
import { tableOf } from './tables.ts';

interface KubernetesRequest {
  readonly method: string;
  readonly target: Target;
  readonly query: URLSearchParams;
  readonly accept: string;
  readonly contentType: string;
  /** undefined when it is missing or not JSON. */
  readonly body: Json | undefined;
}

/** The body of the answer, whose code is 200. Throws `ApiFailure`. */
export function answerObjectRequest(store: ObjectStore, request: KubernetesRequest, now: Date): JsonObject {
  const { method, target } = request;
  if (target.name === undefined && method === 'GET') return list(store, request, now);
  if (target.name !== undefined && method === 'PATCH' && request.contentType.includes('apply-patch'))
    return apply(store, request, target.name, now);
  if (target.name !== undefined) {
    const object = existing(store, target);
    if (method === 'GET') return asTable(store, request, [object], now) ?? object;
    if (method === 'PATCH') return patch(store, request, object, now);
    if (method === 'DELETE') {
      if (!isDryRun(request)) store.remove(target.resource, object);
      const { name, uid = '' } = object.metadata;
      return success({ name, kind: target.resource.name, uid });
    }
  }
  throw new ApiFailure('MethodNotAllowed', `the simulated control plane does not ${method} this`);
}

function list(store: ObjectStore, request: KubernetesRequest, now: Date): JsonObject {
  const { resource, namespace } = request.target;
  const labels = labelSelector(request.query.get('labelSelector') ?? '');
  const fields = fieldSelector(request.query.get('fieldSelector') ?? '');
  const items = store.list(resource, namespace).filter((object) => labels(object) && fields(object));
  const metadata = { resourceVersion: String(store.snapshot.revision) };
  const plain = { kind: `${resource.kind}List`, apiVersion: groupVersionOf(resource), metadata, items };
  return asTable(store, request, items, now) ?? plain;
}

/** Where the client prefers a table to the objects: that. */
function asTable(
  store: ObjectStore,
  { target, accept, query }: KubernetesRequest,
  objects: readonly KubeObject[],
  now: Date,
): JsonObject | undefined {
  if (!accept.includes('as=Table')) return undefined;
  const includeObject = query.get('includeObject') ?? 'Metadata';
  return tableOf(target.resource, objects, { revision: String(store.snapshot.revision), includeObject, now });
}

/** Makes it where it does not exist. */
function apply(store: ObjectStore, request: KubernetesRequest, name: string, now: Date): JsonObject {
  const { target, query, body } = request;
  const { resource, namespace } = target;
  const before = store.get(resource, namespace, name);
  if (namespace !== '' && store.get(resourceNamed('namespaces'), '', namespace) === undefined && !isDryRun(request))
    throw new ApiFailure('NotFound', `namespaces "${namespace}" not found`);
  const nodes = store.list(resourceNamed('nodes'), '').length;
  const manager = query.get('fieldManager') ?? '';
  const object = admitObject(
    resource,
    applied({ resource, namespace, name, body, manager, nodes }, before),
    before,
    now,
  );
  if (isDryRun(request) || JSON.stringify(before) === JSON.stringify(object)) return object;
  return store.write(resource, object);
}

function isDryRun({ query }: KubernetesRequest): boolean {
  return query.getAll('dryRun').includes('All');
}

function patch(store: ObjectStore, request: KubernetesRequest, before: KubeObject, now: Date): JsonObject {
  const { contentType, body, target } = request;
  const patched =
    /\/(merge|strategic-merge)-patch\+json/.exec(contentType)?.[1] === 'merge' ? mergePatch : strategicPatch;
  if (!/merge-patch\+json/.test(contentType) || !isObject(body))
    throw new ApiFailure('UnsupportedMediaType', `the simulated control plane does not read ${contentType || 'this'}`);
  const object = { ...(patched(before, body) as KubeObject), apiVersion: before.apiVersion, kind: before.kind };
  const { name, resourceVersion } = object.metadata;
  if (resourceVersion !== before.metadata.resourceVersion)
    throw new ApiFailure('Conflict', `${target.resource.name} "${name}" has been changed; read it again`);
  const admitted = admitObject(target.resource, object, before, now);
  if (JSON.stringify(before) === JSON.stringify(admitted)) return before;
  return store.write(target.resource, admitted);
}

function existing(store: ObjectStore, { resource, namespace, name = '' }: Target): KubeObject {
  const object = store.get(resource, namespace, name);
  if (object === undefined) throw new ApiFailure('NotFound', `${resource.name} "${name}" not found`);
  return object;
}
