/** An upgrade of real Kubernetes by a minor version, under requests. */
import { describe, it } from 'vitest';
import { proveUntouched } from '../../demo/proofs.ts';
import { realCluster, two } from './real-cluster.ts';

describe('an upgrade of real Kubernetes by a minor version', () => {
  const cluster = realCluster('1.33.4');

  it('an upgrade by a minor version keeps the application reachable and every machine as it was', async () => {
    await cluster.prove();
    const ids = await cluster.bootIds();
    await cluster.applyUnderRequests(two, '1.34.3');
    proveUntouched(ids, await cluster.bootIds());
    await cluster.prove();
  });
});
