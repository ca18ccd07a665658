/** Differences of one node pool. */
import { type NodePoolState, type NodeState, serverTypeOf, type Taint } from '#domain/cluster-state.ts';
import { checkName } from '#domain/health-check.ts';
import { changedMachineFields } from '#domain/machine-fields.ts';
import type { Change } from '#domain/plan.ts';
import { moneyText } from '#domain/prices/money-text.ts';
import { sameValue } from '#domain/same-value.ts';

/** The change of a pool that is added. */
export function poolAdded(pool: NodePoolState): Change {
  return { kind: 'NodePoolAdded', role: pool.role, ...nodePlace(pool), nodes: namesOf(pool.nodes) };
}

/** The change of a pool that is removed. */
export function poolRemoved(pool: NodePoolState): Change {
  return { kind: 'NodePoolRemoved', role: pool.role, ...nodePlace(pool), nodes: namesOf(pool.nodes) };
}

/** All differences of a pool that is in both states. */
export function diffPool(from: NodePoolState, to: NodePoolState): Change[] {
  return [...diffNodes(from, to), ...diffMetadata(from, to), ...diffSpec(from, to), ...diffAccess(from, to)];
}

/** Pool id, provider instance and region, for changes and people. */
export function nodePlace(pool: NodePoolState): { pool: string; provider: string; region: string } {
  if (pool.source.kind === 'static') return { pool: pool.id, provider: 'static', region: '' };
  return { pool: pool.id, provider: pool.source.provider.name, region: pool.source.region };
}

/** A static node is the same only on the same machine. */
export function nodeKey(node: NodeState): string {
  return `${node.name} ${node.static?.endpoint ?? ''}`;
}

function diffNodes(from: NodePoolState, to: NodePoolState): Change[] {
  const before = new Set(from.nodes.map(nodeKey));
  const after = new Set(to.nodes.map(nodeKey));
  const added = to.nodes.filter((node) => !before.has(nodeKey(node)));
  const removed = from.nodes.filter((node) => !after.has(nodeKey(node)));
  return [
    ...(added.length > 0 ? [{ kind: 'NodesAdded' as const, ...nodePlace(to), nodes: namesOf(added) }] : []),
    ...(removed.length > 0 ? [{ kind: 'NodesRemoved' as const, ...nodePlace(from), nodes: namesOf(removed) }] : []),
  ];
}

function diffMetadata(from: NodePoolState, to: NodePoolState): Change[] {
  const changes: Change[] = [];
  const labels = changedKeys(from.labels, to.labels);
  const annotations = changedKeys(from.annotations, to.annotations);
  const taints = changedKeys(taintMap(from.taints), taintMap(to.taints));
  if (labels.length + annotations.length + taints.length > 0) {
    changes.push({ kind: 'NodeMetadataChanged', pool: to.id, labels, annotations, taints });
  }
  if (scaleText(from) !== scaleText(to)) {
    changes.push({ kind: 'AutoscalerChanged', pool: to.id, from: scaleText(from), to: scaleText(to) });
  }
  if (orderText(from) !== orderText(to)) {
    changes.push({ kind: 'GrowthOrderChanged', pool: to.id, order: orderText(to) });
  }
  if (from.boot !== to.boot) changes.push({ kind: 'BootChanged', pool: to.id, removed: to.boot === undefined });
  const ports = openPortTexts(to);
  if (!sameValue(openPortTexts(from), ports)) changes.push({ kind: 'OpenPortsChanged', pool: to.id, ports });
  if (!sameValue(from.health ?? [], to.health ?? [])) {
    changes.push({ kind: 'HealthChecksChanged', pool: to.id, checks: (to.health ?? []).map(checkName) });
  }
  if (from.protect !== to.protect) {
    changes.push({ kind: 'ProtectionChanged', what: `pool ${to.id}`, protect: to.protect === true });
  }
  return changes;
}

function openPortTexts({ openPorts = [] }: NodePoolState): string[] {
  return openPorts.map(({ protocol, port }) => `${port}/${protocol}`).sort();
}

/** Fields whose change means another machine or another node. */
function diffSpec(from: NodePoolState, to: NodePoolState): Change[] {
  const fields = changedFields(from, to);
  const addresses = new Map(from.nodes.map((node) => [nodeKey(node), node.privateAddress]));
  const moved = to.nodes.some((node) => (addresses.get(nodeKey(node)) ?? node.privateAddress) !== node.privateAddress);
  const all = [...fields, ...(moved ? ['privateAddress'] : [])];
  return all.length > 0 ? [{ kind: 'NodePoolSpecChanged', pool: to.id, fields: all }] : [];
}

function diffAccess(from: NodePoolState, to: NodePoolState): Change[] {
  if (to.source.kind === 'dynamic') return [];
  const before = new Map(from.nodes.map((node) => [nodeKey(node), accessText(from, node)]));
  const nodes = to.nodes.filter((node) => (before.get(nodeKey(node)) ?? accessText(to, node)) !== accessText(to, node));
  if (nodes.length === 0 && from.sshPort === to.sshPort) return [];
  return [{ kind: 'NodeAccessChanged', pool: to.id, nodes: namesOf(nodes) }];
}

/** What only another machine, or another node, can have. */
function changedFields(from: NodePoolState, to: NodePoolState): string[] {
  const name = from.name === to.name ? [] : ['name'];
  if (from.source.kind === 'static' || to.source.kind === 'static') return name;
  const sshPort = from.sshPort === to.sshPort ? [] : ['sshPort'];
  const fields = changedMachineFields(from.source, to.source);
  const resized = fields.includes('serverType') || resizedNodes(from, to).length === 0 ? [] : ['serverType'];
  return [...name, ...fields, ...resized, ...sshPort];
}

/** Nodes of both that have another server type then. */
function resizedNodes(from: NodePoolState, to: NodePoolState): readonly NodeState[] {
  const before = new Map(from.nodes.map((node) => [nodeKey(node), serverTypeOf(node, from)]));
  return to.nodes.filter((node) => {
    const type = serverTypeOf(node, to);
    return (before.get(nodeKey(node)) ?? type) !== type;
  });
}

function accessText(pool: NodePoolState, node: NodeState): string {
  return `${pool.sshPort} ${node.static?.username} ${node.static?.secret}`;
}

function scaleText(pool: NodePoolState): string {
  return pool.autoscaler === undefined ? 'fixed' : `${pool.autoscaler.min} to ${pool.autoscaler.max}`;
}

/** Empty for pools without an order, autoscaled or not. */
function orderText({ autoscaler: { priority, price, monthlyPrice } = { min: 0, max: 0 } }: NodePoolState): string {
  const parts = [
    ...(priority === undefined ? [] : [`priority ${priority}`]),
    ...(price ? ['the cheapest first'] : []),
    ...(monthlyPrice ? [`a node counts as ${moneyText(monthlyPrice)} a month`] : []),
  ];
  return parts.join(', ');
}

function taintMap(taints: readonly Taint[]): Readonly<Record<string, string>> {
  return Object.fromEntries(taints.map(({ key, value, effect }) => [`${key}=${value ?? ''}:${effect}`, effect]));
}

function changedKeys(from: Readonly<Record<string, string>>, to: Readonly<Record<string, string>>): string[] {
  const keys = new Set([...Object.keys(from), ...Object.keys(to)]);
  return [...keys].filter((key) => from[key] !== to[key]);
}

function namesOf(nodes: readonly NodeState[]): string[] {
  return nodes.map((node) => node.name);
}
