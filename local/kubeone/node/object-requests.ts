/** Requests for objects: get, list, create, update, patch, delete, evict. Pure of HTTP, so that it reads as the API does. */
import { admitObject, readObject } from './admission.ts';
import { isObject, type Json, type JsonObject, type KubeObject } from './json.ts';
import type { ObjectStore } from './object-store.ts';
import { jsonPatch, mergePatch, strategicPatch } from './patch.ts';
import { apiVersion, type Resource, resources, type Target } from './resources.ts';
import { fieldSelector, labelSelector, type Selector } from './selectors.ts';
import { ApiFailure, success } from './status.ts';
import { tableOf } from './tables.ts';

export interface KubernetesRequest {
  readonly method: string;
  readonly target: Target;
  readonly query: URLSearchParams;
  readonly accept: string;
  readonly contentType: string;
  /** undefined when there is none or it is not JSON. */
  readonly body: Json | undefined;
}

export interface ObjectAnswer {
  readonly code: number;
  readonly body: JsonObject;
}

export function answerObjectRequest(store: ObjectStore, request: KubernetesRequest, now: Date): ObjectAnswer {
  const { target } = request;
  if (target.subresource === 'eviction' && request.method === 'POST') return evict(store, target);
  if (target.name === undefined) {
    if (request.method === 'GET') return list(store, request, now);
    if (request.method === 'POST') return create(store, request, now);
  } else {
    if (request.method === 'GET') return shown(store, request, [existing(store, target)], now, true);
    if (request.method === 'PUT') return replace(store, request, now);
    if (request.method === 'PATCH') return patch(store, request, now);
    if (request.method === 'DELETE') return remove(store, target);
  }
  throw new ApiFailure('MethodNotAllowed', `the simulated control plane does not ${request.method} this`);
}

/** What list and watch requests select. */
export function selectorOf(query: URLSearchParams, namespace: string, name: string | undefined): Selector {
  const labels = labelSelector(query.get('labelSelector') ?? '');
  const fields = fieldSelector(query.get('fieldSelector') ?? '');
  return (object) =>
    (namespace === '' || object.metadata.namespace === namespace) &&
    (name === undefined || object.metadata.name === name) &&
    labels(object) &&
    fields(object);
}

function list(store: ObjectStore, request: KubernetesRequest, now: Date): ObjectAnswer {
  const { resource, namespace } = request.target;
  const selected = store.list(resource, namespace).filter(selectorOf(request.query, namespace, undefined));
  return shown(store, request, selected, now, false);
}

function shown(
  store: ObjectStore,
  request: KubernetesRequest,
  objects: readonly KubeObject[],
  now: Date,
  single: boolean,
): ObjectAnswer {
  const { resource } = request.target;
  const revision = String(store.snapshot.revision);
  if (request.accept.includes('as=Table')) {
    const includeObject = request.query.get('includeObject') ?? 'Metadata';
    return { code: 200, body: tableOf(resource, objects, { revision, includeObject, now }) };
  }
  const [first] = objects;
  if (single && first !== undefined) return { code: 200, body: first };
  const body = {
    kind: `${resource.kind}List`,
    apiVersion: apiVersion(resource),
    metadata: { resourceVersion: revision },
  };
  return { code: 200, body: { ...body, items: [...objects] } };
}

function create(store: ObjectStore, request: KubernetesRequest, now: Date): ObjectAnswer {
  const { resource, namespace } = request.target;
  const object = readObject(resource, bodyOf(request), namespace);
  checkNamespace(store, resource, namespace);
  if (store.get(resource, namespace, object.metadata.name) !== undefined) {
    throw new ApiFailure('AlreadyExists', `${resource.name} "${object.metadata.name}" already exists`);
  }
  return { code: 201, body: save(store, request, object, undefined, now) };
}

function replace(store: ObjectStore, request: KubernetesRequest, now: Date): ObjectAnswer {
  const before = existing(store, request.target);
  const object = readObject(request.target.resource, bodyOf(request), request.target.namespace);
  return { code: 200, body: save(store, request, object, before, now) };
}

function patch(store: ObjectStore, request: KubernetesRequest, now: Date): ObjectAnswer {
  const { resource, namespace, name = '' } = request.target;
  const change = bodyOf(request);
  const before = store.get(resource, namespace, name);
  if (before === undefined && request.contentType.includes('apply-patch')) {
    checkNamespace(store, resource, namespace);
    return { code: 201, body: save(store, request, readObject(resource, change, namespace), undefined, now) };
  }
  const present = existing(store, request.target);
  const merged = patched(request.contentType, present, change);
  return { code: 200, body: save(store, request, readObject(resource, merged, namespace), present, now) };
}

function patched(contentType: string, present: KubeObject, change: Json): Json {
  if (contentType.includes('json-patch')) return jsonPatch(present, change);
  if (contentType.includes('merge-patch') && !contentType.includes('strategic')) return mergePatch(present, change);
  if (/strategic|apply-patch/.test(contentType)) return strategicPatch(present, change);
  throw new ApiFailure('UnsupportedMediaType', `unknown patch type ${contentType}`);
}

function save(
  store: ObjectStore,
  request: KubernetesRequest,
  object: KubeObject,
  before: KubeObject | undefined,
  now: Date,
): KubeObject {
  const { resource } = request.target;
  const expected = object.metadata.resourceVersion;
  if (before !== undefined && expected !== undefined && expected !== before.metadata.resourceVersion) {
    throw new ApiFailure('Conflict', `${resource.name} "${object.metadata.name}" has been changed; read it again`);
  }
  const admitted = admitObject(resource, object, before, now);
  if (request.query.getAll('dryRun').includes('All')) return admitted;
  if (before !== undefined && JSON.stringify(before) === JSON.stringify(admitted)) return before;
  return store.write(resource, admitted);
}

function remove(store: ObjectStore, target: Target): ObjectAnswer {
  const object = existing(store, target);
  store.remove(target.resource, object);
  if (target.resource.name === 'namespaces') {
    for (const resource of resources.filter(({ namespaced }) => namespaced)) {
      for (const inside of store.list(resource, object.metadata.name)) store.remove(resource, inside);
    }
  }
  const { name, uid = '' } = object.metadata;
  return { code: 200, body: success({ name, kind: target.resource.name, uid }) };
}

function evict(store: ObjectStore, target: Target): ObjectAnswer {
  store.remove(target.resource, existing(store, target));
  return { code: 201, body: success({ name: target.name ?? '', kind: 'pods' }) };
}

function existing(store: ObjectStore, { resource, namespace, name = '' }: Target): KubeObject {
  const object = store.get(resource, namespace, name);
  if (object === undefined) throw new ApiFailure('NotFound', `${resource.name} "${name}" not found`);
  return object;
}

function checkNamespace(store: ObjectStore, resource: Resource, namespace: string): void {
  const namespaces = resources.find(({ name }) => name === 'namespaces');
  if (!resource.namespaced || namespaces === undefined) return;
  if (store.get(namespaces, '', namespace) === undefined) {
    throw new ApiFailure('NotFound', `namespaces "${namespace}" not found`);
  }
}

function bodyOf(request: KubernetesRequest): Json {
  if (request.body === undefined || !(isObject(request.body) || Array.isArray(request.body))) {
    throw new ApiFailure(
      'UnsupportedMediaType',
      'the simulated control plane reads JSON bodies only; use kubectl apply -f instead of kubectl create',
    );
  }
  return request.body;
}
