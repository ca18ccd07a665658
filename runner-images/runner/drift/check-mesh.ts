/** Whether every node reaches every other over WireGuard and has its proxy settings, load balancers serve their roles, what the users' health checks say, and when certificates end. */
import type { ClusterState } from '#domain/cluster-state.ts';
import type { DriftItem } from '#domain/drift.ts';
import type { MachineReport } from '../machines/machine-report.ts';
import type { DriftContext } from '../stage-context.ts';
import { isTimeUp } from '../stage-failure.ts';
import { machineAsker, type VisitReports } from './ask-machines.ts';
import { type Findings, findingPlace, sentence } from './findings.ts';
import { lookTwice } from './look-twice.ts';
import { machineExpiries } from './machine-expiries.ts';
import { aliveIn, healthItems, machineHealth } from './machine-health.ts';

/** What it found until its time is up counts; the rest is unchecked. */
export async function checkMesh(context: DriftContext): Promise<Findings> {
  const { target } = context;
  const askMachines = await machineAsker(context);
  // Health is from the last visit: a machine that has recovered meanwhile is healthy.
  const visits: VisitReports[] = [];
  let items: readonly DriftItem[] | undefined;
  try {
    items = await lookTwice(context, async () => {
      const answers = await askMachines();
      visits.push(answers);
      return [...itemsOf(target, answers), ...healthItems(target, answers)];
    });
  } catch (error) {
    if (!isTimeUp(context.signal)) throw error;
  }
  const last = visits.at(-1);
  if (last === undefined) return { items: [], unchecked: [`${timeUp} before a machine was asked`] };
  const { unasked, unfinished } = last;
  const health = machineHealth(target, last);
  // Seen once is enough: no certificate gets younger.
  const ends = machineExpiries(target, last.reports, context.ports.clock.now());
  return {
    items: [...(items ?? []), ...ends.items],
    notes: ends.notes,
    expiries: ends.expiries,
    // What only the first look found is not confirmed: no machine is replaced for it.
    health: items
      ? health
      : health.map((seen) => (seen.health === 'unhealthy' ? { ...seen, health: 'unknown' } : seen)),
    // It is not known whether machines answer that were not asked.
    ...(unasked.length === 0 && { alive: aliveIn(last) }),
    unchecked: [
      ...(unasked.length > 0 ? [sentence(`${timeUp} before these machines were asked: ${unasked.join(', ')}`)] : []),
      ...[...unfinished].map(([name, why]) => sentence(`${name} did not answer all questions: ${why}`)),
      ...ends.unchecked,
      ...(items ? [] : [`${timeUp} before a second visit: the findings of the first one are not reported`]),
    ],
  };
}

const timeUp = 'mesh, load balancers and health checks: the time of the check was over';

/** One item for each node that does not answer at all, for each whose peers are not those of the cluster, and for each whose roles differ. */
function itemsOf(target: ClusterState, { reports, silent }: VisitReports): readonly DriftItem[] {
  const item = (name: string, message: string): DriftItem => ({
    kind: 'mesh',
    where: findingPlace(target, name),
    message: sentence(message),
    repairable: true,
  });
  const unreached = [...silent].map(([name, why]) => ({
    ...item(name, `${name} cannot be reached over SSH: ${why}`),
    // A node that cannot be reached cannot be repaired either, unless its machine turns out to be gone.
    repairable: false,
  }));
  const deaf = [...reports].flatMap(([name, { mesh, surplus = [] }]) => {
    const missing = Object.keys(mesh).filter((peer) => mesh[peer] === false && !silent.has(peer));
    const faults = [
      ...(missing.length > 0 ? [`does not reach ${missing.join(', ')} over WireGuard`] : []),
      ...(surplus.length > 0 ? [`has WireGuard peers that are not of this cluster: ${surplus.join(', ')}`] : []),
    ];
    return faults.length === 0 ? [] : [item(name, `${name} ${faults.join(', and ')}`)];
  });
  const unserved = [...reports].flatMap(([name, { roles = [] }]): DriftItem[] => {
    const balancer = target.loadBalancers.find(({ pools }) =>
      pools.some(({ nodes }) => nodes.some((node) => node.name === name)),
    );
    if (balancer === undefined || roles.length === 0) return [];
    const message = sentence(`load balancer ${balancer.name}, ${name}: ${roles.join(', ')}`);
    const where = { ...findingPlace(target, name), name: balancer.name };
    return [{ kind: 'traffic', where, message, repairable: true }];
  });
  return [...unreached, ...deaf, ...proxyItems(target, reports), ...unserved];
}

function proxyItems(target: ClusterState, reports: VisitReports['reports']): readonly DriftItem[] {
  const { enabled } = target.installationProxy;
  return [...reports].flatMap(([name, { proxy = [] }]): DriftItem[] => {
    if (proxy.length === 0) return [];
    const where = proxy.map((part) => proxyPlaces[part]).join(', ');
    const message = sentence(
      enabled
        ? `${name} does not have the installation proxy as Kubeloom set it: ${where}`
        : `${name} still has settings of an installation proxy, and the cluster has none: ${where}`,
    );
    return [{ kind: 'proxy', where: findingPlace(target, name), message, repairable: true }];
  });
}

const proxyPlaces = {
  apt: 'apt',
  variables: '/etc/kubeloom/proxy.env',
  environment: '/etc/environment',
  kubelet: 'the unit of kubelet',
  containerd: 'the unit of containerd',
  docker: 'the unit of docker',
} as const satisfies Record<NonNullable<MachineReport['proxy']>[number], string>;
