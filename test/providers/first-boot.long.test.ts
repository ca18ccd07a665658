/** The script of the first boot reaches each machine with the machine's own name in it, in whatever form its cloud wants. */
import { afterEach, describe, expect, test } from 'vitest';
import { nodePlaceholder, renderFirstBoot } from '#rendering/first-boot.ts';
import { sampled } from '#test/sampled.ts';
import { Fleet } from './fleet.ts';
import { fleetState } from './fleet-manifest.ts';
import { providerCases } from './provider-cases.ts';
import { done, skipsTerraform } from './terraform-workspace.ts';

const machineCases = providerCases.filter(({ nodes }) => nodes);
const [opening = ''] = renderFirstBoot({ clusterId: 'c', publicKey: 'ssh-ed25519 AAAA' }).split('\n');

let fleet: Fleet | undefined;
afterEach(async () => {
  await fleet?.stop();
  fleet = undefined;
});

describe.skipIf(skipsTerraform)('first boot', () => {
  test.each(sampled(machineCases, { oneOf: 3, from: 1 }))(
    '$type: each machine gets the name of its node',
    async (tested) => {
      fleet = await Fleet.start(tested);
      fleet.own('home', { tenant: 'one', project: 'first' });
      const [region] = tested.place.regions;
      const pools = [
        { name: 'control', role: 'control', instance: 'home', region, count: 1 },
        { name: 'work', role: 'compute', instance: 'home', region, count: 2 },
      ] as const;
      const state = fleetState(tested, { pools, roles: [] }, null);
      const workspace = await fleet.machines('home', state);
      await done(workspace.init());
      await done(workspace.apply());

      const scripts = fleet.cloud.inventory.flatMap(({ values }) => textsOf(values)).filter(isScript);
      const names = state.pools.flatMap(({ nodes }) => nodes.map(({ name }) => name));
      expect(scripts.filter((script) => script.includes(nodePlaceholder))).toEqual([]);
      for (const name of names)
        expect(scripts.filter((script) => script.includes(`'${name}'`)).length).toBeGreaterThan(0);
    },
    120_000,
  );
});

const isScript = (text: string): boolean => text.startsWith(opening) && text.includes('authorized_keys');

/** All texts of a resource, those in base64 also as what they mean. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value, Buffer.from(value, 'base64').toString()];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}
