/** An upgrade of real Kubernetes by a minor version, under requests. */
import { describe, it } from 'vitest';
import { minorBefore, newest } from '#local/kubernetes/versions.ts';
import { proveUntouched } from '../../demo/proofs.ts';
import { realCluster, two } from './real-cluster.ts';

describe('an upgrade of real Kubernetes by a minor version', () => {
  const cluster = realCluster(() => two(minorBefore));

  it('an upgrade by a minor version keeps the application reachable and every machine as it was', async () => {
    await cluster.prove();
    const ids = await cluster.bootIds();
    await cluster.applyUnderRequests(await two(newest));
    proveUntouched(ids, await cluster.bootIds());
    await cluster.prove();
  });
});
