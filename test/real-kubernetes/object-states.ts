/** Every state of an object: how it comes into it, and how those who wait for it see it then. */
import { expect } from 'vitest';
import type { Health } from './kstatus.ts';
import { type OperatorWorld, simManifest } from './operator-world.ts';

const kind = 'inputmanifests.kubeloom.dev';

export interface SeenState {
  /** `kubectl wait --for=condition=Ready` is met. */
  readonly wait: boolean;
  readonly kstatus: Health['kstatus'];
  readonly argo: Health['argo'];
  /** Which of `Ready`, `Reconciling` and `Stalled` is true, and why. */
  readonly reported: string;
}

export interface ObjectState {
  readonly title: string;
  readonly reach: (name: string) => Promise<void>;
  readonly seen: SeenState;
}

export const inProgress = { wait: false, kstatus: 'InProgress', argo: 'Progressing' } as const;
const failed = { wait: false, kstatus: 'Failed', argo: 'Degraded' } as const;
const waiting = { wait: false, kstatus: 'InProgress', argo: 'Suspended' } as const;

const key = (name: string) => ({ namespace: 'default', name });

export const changedManifest = (name: string, change: object = {}) => {
  const manifest = simManifest(name);
  return { ...manifest, spec: { ...manifest.spec, ...change } };
};
/** A version that no KubeOne builds. */
export const refusedManifest = (name: string) => {
  const manifest = simManifest(name);
  const [cluster] = manifest.spec.kubernetes.clusters;
  return { ...manifest, spec: { ...manifest.spec, kubernetes: { clusters: [{ ...cluster, version: '1.26.0' }] } } };
};

export async function untilCondition(world: OperatorWorld, name: string, type: string, wanted: string): Promise<void> {
  await world.until(`${name}: ${type} is ${wanted}`, async () => (await world.condition(name, type)) === wanted);
}

/** Done, and nothing is left to do. */
export async function convergedObject(world: OperatorWorld, name: string): Promise<void> {
  await world.apply(changedManifest(name));
  await untilCondition(world, name, 'Ready', 'True Done');
}

