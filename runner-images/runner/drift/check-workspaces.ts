/** Terraform's plan of every workspace of a cluster, never applied: machines, networks and names that differ from what Kubeloom created. */
import { allNodes, allPools, type ClusterState } from '#domain/cluster-state.ts';
import type { DriftItem } from '#domain/drift.ts';
import { dynamicPoolsOf } from '#rendering/machines-root.ts';
import { settleBounded } from '../bounded.ts';
import { knownPoolKey } from '../ssh-keys.ts';
import type { DriftContext } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { namesJob } from '../terraform/apply-dns.ts';
import { nodeOfAddress, typeOfAddress } from '../terraform/cli/addresses.ts';
import type { TerraformChange } from '../terraform/cli/planned-changes.ts';
import { joinsOnly } from '../terraform/keep/refuse-replacements.ts';
import { machinesJob, publicKeysOf } from '../terraform/machines-job.ts';
import { openWorkspace } from '../terraform/workspace.ts';
import type { WorkspaceJob } from '../terraform/workspace-job.ts';
import { type Findings, findingPlace, sentence } from './findings.ts';
import { type ListedStrays, strayItems, unlisted } from './stray-items.ts';

interface Visit {
  /** Provider instance, or name of the load balancer. */
  readonly about: string;
  readonly kind: 'machines' | 'dns';
  readonly job: () => Promise<WorkspaceJob | undefined>;
}

/** Throws only when no workspace could be planned. */
export async function checkWorkspaces(context: DriftContext): Promise<Findings> {
  const { target } = context;
  const visits = visitsOf(context, target);
  const outcomes = await settleBounded(visits, context.runner.workspacesAtOnce, async (visit) => {
    const job = await visit.job();
    if (job === undefined) return nothing;
    const { changes, strays } = await (await openWorkspace(context, job)).plan();
    const { about, kind } = visit;
    const isMachines = kind === 'machines';
    return {
      items: itemsOf(visit, target, changes),
      listed: isMachines ? [{ provider: about, type: job.provider.type, strays }] : [],
      ...(isMachines ? goneIn(target, changes) : noneGone),
      ...(isMachines && strays !== undefined ? unlisted(about, strays) : { unchecked: [], notes: [] }),
    };
  });
  const found = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const failed = outcomes.flatMap((outcome, index) =>
    outcome.status === 'rejected' ? [{ visit: visits[index], reason: outcome.reason as unknown }] : [],
  );
  if (failed.length > 0 && failed.length === visits.length) throw failed[0]?.reason;
  return {
    items: [...found.flatMap(({ items }) => items), ...strayItems(found.flatMap(({ listed }) => listed))],
    health: found.flatMap(({ health }) => health),
    partly: new Set(found.flatMap(({ partly }) => [...partly])),
    unchecked: [
      ...failed.map(({ visit, reason }) => sentence(`${visit?.about}: ${wordsOf(reason)}`)),
      ...found.flatMap(({ unchecked }) => unchecked),
    ],
    notes: found.flatMap(({ notes }) => notes),
  };
}

type Gone = Required<Pick<Findings, 'health' | 'partly'>>;
const noneGone: Gone = { health: [], partly: new Set() };
const nothing: Gone &
  Required<Pick<Findings, 'items' | 'unchecked' | 'notes'>> & { readonly listed: readonly ListedStrays[] } = {
  items: [],
  unchecked: [],
  notes: [],
  listed: [],
  ...noneGone,
};

/** Nodes whose machines, or parts of them, no longer exist. */
function goneIn(target: ClusterState, changes: readonly TerraformChange[]): Gone {
  const nodes = new Set(allNodes(target).map(({ node }) => node.name));
  const ownersOf = (some: readonly TerraformChange[]): ReadonlySet<string> =>
    new Set(some.map(({ address }) => nodeOfAddress(address, nodes)).filter((node) => node !== undefined));
  const missing = changes.filter(isRecreated);
  const gone = ownersOf(missing);
  const whole = ownersOf(missing.filter(({ address }) => !joinsOnly(typeOfAddress(address))));
  return {
    health: [...gone].map((node) => ({ node, health: 'gone' })),
    partly: new Set([...gone].filter((node) => !whole.has(node))),
  };
}

