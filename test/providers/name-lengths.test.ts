/** Machines have names of up to 63 characters. Volumes named after them stay within 64: whether Hetzner takes more is not documented. */
import { afterEach, expect, test } from 'vitest';
import { Fleet } from './fleet.ts';
import { fleetState } from './fleet-manifest.ts';
import { providerCases } from './provider-cases.ts';
import { done, skipsTerraform } from './terraform-workspace.ts';

const kinds: Readonly<Record<string, { machine: string; volume: string; name: string }>> = {
  hetzner: { machine: 'hcloud_server', volume: 'hcloud_volume', name: 'name' },
  oci: { machine: 'oci_core_instance', volume: 'oci_core_volume', name: 'display_name' },
};

let fleet: Fleet | undefined;
afterEach(async () => {
  await fleet?.stop();
  fleet = undefined;
});

test.skipIf(skipsTerraform).each(providerCases.filter(({ type }) => kinds[type]))(
  '$type: the name of a volume is one character longer than that of its machine',
  async (tested) => {
    const kind = kinds[tested.type];
    fleet = await Fleet.start(tested);
    fleet.own('home', { tenant: 'one', project: 'first' });
    const pool = { instance: 'home', region: tested.place.regions[0], count: 1 } as const;
    const pools = [
      { ...pool, name: 'control', role: 'control' as const },
      { ...pool, name: 'work', role: 'compute' as const },
    ];
    const workspace = await fleet.machines('home', fleetState(tested, { pools, roles: [] }, null));
    await done(workspace.init());
    await done(workspace.apply());
    const namesOf = (type: string | undefined): string[] =>
      (fleet?.cloud.inventory ?? [])
        .filter((object) => object.type === type)
        .map(({ values }) => String((values as Readonly<Record<string, unknown>>)[kind?.name ?? '']));
    const machines = namesOf(kind?.machine);
    const volumes = namesOf(kind?.volume);
    expect(volumes).toHaveLength(1);
    expect(volumes.filter((volume) => !machines.includes(volume.slice(0, -1)))).toEqual([]);
  },
  120_000,
);
