/** Two patch types of the Kubernetes API: merge patch and strategic merge patch. */
import { isObject, type Json, type JsonObject } from './json.ts';

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
