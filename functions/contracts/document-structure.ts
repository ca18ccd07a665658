/** What a YAML document may not have although it is YAML (double keys, keys that are no text, depth), and its lines. */
import { type Document, isAlias, isMap, isNode, isPair, isScalar, isSeq, type LineCounter } from 'yaml';
import { parsePath } from '#domain/manifest/fault.ts';

export interface TextFault {
  readonly reason: string;
  readonly fix: string;
  /** Place in the text. */
  readonly offset?: number | undefined;
}

/** Keys that stand twice, keys that are lists or maps, and too great a depth. */
export function structureFaults(document: Document, maxDepth: number): TextFault[] {
  const faults: TextFault[] = [];
  const open: { node: unknown; depth: number }[] = [{ node: document.contents, depth: 1 }];
  while (open.length > 0) {
    const { node, depth } = open.pop() ?? { node: undefined, depth: 0 };
    if (!isMap(node) && !isSeq(node)) continue;
    if (depth > maxDepth) {
      const fix = 'no document needs that: flatten it';
      return [{ reason: `lists and maps are more than ${maxDepth} deep here`, fix, offset: node.range?.[0] }];
    }
    if (isMap(node)) faults.push(...keyFaults(node.items.map(({ key }) => key)));
    for (const item of node.items) open.push({ node: isPair(item) ? item.value : item, depth: depth + 1 });
  }
  return faults.sort((left, right) => (left.offset ?? 0) - (right.offset ?? 0));
}

function keyFaults(keys: readonly unknown[]): TextFault[] {
  const seen = new Set<string>();
  return keys.flatMap((key) => {
    if (!isScalar(key)) {
      const reason = isAlias(key) ? 'an alias cannot be a key' : 'a list or map cannot be a key';
      return [{ reason, fix: 'use text as key', offset: offsetOf(key) }];
    }
    const name = typeof key.value === 'symbol' ? '<<' : String(key.value);
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    const reason = `the key "${name.slice(0, 60)}" stands twice in the same map`;
    return [{ reason, fix: 'remove one of the two', offset: offsetOf(key) }];
  });
}

/** The line at which a path stands in the text, counted from 1; for what does not exist, that of the part around it. */
export function lineOf(document: Document, counter: LineCounter, path: string): number {
  let at: unknown = document.contents;
  let offset = offsetOf(at) ?? 0;
  for (const part of parsePath(path)) {
    if (isAlias(at)) at = at.resolve(document);
    const next = isMap(at)
      ? at.items.find(({ key }) => isScalar(key) && String(key.value) === String(part))
      : isSeq(at) && typeof part === 'number'
        ? at.items[part]
        : undefined;
    if (next === undefined) break;
    offset = offsetOf(isPair(next) ? next.key : next) ?? offset;
    at = isPair(next) ? next.value : next;
  }
  return counter.linePos(offset).line;
}

function offsetOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
