/** The price expander of the cluster-autoscaler asks the agent what nodes and pods cost. */
import { status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { clientOf } from './autoscaler-client.ts';
import { aPool, pools } from './pools.ts';

describe('what the price expander asks', () => {
  const quantities = (cpu: string, memory: string) => ({ cpu: { string: cpu }, memory: { string: memory } });
  const podOf = (...requests: readonly object[]) => ({
    spec: { containers: requests.map((one) => ({ resources: { requests: one } })) },
  });
  const priced = (pool: string, over: Partial<ReturnType<typeof aPool>>) =>
    aPool({ pool, template: { ...aPool().template, capacity: { cpu: '4', memory: '8Gi' } }, ...over });
  const cloud = priced('cloud', { monthlyPrice: 40 });
  const nodeOf = (pool: string) => ({ name: `template-node-for-${pool}-123`, labels: { 'claudie.io/nodepool': pool } });

  it.each([
    ['the price of its pool', 'cloud', 40],
    ['nothing where its pool costs nothing', 'home', 0],
    ['more than all others where its price is not known', 'dark', 1_000_000_000],
  ])('a node costs %s', async (_, pool, price) => {
    const call = await clientOf(pools(cloud, priced('home', { monthlyPrice: 0 }), priced('dark', {})));
    expect(await call('PricingNodePrice', { node: nodeOf(pool) })).toEqual({ price });
  });

  it('a node of no pool has no price', async () => {
    const call = await clientOf(pools(cloud));
    const stranger = { name: 'control-01', labels: {} };
    await expect(call('PricingNodePrice', { node: stranger })).rejects.toMatchObject({ code: status.NOT_FOUND });
  });

  it.each([
    ['half of the CPUs', podOf(quantities('2', '1Gi')), 0.2],
    ['all of the memory', podOf(quantities('1000m', '4Gi'), quantities('0.1', '4294967296')), 0.4],
    ['nothing', podOf({}), 0],
    ['what is not a quantity', podOf(quantities('-1', 'x'.repeat(1000))), 0],
  ])('a pod that requests %s costs a hundredth of that share of the cheapest machine', async (_, pod, price) => {
    const call = await clientOf(
      pools(priced('dear', { monthlyPrice: 90 }), cloud, priced('home', { monthlyPrice: 0 })),
    );
    expect((await call('PricingPodPrice', { podBytes: pod })).price).toBeCloseTo(price, 10);
    expect((await call('PricingPodPrice', { pod })).price, 'as up to 1.33').toBeCloseTo(price, 10);
  });

  it('a pod costs something also where no pool does: the autoscaler divides by it', async () => {
    const call = await clientOf(pools(priced('home', { monthlyPrice: 0 })));
    expect((await call('PricingPodPrice', { podBytes: podOf(quantities('500m', '500Mi')) })).price).toBeCloseTo(
      0.005,
      5,
    );
  });
});
