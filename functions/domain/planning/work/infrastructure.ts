/** Work of Terraform: which workspaces a difference touches, and why. */
import { allPools, type ClusterState, type NodePoolState, servesApiOnNodes } from '#domain/cluster-state.ts';
import { moduleInputs } from '#domain/machine-fields.ts';
import { onceFor } from '#domain/once-for.ts';
import type { InfrastructureWork } from '#domain/plan.ts';
import { counted } from '../../words.ts';
import { dnsText } from '../states/diff-load-balancers.ts';
import { listenerOf } from '../states/role-targets.ts';
import { type NodeDiff, type NodeInPool, resizedIn, withLargerDisk } from './node-diff.ts';

type Workspace = InfrastructureWork['workspaces'][number];

/** Workspaces whose content is different in the two states, each with its reason. */
export function infrastructureOf(
  nodeDiff: NodeDiff,
): readonly { readonly workspace: Workspace; readonly reason: string }[] {
  const { from, to } = nodeDiff;
  const machinesBefore = from === null ? new Map<string, readonly MachineView[]>() : machineViews(from);
  const machinesAfter = to === null ? new Map<string, readonly MachineView[]>() : machineViews(to);
  const namesBefore = from === null ? new Map<string, DnsView>() : dnsViews(from);
  const namesAfter = to === null ? new Map<string, DnsView>() : dnsViews(to);
  return [
    ...different(machinesBefore, machinesAfter, machinesText).map((name) => ({
      workspace: { kind: 'machines' as const, name, destroy: !machinesAfter.has(name) },
      reason: machinesReason(name, nodeDiff),
    })),
    ...different(namesBefore, namesAfter, (view) => view.text).map((name) => ({
      workspace: { kind: 'dns' as const, name, destroy: !namesAfter.has(name) },
      reason: dnsReason(namesBefore.get(name), namesAfter.get(name)),
    })),
  ];
}

interface MachineView {
  readonly pool: NodePoolState;
  /** What its firewall allows. */
  readonly firewall: readonly unknown[];
}

/** By provider instance: all that its workspace makes. */
function machineViews(state: ClusterState): ReadonlyMap<string, readonly MachineView[]> {
  const listeners = new Map(
    state.loadBalancers.flatMap(({ pools, roles }) => pools.map((pool) => [pool.id, roles.map(listenerOf).sort()])),
  );
  const views = new Map<string, MachineView[]>();
  for (const pool of allPools(state)) {
    if (pool.source.kind === 'static') continue;
    const { name } = pool.source.provider;
    const open = pool.openPorts?.map(({ protocol, port }) => `${protocol} ${port}`).sort() ?? [];
    const own = listeners.get(pool.id) ?? (pool.role === 'control' ? [servesApiOnNodes(state)] : []);
    const firewall = [...own, ...open];
    views.set(name, [...(views.get(name) ?? []), { pool, firewall }]);
  }
  return views;
}

/** Equal for workspaces that make the same, whatever their credentials are. */
function machinesText(views: readonly MachineView[]): string {
  return views.map(poolText).sort().join('\n');
}

function poolText({ pool, firewall }: MachineView): string {
  return pool.source.kind === 'static' ? '' : `${machinesOf(pool)} ${JSON.stringify(firewall)}`;
}

/** Most pools of a waypoint are those of the one before. */
const machinesOf = onceFor(({ id, role, source, nodes }: NodePoolState): string => {
  if (source.kind === 'static') return '';
  const { type, templates } = source.provider;
  const names = nodes.map((node) => `${node.name} ${node.privateAddress} ${node.serverType ?? ''}`).sort();
  return JSON.stringify([id, role, type, templates, moduleInputs(source), names, source.properties]);
});

interface DnsView {
  readonly title: string;
  readonly text: string;
}

/** By load balancer id: its names and the machines they lead to. */
function dnsViews(state: ClusterState): ReadonlyMap<string, DnsView> {
  return new Map(
    state.loadBalancers.map(({ id, dns, pools }) => {
      const nodes = pools.flatMap((pool) => pool.nodes.map((node) => `${node.name} ${node.static?.endpoint ?? ''}`));
      const { type, templates } = dns.provider;
      const text = JSON.stringify([dnsText(dns), type, templates, nodes.sort()]);
      return [id, { title: `${dns.hostname}.${dns.zone}`, text }];
    }),
  );
}

function machinesReason(provider: string, nodeDiff: NodeDiff): string {
  const here = ({ pool }: NodeInPool) => pool.source.kind === 'dynamic' && pool.source.provider.name === provider;
  const made = nodeDiff.added.filter(here).length;
  const removed = nodeDiff.removed.filter(here).length;
  const resized = resizedIn(nodeDiff).filter(here).length;
  const disks = withLargerDisk(nodeDiff).filter(here).length;
  const parts = [
    ...(resized > 0
      ? [`${counted(resized, 'machine')} changed in place, which ${resized === 1 ? 'restarts' : 'restart'}`]
      : []),
    ...(disks > 0 ? [`${counted(disks, 'data disk')} made larger`] : []),
    ...(made > 0 ? [`${counted(made, 'machine')} made`] : []),
    ...(removed > 0 ? [`${counted(removed, 'machine')} removed`] : []),
  ];
  return `${provider}: ${parts.length > 0 ? parts.join(', ') : 'ports or templates of its machines change'}`;
}

function dnsReason(before: DnsView | undefined, after: DnsView | undefined): string {
  if (before === undefined) return `${after?.title}: the name is made`;
  if (after === undefined) return `${before.title}: the name is removed`;
  if (before.title !== after.title) return `${before.title}: becomes ${after.title}`;
  return `${after.title}: follows its load balancer`;
}

function different<View>(
  before: ReadonlyMap<string, View>,
  after: ReadonlyMap<string, View>,
  text: (view: View) => string,
): readonly string[] {
  const names = [...new Set([...after.keys(), ...before.keys()])];
  return names.filter((name) => {
    const [left, right] = [before.get(name), after.get(name)];
    return left === undefined || right === undefined || text(left) !== text(right);
  });
}
