/** What a YAML document may not have although it is YAML (duplicate keys, keys that are not text, depth), and its places. */
import { type Document, isAlias, isMap, isNode, isPair, isScalar, isSeq } from 'yaml';
import { mostFaults, parsePath } from '#domain/manifest/faults/fault.ts';
import { TextFault } from './text-fault.ts';

/** The longest key that Kubernetes takes has 317; every fault below a key repeats it. */
const maxKeyLength = 400;

/** Duplicate keys, keys that are lists or maps, and too great a depth; a limited number of them. */
export function structureFaults(document: Document, maxDepth: number): readonly TextFault[] {
  const faults: TextFault[] = [];
  const open: { node: unknown; depth: number }[] = [{ node: document.contents, depth: 1 }];
  while (open.length > 0 && faults.length < mostFaults) {
    const { node, depth } = open.pop() ?? { node: undefined, depth: 0 };
    if (!isMap(node) && !isSeq(node)) continue;
    if (depth > maxDepth) return [TextFault.tooDeep(maxDepth, node.range?.[0])];
    if (isMap(node)) {
      const keys = Iterator.from(keyFaults(node.items.map(({ key }) => key)));
      for (const fault of keys.take(mostFaults - faults.length)) faults.push(fault);
    }
    for (const item of node.items) open.push({ node: isPair(item) ? item.value : item, depth: depth + 1 });
  }
  return faults.sort((left, right) => (left.offset ?? 0) - (right.offset ?? 0));
}

function* keyFaults(keys: readonly unknown[]): Generator<TextFault> {
  const seen = new Set<string>();
  for (const key of keys) {
    if (!isScalar(key)) {
      const reason = isAlias(key) ? 'an alias cannot be a key' : 'a list or map cannot be a key';
      yield new TextFault({ reason, fix: 'use text as key', offset: beginOf(key) });
      continue;
    }
    const name = typeof key.value === 'symbol' ? '<<' : String(key.value);
    if (name.length > maxKeyLength) {
      const reason = `the key "${name.slice(0, 60)}…" has ${name.length} characters, at most ${maxKeyLength} are accepted`;
      yield new TextFault({ reason, fix: 'shorten it', offset: beginOf(key) });
    }
    if (seen.has(name)) {
      const reason = `the key "${name.slice(0, 60)}" is in the same map twice`;
      yield new TextFault({ reason, fix: 'remove one of the two', offset: beginOf(key) });
    }
    seen.add(name);
  }
}

/** Where in the text a path begins; for what does not exist, where the part around it begins. */
export function offsetOf(document: Document, path: string): number {
  let at: unknown = document.contents;
  let offset = beginOf(at) ?? 0;
  for (const part of parsePath(path)) {
    if (isAlias(at)) at = at.resolve(document);
    const next = isMap(at)
      ? at.items.find(({ key }) => isScalar(key) && String(key.value) === String(part))
      : isSeq(at) && typeof part === 'number'
        ? at.items[part]
        : undefined;
    if (next === undefined) break;
    offset = beginOf(isPair(next) ? next.key : next) ?? offset;
    at = isPair(next) ? next.value : next;
  }
  return offset;
}

function beginOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
