/** Google Cloud: the machine types for which Karpenter knows a price, by region; their size is in their name and their series. Zones as gcloud lists them. */
import { z } from 'zod';
import { factsFrom, rowOf, type TypeRow, zonesRow } from '#domain/catalogue/catalogue-rows.ts';
import type { CatalogueSource } from '../catalogue-source.ts';

const Prices = z.object({ prices: z.record(z.string(), z.object({ on_demand: z.record(z.string(), z.number()) })) });
const Machines = z.object({ instances: z.array(z.object({ id: z.string(), vcpu: z.number(), ram_gb: z.number() })) });

export const catalogue: CatalogueSource = async ({ file }) => {
  const prices = await file('cloudpilot-ai/karpenter-provider-gcp', 'pkg/providers/pricing/initial-prices.json');
  const machines = await file('mixxor/eu-cloud-prices', 'prices/gcp.json');
  const listed = await file('yolabingo/django-cloud-provider-zones', 'region_data/gcp_unprocessed.json');
  const sold = Object.entries(Prices.parse(JSON.parse(prices.text)).prices);
  const regions = factsFrom(
    prices,
    'regions with prices of machines',
    sold.map(([region]) => region),
  );
  const names = new Set(sold.flatMap(([, { on_demand: types }]) => Object.keys(types)));
  const sizes = sizesBySeries(Machines.parse(JSON.parse(machines.text)).instances);
  const rows = [...names].map((name) => {
    const soldIn = new Set(sold.filter(([, { on_demand: types }]) => name in types).map(([region]) => region));
    return rowOf({ ...gcpType(name, sizes), soldIn }, regions.rows);
  });
  const types = factsFrom(prices, 'machine types with a price', rows);
  const zones = factsFrom(listed, 'zones that gcloud lists', gcpZones(listed.text));
  return { regions, zones, serverTypes: { ...types, source: `${types.source}, with memory as in ${machines.origin}` } };
};

const Listed = z.array(z.object({ name: z.string(), zones: z.array(z.string()) }));

/** Rows of regions; zones are links that end with their names. */
export function gcpZones(json: string): readonly string[] {
  return Listed.parse(JSON.parse(json)).map(({ name, zones }) =>
    zonesRow(
      name,
      zones.map((link) => link.slice(link.lastIndexOf('/') + 1)),
    ),
  );
}

/** GB of memory for each processor, for series in which that is the same for all. */
function sizesBySeries(machines: readonly { id: string; vcpu: number; ram_gb: number }[]): ReadonlyMap<string, number> {
  const ratios = new Map<string, Set<number>>();
  for (const { id, vcpu, ram_gb: memory } of machines) {
    const series = id.slice(0, id.lastIndexOf('-'));
    ratios.set(series, new Set([...(ratios.get(series) ?? []), Math.round((memory / vcpu) * 100) / 100]));
  }
  return new Map(
    [...ratios].flatMap(([series, [ratio = 0, ...others]]) => (others.length > 0 ? [] : [[series, ratio]])),
  );
}

/** `c4a-standard-8-lssd`: 8 processors of the series c4a, which is Arm. */
export function gcpType(name: string, sizes: ReadonlyMap<string, number>): TypeRow {
  const [family = '', kind = '', count = ''] = name.split('-');
  const gpus = /^(\d+)g$/.exec(count)?.[1];
  const cpus = /^\d+$/.test(count) ? Number(count) : undefined;
  const ratio = sizes.get(`${family}-${kind}`);
  return {
    name,
    cpus,
    memory: cpus === undefined || ratio === undefined ? undefined : cpus * ratio,
    arm: /^(?:t2a|c4a|n4a|a4x)$/.test(family),
    gpus: gpus === undefined ? 0 : Number(gpus),
  };
}
