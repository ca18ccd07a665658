/** Checksums of documents and states. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '#domain/json.ts';

/** Equal for equal values, whatever the order of their keys. */
export function checksumOf(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