function visitsOf(context: DriftContext, target: ClusterState): readonly Visit[] {
  const instances = allPools(target).flatMap(({ source }) => (source.kind === 'dynamic' ? [source.provider.name] : []));
  return [
    ...[...new Set(instances)].map((name) => ({
      about: name,
      kind: 'machines' as const,
      job: async () => {
        const publicKeys = await publicKeysOf(target, name, (...pool) => knownPoolKey(context, ...pool));
        return machinesJob(context, name, { state: target, publicKeys });
      },
    })),
    ...target.loadBalancers.map((balancer) => ({
      about: balancer.name,
      kind: 'dns' as const,
      job: async () => namesJob(context, balancer, target),
    })),
  ];
}

/** One item for each node whose machine differs, one for all of a network, one for all names of a load balancer. */
function itemsOf(
  { about, kind }: Visit,
  target: ClusterState,
  changes: readonly TerraformChange[],
): readonly DriftItem[] {
  if (changes.length === 0) return [];
  if (kind === 'dns') {
    const message = sentence(
      `the names of load balancer ${about} ${wordsFor(changes, 'differ from what was created')}`,
    );
    return [{ kind: 'dns', where: { name: about }, message, repairable: true }];
  }
  const nodes = new Set(allNodes(target).map(({ node }) => node.name));
  const byNode = Map.groupBy(changes, ({ address }) => nodeOfAddress(address, nodes));
  const others = byNode.get(undefined) ?? [];
  const machines = [...byNode].flatMap(([node, own]) => (node === undefined ? [] : [machineItem(target, node, own)]));
  // A workspace is applied as a whole: if it has a machine that must not be destroyed, nothing in it can be repaired.
  if (machines.some(({ repairable }) => !repairable)) return machines.map((item) => ({ ...item, repairable: false }));
  // Networks follow from the addresses of machines: if a machine is gone, a difference there is expected.
  if (others.length === 0 || machines.length > 0) return machines;
  const pools = dynamicPoolsOf(target, about);
  const regions = [...new Set(pools.map(({ source }) => source.region))].join(', ');
  const how = wordsFor(others, 'differ from what was created');
  const message = sentence(`network or firewall of ${about} (${regions}) ${how}`);
  return [{ kind: 'network', where: { provider: about }, message, repairable: true }];
}

/** A machine that exists is never destroyed by a repair: it is not drained, and its disks would be deleted with it. */
function machineItem(target: ClusterState, node: string, changes: readonly TerraformChange[]): DriftItem {
  const about = { kind: 'machine', where: findingPlace(target, node) } as const;
  if (changes.some(isRecreated))
    return { ...about, message: `the machine of ${node} is gone, or must be recreated`, repairable: true, gone: true };
  const existing = changes.some(({ action }) => action === 'replace');
  const message = `the machine of ${node} ${wordsFor(changes, 'was changed')}`;
  if (!existing) return { ...about, message: sentence(message), repairable: true };
  const why = '; undoing that would destroy it, which a repair never does: replace its pool';
  return { ...about, message: sentence(`${message}${why}`), repairable: false };
}

/** The resource does not exist, or is known to be broken. */
function isRecreated({ action, reason = '' }: TerraformChange): boolean {
  return action === 'create' || (action === 'replace' && ['requested', 'tainted'].includes(reason));
}

/** The cause: newer templates, or a change by someone else. */
function wordsFor(changes: readonly TerraformChange[], otherwise: string): string {
  const ours = changes.every(({ action, outside }) => action !== 'create' && !outside);
  const words = ours ? 'would be created differently now, by newer templates or options' : otherwise;
  return `${words} (${reported(changes)})`;
}

function reported(changes: readonly TerraformChange[]): string {
  const words = changes.slice(0, 3).map(({ address, action }) => `${action} ${address}`);
  return changes.length > 3 ? `${words.join(', ')} and ${changes.length - 3} more` : words.join(', ');
}

function wordsOf(reason: unknown): string {
  return reason instanceof StageFailure ? `${reason.error.code}: ${reason.error.message}` : 'it could not be planned';
}
