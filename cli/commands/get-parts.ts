/** `kubeloom get clusters|pools|nodes [MANIFEST...]`: what manifests have, one row each. */
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import type { CliClient, ManifestName } from '../connection/api-client.ts';
import { ofEach } from '../find/find-manifest.ts';
import { paintedTable, paintStatus } from '../print/output.ts';

/** One row: the fields of `--json`, by the titles of the table. */
type Part = Readonly<Record<string, string | number | null>>;

interface Kind {
  rows(manifest: ManifestDescription): readonly Part[];
  /** Columns that a narrow terminal loses, the first one first. */
  readonly drop: readonly string[];
  readonly missing: string;
}

const kinds: Readonly<Record<string, Kind>> = {
  clusters: { rows: clusterRows, drop: ['network', 'apiEndpoint', 'namespace'], missing: 'no clusters' },
  pools: { rows: poolRows, drop: ['serverType', 'region', 'namespace'], missing: 'no node pools' },
  nodes: { rows: nodeRows, drop: ['serverType', 'privateAddress', 'region', 'pool', 'namespace'], missing: 'no nodes' },
};

export const partKinds: readonly string[] = Object.keys(kinds);

export async function manifestParts(
  api: CliClient,
  kind: string,
  manifests: readonly ManifestName[],
): Promise<readonly Part[]> {
  const rows = kinds[kind]?.rows ?? (() => []);
  return (await ofEach(manifests, api.getManifest)).flatMap(rows);
}

/** Lines of the table. */
export function partTable(kind: string, parts: readonly Part[], wide: boolean): readonly string[] {
  const { drop = [], missing = '' } = kinds[kind] ?? {};
  const [first] = parts;
  if (first === undefined) return [missing];
  return paintedTable(
    Object.keys(first).map(titleOf),
    parts.map((part) => Object.entries(part).map(([field, value]) => cellOf(field, value))),
    wide ? { width: Number.POSITIVE_INFINITY } : { drop: drop.map(titleOf) },
  );
}

/** `apiEndpoint` → `API ENDPOINT`. */
const titleOf = (field: string): string => field.replace(/[A-Z]/g, (letter) => ` ${letter}`).toUpperCase();

const cellOf = (field: string, value: Part[string]): string =>
  value === null || value === '' ? '-' : field === 'status' ? paintStatus(String(value)) : String(value);

function clusterRows({ namespace, name: manifest, clusters }: ManifestDescription): readonly Part[] {
  return clusters.map(({ name, status, kubernetesVersion, nodes, network, apiEndpoint }) => ({
    namespace,
    manifest,
    name,
    status,
    kubernetes: kubernetesVersion,
    nodes: nodes.length,
    network,
    apiEndpoint,
  }));
}

function nodeRows({ namespace, name: manifest, clusters }: ManifestDescription): readonly Part[] {
  return clusters.flatMap((cluster) =>
    cluster.nodes.map(({ name, status, role, pool, provider, region, serverType, publicAddress, privateAddress }) => ({
      namespace,
      manifest,
      cluster: cluster.name,
      name,
      status,
      role,
      pool,
      provider,
      region: region ?? null,
      serverType: serverType ?? null,
      address: publicAddress ?? null,
      privateAddress,
    })),
  );
}

function poolRows({ namespace, name: manifest, clusters }: ManifestDescription): readonly Part[] {
  return clusters.flatMap((cluster) =>
    [...Map.groupBy(cluster.nodes, ({ pool }) => pool)].flatMap(([name, nodes]) => {
      const [first] = nodes;
      if (first === undefined) return [];
      const ready = nodes.filter(({ status }) => status === 'Ready').length;
      return [
        {
          namespace,
          manifest,
          cluster: cluster.name,
          name,
          role: first.role,
          ready: `${ready}/${nodes.length}`,
          provider: first.provider,
          region: first.region ?? null,
          serverType: first.serverType ?? null,
        },
      ];
    }),
  );
}
