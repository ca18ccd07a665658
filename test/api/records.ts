/** Records of a manifest at work, for tests of what is reported about it. */
import type { ClusterRecord, ManifestRecord, RunRecord } from '#contracts/records.ts';
import type { ClusterState, NodePoolState } from '#domain/cluster-state.ts';
import { aManifest, key } from './documents.ts';

export const runId = 'shop-abcde-g1-a1';
const noon = '2026-11-20T12:00:00.000Z';

export function aRecord(change: Partial<ManifestRecord> = {}): ManifestRecord {
  return {
    ...key,
    uid: 'abcde',
    generation: 1,
    attempt: 1,
    document: aManifest(),
    checksum: 'c',
    deleting: false,
    status: 'Running',
    runId,
    lease: null,
    fence: 1,
    createdAt: noon,
    updatedAt: noon,
    ...change,
  };
}

export function aRun(change: Partial<RunRecord> = {}): RunRecord {
  const { namespace, name: manifest } = key;
  return {
    namespace,
    manifest,
    runId,
    generation: 1,
    attempt: 1,
    reason: 'created',
    status: 'Running',
    queuedAt: noon,
    clusters: {},
    ...change,
  };
}

function aPool(name: string, role: NodePoolState['role'], nodes: readonly string[]): NodePoolState {
  return {
    id: `${name}-1234567`,
    name,
    role,
    source: {
      kind: 'dynamic',
      provider: { name: 'sim-1', type: 'sim', templates: 'builtin@1' },
      region: 'anywhere',
      serverType: 'small',
      image: 'linux',
      storageDiskSize: 50,
      spot: false,
      subnet: '10.0.0.0/24',
    },
    sshPort: 22,
    labels: {},
    annotations: {},
    taints: [],
    nodes: nodes.map((node, at) => ({ name: node, privateAddress: `192.168.2.${at + 1}` })),
  };
}

export function aState(computeNodes: readonly string[]): ClusterState {
  return {
    id: 'web-1234567',
    name: 'web',
    kubernetesVersion: '1.35.0',
    network: '192.168.2.0/24',
    apiEndpoint: { kind: 'loadBalancer', loadBalancer: 'front' },
    installationProxy: { enabled: false, endpoint: '', noProxy: [] },
    pools: [aPool('control', 'control', ['control-00']), aPool('compute', 'compute', computeNodes)],
    loadBalancers: [
      {
        id: 'front-1234567',
        name: 'front',
        roles: [
          {
            name: 'api',
            protocol: 'tcp',
            port: 6443,
            targetPort: 6443,
            targetPools: ['control'],
            proxyProtocol: false,
            stickySessions: false,
            servesApi: true,
          },
        ],
        dns: {
          zone: 'example.com',
          provider: { name: 'sim-1', type: 'sim', templates: 'builtin@1' },
          hostname: 'web',
          alternativeNames: [],
        },
        pools: [aPool('edge', 'loadBalancer', ['edge-00'])],
      },
    ],
  };
}

export function aClusterRecord(change: Partial<ClusterRecord> = {}): ClusterRecord {
  const { namespace, name: manifest } = key;
  return {
    namespace,
    manifest,
    cluster: 'web-1234567',
    version: 1,
    fence: 1,
    status: 'Running',
    current: null,
    attempted: null,
    facts: { nodes: {}, loadBalancers: {}, simulated: [] },
    progress: null,
    failure: null,
    waypointPrefix: null,
    backOffs: 0,
    ...change,
  };
}

export function someProgress(step: number, steps: number): NonNullable<ClusterRecord['progress']> {
  const times = { startedAt: noon, updatedAt: noon };
  return { runId, direction: 'grow', waypoint: 1, waypoints: 1, stage: 'kubernetes', step, steps, ...times, nodes: [] };
}
