/** Each question that Kubeloom asks a cluster: an honest answer, the reader of it, and the file that reads. */
import { getObjects, objectsOf } from '#runner/documents/objects.ts';
import { refuseStorageInUse } from '#runner/documents/storage-in-use.ts';
import { foreignNodes, metadataItems } from '#runner/drift/node-metadata-items.ts';
import { budgetsThatHold } from '#runner/kubernetes/disruption-budgets.ts';
import { memberOf } from '#runner/kubernetes/etcd-member.ts';
import { Kubectl } from '#runner/kubernetes/kubectl.ts';
import { judgeServingRequests } from '#runner/kubernetes/serving-certificates.ts';
import { refuseLastReplica } from '#runner/kubernetes/stop-replicas.ts';
import type { Command, CommandResult } from '#runner/process.ts';
import { runnerConfig } from '#runner/runner-config.ts';
import type { StageContext } from '#runner/stage-context.ts';
import { twoProviderFacts, twoProviderState } from '#test/rendering/states.ts';

export interface ClusterQuestion {
  readonly name: string;
  /** Paths below the root of the project. */
  readonly readers: readonly string[];
  readonly answer: unknown;
  /** Reads what kubectl printed, and returns what the rest of Kubeloom gets of it. */
  readonly read: (stdout: string) => Promise<unknown>;
  /** Fields of that which are only shown to people, or compared with what is ours: one line, escaped. @default none */
  readonly shown?: readonly string[];
}

/** A kubectl that prints it, whatever it is asked. */
const printing = (stdout: string) =>
  new Kubectl(
    {
      run: async (_: Command): Promise<CommandResult> => ({ code: 0, stdout, stderr: '' }),
      runner: runnerConfig(process.env),
    },
    '/nowhere',
  );
const withLonghorn = (change: object = {}) =>
  ({
    target: twoProviderState(),
    others: [twoProviderState({ storage: 'longhorn' })],
    document: {},
    ...change,
  }) as unknown as StageContext;
const metadata = {
  name: 'control-aaaaaaa-01',
  resourceVersion: '5',
  labels: { 'kubeloom.dev/upgrade-lock': 'yes' },
  annotations: { note: 'x' },
  creationTimestamp: '2026-11-01T00:00:00Z',
};

export const clusterQuestions: readonly ClusterQuestion[] = [
  {
    name: 'nodes',
    shown: ['providerId'],
    readers: ['runner-images/runner/kubernetes/kubectl.ts'],
    answer: {
      items: [
        {
          metadata,
          spec: {
            providerID: 'kubeloom://control-aaaaaaa-01',
            taints: [{ key: 'a', value: 'b', effect: 'NoSchedule', timeAdded: '2026-11-01T00:00:00Z' }],
          },
          status: {
            conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-11-01T00:00:00Z' }],
            nodeInfo: { kubeletVersion: 'v1.34.2', bootID: '0b5c8a52-6a3e-4a3b-9d2e-0f4a2b8c7d61' },
          },
        },
      ],
    },
    // Annotations are compared, and go nowhere.
    read: async (stdout) => {
      const nodes = await printing(stdout).nodes();
      const found = [...nodes].map(([name, { annotations, ...node }]) => [name, node, Object.keys(annotations)]);
      const items = [...nodes.values()].flatMap((node) => metadataItems(twoProviderState(), node));
      return [found, items, foreignNodes(twoProviderState(), nodes)];
    },
  },
  {
    name: 'members of etcd',
    readers: ['runner-images/runner/kubernetes/etcd-member.ts'],
    answer: { members: [{ ID: 'a1b2', name: 'control-aaaaaaa-01' }] },
    read: async (stdout) => memberOf(stdout, 'control-aaaaaaa-01'),
  },
  {
    name: 'requests for certificates',
    shown: ['username', 'groups', 'usages', 'signer', 'because'],
    readers: [
      'functions/domain/certificates/serving-requests.ts',
      'runner-images/runner/kubernetes/serving-certificates.ts',
    ],
    answer: {
      items: [
        {
          metadata: { name: 'csr-abcde' },
          spec: {
            signerName: 'kubernetes.io/kubelet-serving',
            username: 'system:node:control-aaaaaaa-01',
            groups: ['system:nodes'],
            usages: ['digital signature', 'server auth'],
            request: 'LS0t',
          },
          status: { conditions: [] },
        },
      ],
    },
    read: async (stdout) => judgeServingRequests(printing(stdout), twoProviderState(), twoProviderFacts),
  },
  {
    name: 'replicas of Longhorn',
    readers: ['runner-images/runner/kubernetes/stop-replicas.ts'],
    answer: {
      items: [
        {
          spec: {
            volumeName: 'pvc-1',
            nodeID: 'workers-bbbbbbb-01',
            healthyAt: '2026-11-01T00:00:00Z',
            failedAt: '',
          },
        },
      ],
    },
    read: (stdout) => refuseLastReplica(withLonghorn(), printing(stdout), 'workers-bbbbbbb-01'),
  },
  {
    name: 'volumes',
    readers: ['runner-images/runner/documents/storage-in-use.ts'],
    answer: {
      items: [
        {
          metadata: { name: 'pvc-1' },
          spec: { csi: { driver: 'driver.longhorn.io' }, claimRef: { namespace: 'shop', name: 'db' } },
        },
      ],
    },
    read: (stdout) => refuseStorageInUse(withLonghorn(), printing(stdout)),
  },
  {
    name: 'disruption budgets',
    readers: ['runner-images/runner/kubernetes/disruption-budgets.ts'],
    answer: { items: [{ metadata: { name: 'db', namespace: 'shop' }, status: { disruptionsAllowed: 0 } }] },
    read: (stdout) =>
      budgetsThatHold(
        printing(stdout),
        `error when evicting pods/"db-0" -n "shop" (will retry after 5s): Cannot evict pod as it would violate the pod's disruption budget.`,
      ),
  },
  {
    name: 'objects',
    readers: ['runner-images/runner/documents/objects.ts', 'runner-images/runner/documents/live-objects.ts'],
    answer: {
      kind: 'List',
      items: [
        {
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'CustomResourceDefinition',
          metadata: {
            name: 'gardens.demo.example',
            namespace: 'x',
            labels: { a: 'b' },
            annotations: { 'kubeloom.dev/release': 'core@v1.0.0' },
          },
          spec: { replicas: 1, versions: [{ name: 'v1', served: true, storage: true }] },
          status: { storedVersions: ['v1'], conditions: [{ type: 'Established', status: 'True' }] },
        },
      ],
    },
    read: async (stdout) => [
      objectsOf(stdout),
      await getObjects(printing(stdout), [{ apiVersion: 'v1', kind: 'Pod', name: 'x' }]),
    ],
  },
];
