/** Where machines of a pool that names no zone stand: in zones for anything, in turn, and where their disks are. */
import { afterEach, describe, expect, test } from 'vitest';
import { Fleet } from './fleet.ts';
import { fleetState } from './fleet-manifest.ts';
import type { CloudObject, SimulatedCloud } from './plugin/simulated-cloud.ts';
import { providerCases } from './provider-cases.ts';
import { done, skipsTerraform } from './terraform-workspace.ts';

/** Clouds whose disks belong to a zone, and what they call things. */
const zonalClouds = {
  aws: {
    machine: 'aws_instance',
    disk: 'aws_ebs_volume',
    link: 'aws_volume_attachment',
    linked: ['instance_id', 'volume_id'],
  },
  gcp: {
    machine: 'google_compute_instance',
    disk: 'google_compute_disk',
    link: 'google_compute_attached_disk',
    linked: ['instance', 'disk'],
  },
} as const;
const zonal = providerCases.flatMap((tested) =>
  tested.type === 'aws' || tested.type === 'gcp' ? [{ ...tested, words: zonalClouds[tested.type] }] : [],
);

let fleet: Fleet | undefined;
afterEach(async () => {
  await fleet?.stop();
  fleet = undefined;
});

describe.skipIf(skipsTerraform)('machines of a pool without a zone', () => {
  test.each(zonal)(
    '$type: machines are spread over zones, and stay with their disks when the region gets a new zone',
    async (tested) => {
      const { machine, disk, link, linked } = tested.words;
      fleet = await Fleet.start(tested);
      fleet.own('home', { tenant: 'one', project: 'first' });
      const { cloud } = fleet;
      const region = tested.place.regions[1];
      const pool = { instance: 'home', region, count: 3 } as const;
      const pools = [
        { ...pool, name: 'control', role: 'control' },
        { ...pool, name: 'work', role: 'compute' },
      ] as const;
      const workspace = await fleet.machines('home', fleetState(tested, { pools }, null));
      await done(workspace.init());
      await done(workspace.apply());
      const dash = tested.type === 'gcp' ? '-' : '';
      expect(zonesOf(cloud, machine)).toEqual(['a', 'a', 'b', 'b', 'c', 'c'].map((zone) => region + dash + zone));

      // As spot machines go, with what held their disks.
      for (const { key, type } of cloud.inventory) if (type === machine || type === link) cloud.lose(key);
      cloud.zones = ['a', 'b', 'c', 'd'];
      await done(workspace.apply());

      expect(zonesOf(cloud, disk)).toEqual(['a', 'b', 'c'].map((zone) => region + dash + zone));
      const together = cloud.inventory
        .filter(({ type }) => type === link)
        .map(({ values }) => linked.map((end) => zoneOf(cloud, find(cloud, values[end]))));
      expect(together.length).toBe(3);
      expect(together.filter(([one, other]) => one !== other)).toEqual([]);
    },
    120_000,
  );
});

const zonesOf = (cloud: SimulatedCloud, type: string): readonly string[] =>
  cloud.inventory
    .filter((object) => object.type === type)
    .map((object) => zoneOf(cloud, object))
    .sort();

/** A machine of AWS is where its subnet is. */
function zoneOf(cloud: SimulatedCloud, { values }: CloudObject): string {
  if (typeof values.subnet_id === 'string') return zoneOf(cloud, find(cloud, values.subnet_id));
  return String(values.zone ?? values.availability_zone);
}

function find(cloud: SimulatedCloud, id: unknown): CloudObject {
  const found = cloud.inventory.find(({ values }) => values.id === id);
  if (found === undefined) throw new Error(`The cloud has nothing with the id ${String(id)}.`);
  return found;
}