/** `world`: only once a state is reached. */
export function objectStates(worldOf: () => OperatorWorld): readonly ObjectState[] {
  const until = (name: string, type: string, wanted: string) => untilCondition(worldOf(), name, type, wanted);
  const converged = (name: string) => convergedObject(worldOf(), name);
  return [
    {
      title: 'accepted and running',
      reach: async (name) => {
        worldOf().platform.stageMs(60_000);
        await worldOf().apply(changedManifest(name));
        await until(name, 'Reconciling', 'True Running');
      },
      seen: { ...inProgress, reported: 'Reconciling Running' },
    },
    {
      title: 'converged',
      reach: (name) => converged(name),
      seen: { wait: true, kstatus: 'Current', argo: 'Healthy', reported: 'Ready Done' },
    },
    {
      title: 'degraded: a new pool is held',
      reach: async (name) => {
        worldOf().platform.faults({
          stage: 'infrastructure',
          provider: 'sim-2',
          class: 'quota',
          times: 1000,
          manifest: name,
        });
        const { spec } = simManifest(name);
        const [cluster] = spec.kubernetes.clusters;
        const held = {
          ...spec.nodePools.dynamic[1],
          name: 'held',
          providerSpec: { name: 'sim-2', region: 'anywhere' },
        };
        await worldOf().apply(
          changedManifest(name, {
            providers: [...spec.providers, { name: 'sim-2', providerType: 'sim' }],
            nodePools: { dynamic: [...spec.nodePools.dynamic, held] },
            kubernetes: { clusters: [{ ...cluster, pools: { control: ['control'], compute: ['compute', 'held'] } }] },
          }),
        );
        await until(name, 'Degraded', 'True PoolsHeld');
        await until(name, 'Stalled', 'True Failed');
      },
      seen: { ...failed, reported: 'Stalled Failed' },
    },
    {
      title: 'refused at first',
      reach: async (name) => {
        await worldOf().apply(refusedManifest(name));
        await until(name, 'Accepted', 'False InvalidManifest');
      },
      seen: { ...failed, reported: 'Stalled NotAccepted' },
    },
    {
      title: 'refused after one that was accepted',
      reach: async (name) => {
        await converged(name);
        await worldOf().apply(refusedManifest(name));
        await until(name, 'Accepted', 'False InvalidManifest');
      },
      seen: { ...failed, reported: 'Stalled NotAccepted' },
    },
    {
      title: 'refused while the one before it runs',
      reach: async (name) => {
        worldOf().platform.stageMs(60_000);
        await worldOf().apply(changedManifest(name));
        await until(name, 'Reconciling', 'True Running');
        await worldOf().apply(refusedManifest(name));
        await until(name, 'Accepted', 'False InvalidManifest');
        expect(await worldOf().condition(name, 'Progressing')).toBe('True Running');
      },
      seen: { ...failed, reported: 'Stalled NotAccepted' },
    },
    {
      title: 'accepted again after a refusal',
      reach: async (name) => {
        await worldOf().apply(refusedManifest(name));
        await until(name, 'Accepted', 'False InvalidManifest');
        await converged(name);
      },
      seen: { wait: true, kstatus: 'Current', argo: 'Healthy', reported: 'Ready Done' },
    },
    {
      title: 'waiting for an approval',
      reach: async (name) => {
        await worldOf().apply(changedManifest(name, { requireApproval: true }));
        await until(name, 'Accepted', 'Unknown ApprovalRequired');
      },
      seen: { ...waiting, reported: 'Reconciling ApprovalRequired' },
    },
    {
      title: 'approved',
      reach: async (name) => {
        await worldOf().apply(changedManifest(name, { requireApproval: true }));
        await until(name, 'Accepted', 'Unknown ApprovalRequired');
        const [plan] = (await worldOf().platform.api.listPlans(key(name))).items;
        await worldOf().platform.api.approveManifest(key(name), { plan: plan?.id ?? '' });
        await until(name, 'Ready', 'True Done');
      },
      seen: { wait: true, kstatus: 'Current', argo: 'Healthy', reported: 'Ready Done' },
    },
    {
      title: 'rejected',
      reach: async (name) => {
        await worldOf().apply(changedManifest(name, { requireApproval: true }));
        await until(name, 'Accepted', 'Unknown ApprovalRequired');
        const [plan] = (await worldOf().platform.api.listPlans(key(name))).items;
        await worldOf().platform.api.rejectPlan({ ...key(name), plan: plan?.id ?? '' }, { reason: 'too large' });
        await until(name, 'Accepted', 'False ApprovalRejected');
        expect((await worldOf().platform.api.listPlans(key(name))).items.map(({ state }) => state)).not.toContain(
          'Proposed',
        );
      },
      seen: { ...failed, reported: 'Stalled NotAccepted' },
    },
    {
      title: 'failed and rolled back',
      reach: async (name) => {
        await converged(name);
        worldOf().platform.faults({ stage: 'kubernetes', class: 'user', manifest: name });
        await worldOf().apply({ ...simManifest(name, { compute: 3 }) });
        await until(name, 'Degraded', 'True Failed');
        await until(name, 'Stalled', 'True Failed');
        expect((await worldOf().platform.find(key(name)))?.clusters[0]?.status).toBe('RolledBack');
      },
      seen: { ...failed, reported: 'Stalled Failed' },
    },
    {
      title: 'in need of attention',
      reach: async (name) => {
        await converged(name);
        worldOf().platform.faults({
          stage: 'infrastructure',
          direction: 'shrink',
          class: 'conflict',
          times: 1_000_000,
          manifest: name,
        });
        await worldOf().apply(simManifest(name, { compute: 1 }));
        await until(name, 'Stalled', 'True Failed');
        expect((await worldOf().platform.find(key(name)))?.clusters[0]?.status).toBe('NeedsAttention');
      },
      seen: { ...failed, reported: 'Stalled Failed' },
    },
    {
      title: 'paused with a change that waits',
      reach: async (name) => {
        await converged(name);
        await worldOf().platform.api.pauseManifest(key(name));
        await worldOf().apply(simManifest(name, { compute: 1 }));
        await until(name, 'Reconciling', 'True Paused');
      },
      seen: { ...waiting, reported: 'Reconciling Paused' },
    },
    {
      title: 'paused with nothing to do',
      reach: async (name) => {
        await converged(name);
        await worldOf().platform.api.pauseManifest(key(name));
        await until(name, 'Progressing', 'False Paused');
      },
      seen: { wait: true, kstatus: 'Current', argo: 'Healthy', reported: 'Ready Done' },
    },
    {
      title: 'being deleted',
      reach: async (name) => {
        await converged(name);
        worldOf().platform.stageMs(60_000);
        await worldOf().kubectl(['delete', kind, name, '--wait=false']);
        await until(name, 'Reconciling', 'True Deleting');
      },
      seen: { wait: false, kstatus: 'Terminating', argo: 'Progressing', reported: 'Reconciling Deleting' },
    },
    {
      title: 'deleted in Kubeloom',
      reach: async (name) => {
        await converged(name);
        await worldOf().platform.delete(key(name));
        await until(name, 'Accepted', 'False Missing');
      },
      seen: { ...failed, reported: 'Stalled Missing' },
    },
    {
      title: 'changed in Kubeloom by someone else',
      reach: async (name) => {
        await converged(name);
        await worldOf().platform.apply(simManifest(name, { compute: 4 }));
        await until(name, 'Stalled', 'True ChangedElsewhere');
      },
      seen: { ...failed, reported: 'Stalled ChangedElsewhere' },
    },
  ];
}
