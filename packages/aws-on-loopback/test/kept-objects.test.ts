/** What runs and checks leave on the disk is bounded by bytes, not only by age. */
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../src/logger.ts';
import { openBucket } from '../src/s3/bucket.ts';
import { openS3 } from '../src/s3/s3-listener.ts';
import { temporaryDirectory } from './clients.ts';

describe('objects below a prefix', () => {
  async function filled() {
    const directory = await temporaryDirectory();
    const bucket = await openBucket(join(directory, 'kept', 'objects'), { flush: false });
    for (const key of ['checks/a', 'checks/b', 'checks/c', 'terraform/state'])
      await bucket.commit(key, await bucket.receive(Readable.from([Buffer.alloc(1000)])), { headers: {}, when: {} });
    const s3 = await openS3({ directory, buckets: ['kept'], flush: false, logger: silentLogger });
    const left = async () => [
      ...(await openBucket(join(directory, 'kept', 'objects'), { flush: false })).keysAfter('', ''),
    ];
    return { s3, left };
  }
  const later = new Date(Date.now() + 60_000);

  it('the oldest are removed until the others fit, and nothing of another prefix', async () => {
    const { s3, left } = await filled();
    expect(await s3.trim('kept', 'checks/', { bytes: 1500, before: later })).toBe(2);
    expect(await left()).toEqual(['checks/c', 'terraform/state']);
    expect(await s3.trim('kept', 'checks/', { bytes: 1500, before: later })).toBe(0);
  });

  it('what is young stays, however much it is', async () => {
    const { s3, left } = await filled();
    expect(await s3.trim('kept', 'checks/', { bytes: 0, before: new Date(0) })).toBe(0);
    expect(await left()).toHaveLength(4);
  });
});
