/** Checksums of documents and states. */
import { createHash } from 'node:crypto';

/** Equal for equal values, whatever the order of their keys. */
export function checksumOf(value: unknown): string {
  const canonical = JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)))
      : inner,
  );
  return createHash('sha256').update(canonical).digest('hex');
}
