/** The manifests of one and two Azure subscriptions, one after the other, with a version that can be built. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { azureFolder } from '#test/manifest/manifest-files.ts';
import { keyOf, type SimulatedWorld } from './simulated-world.ts';

export interface Seed {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly nodePools: { readonly dynamic: readonly { readonly name: string; readonly [field: string]: unknown }[] };
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

export type SeedName = 'single-subscription' | 'two-subscriptions' | 'working';

/** Reads one; the manifest is called `name`. */
export function seed(file: SeedName, name: string): Seed {
  const text = readFileSync(join(azureFolder, `${file}.yaml`), 'utf8').replaceAll('v1.26.0', 'v1.36.0');
  const document = parse(text) as Seed;
  return { ...document, metadata: { ...document.metadata, name } };
}

export const seedKey = (name: string) => keyOf(seed('working', name));

/** Stores what the seeds name, with fields as the clouds want them. */
export async function storeSeedSecrets({ api, secrets }: SimulatedWorld): Promise<void> {
  const namespace = 'azure-keys';
  const azure = { subscriptionid: 'made-up', tenantid: 'made-up', clientid: 'made-up', clientsecret: 'made-up' };
  const all = {
    'cloudflare-secret': { apitoken: 'made-up', accountid: 'made-up' },
    'azure-secret-1': azure,
    'azure-secret-2': azure,
  };
  for (const [name, stringData] of Object.entries(all)) {
    if (secrets.has(`${namespace}/${name}`)) continue;
    secrets.add(`${namespace}/${name}`);
    await api.putSecret(
      { namespace, name },
      { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name }, stringData },
    );
  }
}
