/** The patch types of the Kubernetes API: JSON patch, merge patch, strategic merge (apply counts as one). */
import { isObject, type Json, type JsonObject } from './json.ts';
import { ApiFailure } from './status.ts';

/** Lists that strategic merge joins by a key; all others are replaced whole. */
const mergeKeys: Readonly<Record<string, string>> = {
  taints: 'key',
  addresses: 'type',
  conditions: 'type',
  containers: 'name',
  initContainers: 'name',
  volumes: 'name',
  env: 'name',
  ownerReferences: 'uid',
};

export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result: JsonObject = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else if (value !== undefined) result[key] = mergePatch(result[key], value);
  }
  return result;
}

export function strategicPatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result: JsonObject = isObject(target) && patch.$patch !== 'replace' ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    const mergeKey = mergeKeys[key];
    const present = result[key];
    if (key.startsWith('$') || value === undefined) continue;
    if (value === null) delete result[key];
    else if (mergeKey !== undefined && Array.isArray(value)) {
      result[key] = mergeList(Array.isArray(present) ? present : [], value, mergeKey);
    } else result[key] = strategicPatch(present, value);
  }
  return result;
}

function mergeList(present: readonly Json[], patches: readonly Json[], mergeKey: string): Json[] {
  if (patches.some((patch) => isObject(patch) && patch.$patch === 'replace')) {
    return patches.filter((patch) => !(isObject(patch) && patch.$patch === 'replace'));
  }
  const result = [...present];
  for (const patch of patches) {
    const id = isObject(patch) ? patch[mergeKey] : undefined;
    const index = result.findIndex((item) => isObject(item) && item[mergeKey] === id);
    if (isObject(patch) && patch.$patch === 'delete') {
      if (index >= 0) result.splice(index, 1);
    } else if (index >= 0) result[index] = strategicPatch(result[index], patch);
    else result.push(patch);
  }
  return result;
}

/** RFC 6902. Throws `Invalid` when a path does not exist or a test fails, and changes nothing then. */
export function jsonPatch(target: Json, operations: Json): Json {
  if (!Array.isArray(operations)) throw new ApiFailure('BadRequest', 'a JSON patch is a list of operations');
  let document = structuredClone(target);
  for (const operation of operations) {
    if (!isObject(operation)) throw new ApiFailure('BadRequest', 'a JSON patch operation is an object');
    document = applyOperation(document, operation);
  }
  return document;
}

function applyOperation(document: Json, operation: JsonObject): Json {
  const { op, path, from, value = null } = operation;
  if (typeof path !== 'string') throw new ApiFailure('BadRequest', 'a JSON patch operation needs a path');
  switch (op) {
    case 'add':
    case 'replace':
    case 'remove':
      return edit(document, path, op, value);
    case 'test':
      if (JSON.stringify(read(document, path)) === JSON.stringify(value)) return document;
      throw new ApiFailure('Invalid', `the test of ${path} failed`);
    case 'move':
    case 'copy': {
      const source = structuredClone(read(document, String(from)));
      return edit(op === 'move' ? edit(document, String(from), 'remove', null) : document, path, 'add', source);
    }
    default:
      throw new ApiFailure('BadRequest', `unknown JSON patch operation ${String(op)}`);
  }
}

function keysOf(path: string): string[] {
  return path
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function child(value: Json | undefined, key: string, path: string): Json {
  const found = Array.isArray(value) ? value[Number(key)] : isObject(value) ? value[key] : undefined;
  if (found === undefined) throw new ApiFailure('Invalid', `the path ${path} does not exist`);
  return found;
}

function read(document: Json, path: string): Json {
  return keysOf(path).reduce((value, key) => child(value, key, path), document);
}

function edit(document: Json, path: string, op: 'add' | 'replace' | 'remove', value: Json): Json {
  const keys = keysOf(path);
  const last = keys.pop();
  if (last === undefined) return value;
  const parent = keys.reduce((node, key) => child(node, key, path), document);
  if (op !== 'add') child(parent, last, path);
  if (Array.isArray(parent)) {
    const index = last === '-' ? parent.length : Number(last);
    if (op === 'add') parent.splice(index, 0, value);
    else if (op === 'remove') parent.splice(index, 1);
    else parent[index] = value;
  } else if (isObject(parent)) {
    if (op === 'remove') delete parent[last];
    else parent[last] = value;
  } else throw new ApiFailure('Invalid', `the path ${path} does not exist`);
  return document;
}
