/** Machine series of Google's cloud take some kinds of disks and refuse the others. */
import { afterEach, describe, expect, test } from 'vitest';
import { Fleet } from './fleet.ts';
import { fleetState } from './fleet-manifest.ts';
import { type CtyValue, isList, isObject } from './plugin/cty-value.ts';
import { providerCases } from './provider-cases.ts';
import { done, skipsTerraform } from './terraform-workspace.ts';

const gcp = providerCases.filter(({ type }) => type === 'gcp');
const kinds = [
  ['e2-standard-4', 'pd-balanced', 'pd-ssd'],
  ['h3-standard-88', 'pd-balanced', 'pd-balanced'],
  ['c4-standard-4', 'hyperdisk-balanced', 'hyperdisk-balanced'],
  ['c3-standard-192-metal', 'hyperdisk-balanced', 'hyperdisk-balanced'],
  ['a3-ultragpu-8g', 'hyperdisk-balanced', 'hyperdisk-balanced'],
  ['a3-highgpu-8g', 'pd-balanced', 'pd-ssd'],
] as const;

let fleet: Fleet | undefined;
afterEach(async () => {
  await fleet?.stop();
  fleet = undefined;
});

describe.skipIf(skipsTerraform)('disks of gcp', () => {
  test.each(gcp.flatMap((tested) => kinds.map((kind) => [...kind, tested] as const)))(
    'a machine of type %s has a root disk of %s and a storage disk of %s',
    async (serverType, root, storage, tested) => {
      const machines = { ...tested, place: { ...tested.place, serverType } };
      fleet = await Fleet.start(machines);
      fleet.own('home', { tenant: 'one', project: 'first' });
      const pool = { instance: 'home', region: machines.place.regions[0], count: 1 } as const;
      const pools = [
        { ...pool, name: 'control', role: 'control' },
        { ...pool, name: 'work', role: 'compute' },
      ] as const;
      const workspace = await fleet.machines('home', fleetState(machines, { pools }, null));
      await done(workspace.init());
      await done(workspace.apply());

      const of = (type: string) => fleet?.cloud.inventory.filter((object) => object.type === type) ?? [];
      expect(of('google_compute_disk').map(({ values }) => values.type)).toEqual([storage]);
      expect(of('google_compute_instance').map(({ values }) => rootKind(values.boot_disk))).toEqual([root, root]);
    },
    60_000,
  );
});

/** `boot_disk` is a list of one, and so is what its disk is made from. */
const rootKind = (boot: CtyValue | undefined): CtyValue | undefined => {
  const first = (value: CtyValue | undefined) => (isList(value) && isObject(value[0]) ? value[0] : {});
  return first(first(boot).initialize_params).type;
};
