/**
 * `States.Hash` in the parameters of a task. The interpreter hashes the first block of a text only, so that texts which begin
 * alike would have one hash: it passes the text itself on, and the hash is computed here.
 */
import { createHash } from 'node:crypto';
import type { StateDefinition } from './asl-engine.ts';

const hashing = /^States\.Hash\((\$[\w.]*), '(MD5|SHA-1|SHA-256|SHA-384|SHA-512)'\)$/;

/** Field of the parameters, and the algorithm of its hash as Node names it. */
export type HashedFields = ReadonlyMap<string, string>;

/** Fields of a task's parameters that are hashes, and the parameters with the texts in their places. */
export function withTexts({ Parameters }: StateDefinition): {
  readonly Parameters: unknown;
  readonly hashes: HashedFields;
} {
  const hashes = new Map<string, string>();
  if (typeof Parameters !== 'object' || Parameters === null) return { Parameters, hashes };
  const fields = Object.entries(Parameters).map(([field, value]: [string, unknown]) => {
    const [, path, algorithm = ''] = (typeof value === 'string' && hashing.exec(value)) || [];
    if (path === undefined) return [field, value];
    hashes.set(field.replace(/\.\$$/, ''), algorithm.replace('-', '').toLowerCase());
    return [field, path];
  });
  return { Parameters: Object.fromEntries(fields), hashes };
}

/** The input of a task, with hashes in place of the texts. */
export function withHashes(input: unknown, hashes: HashedFields): unknown {
  if (hashes.size === 0 || typeof input !== 'object' || input === null) return input;
  const fields = Object.entries(input).map(([field, value]: [string, unknown]) => {
    const algorithm = hashes.get(field);
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return [field, algorithm === undefined ? value : createHash(algorithm).update(text).digest('hex')];
  });
  return Object.fromEntries(fields);
}
