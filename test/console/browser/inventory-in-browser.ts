/** The inventory of the examples on a platform, and a change of it. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { type ConsoleInBrowser, ended } from './console-in-browser.ts';

const examples = fileURLToPath(new URL('../../../examples/inventory', import.meta.url));

interface InventoryDocument {
  readonly kind: 'InventoryLayer' | 'InventoryOrder' | 'InventoryTemplate' | 'InventoryCluster';
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: { readonly version?: number };
}

/** Stores all of them, and waits for the clusters. */
export async function storeInventory({ api }: Pick<ConsoleInBrowser, 'api'>): Promise<void> {
  for (const file of (await readdir(examples)).sort()) {
    const text = await readFile(join(examples, file), 'utf8');
    for (const one of parseAllDocuments(text)) {
      const document = one.toJS() as InventoryDocument;
      const { kind, metadata, spec } = document;
      const name = spec.version === undefined ? metadata.name : `${metadata.name}@${spec.version}`;
      await api.putInventory({ namespace: metadata.namespace, kind, name }, document);
      if (kind === 'InventoryCluster') await ended(api, metadata);
    }
  }
}

/** A label that all clusters of the environment `prod` get. */
export const changedLayer = (label: string): string =>
  [
    ...['apiVersion: kubeloom.dev/v1', 'kind: InventoryLayer', 'metadata: { name: prod, namespace: fleet }'],
    ...['spec:', '  level: environment', '  values:', '    kubernetes: { version: 1.35.2 }'],
    ...['    pools:', '      control: { role: control, count: 3 }', '      web: { role: compute, count: 2 }'],
    `    labels: { environment: prod, change: ${label} }`,
  ].join('\n');

/** Cluster by cluster, each watched for half a day; until the first is. */
export async function startRollOut({ platform }: Pick<ConsoleInBrowser, 'platform'>, layer: string): Promise<void> {
  const { apiUrl, token } = platform;
  const place = `${apiUrl}/v1/inventory/fleet/rollouts`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/yaml' };
  const answer = await fetch(`${place}?waves=1,100%25&soak=12h`, { method: 'POST', headers, body: layer });
  const { id } = (await answer.json()) as { readonly id?: string };
  if (id === undefined) throw new Error(`the roll-out was refused with ${answer.status}`);
  for (;;) {
    const { soakUntil } = (await (await fetch(`${place}/${id}`, { headers })).json()) as { soakUntil: string | null };
    if (soakUntil !== null) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
