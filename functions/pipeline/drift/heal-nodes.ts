/** Healing: what a check found out about the nodes of a cluster, and which of them are replaced. */
import type { ClusterRecord, DemandRecord, ManifestRecord } from '#contracts/records.ts';
import type { CheckPolicy, ClusterDrift, NodeHealthRecord, NodeObservation } from '#domain/drift.ts';
import { earliest } from '#domain/due-times.ts';
import { losesMachine } from '#domain/node-notice.ts';
import { assessRepair, outageText, type RepairDecision } from '#domain/repair/assess-repair.ts';
import { isUnhealthy, nextHealth, observedNodes } from '#domain/repair/node-health.ts';
import type { Replacement } from '#domain/repair/observed-node.ts';
import { withReported } from '#domain/repair/reported-nodes.ts';
import { minuteText } from '#domain/words.ts';
import type { Using } from '../../ports.ts';
import type { ClusterEvent } from '../records/cluster-records.ts';
import { manifestOf } from '../records/stored-document.ts';
import { repairPolicies } from './repair-policies.ts';

export interface Healing {
  /** For the record of the cluster. */
  readonly found: Pick<ClusterDrift, 'health' | 'outage' | 'lookAgainAt' | 'replaced'>;
  /** Requested of the planner, and started. */
  readonly replace: readonly { readonly node: string; readonly because: string }[];
  /** Nodes that the repair of this check leaves alone. */
  readonly held: ReadonlySet<string>;
  readonly events: readonly ClusterEvent[];
}

export interface HealingQuestion {
  readonly record: ClusterRecord;
  readonly manifest: ManifestRecord;
  readonly demand: DemandRecord | undefined;
  /** What the check found out. */
  readonly seen: readonly NodeObservation[];
  /** What the agent of the cluster reported lately. @default nothing */
  readonly reported?: readonly NodeObservation[];
  readonly policy: CheckPolicy;
  /** A change is in progress, which only machines that are gone do not wait for. @default false */
  readonly goneOnly?: boolean;
  readonly now: Date;
}

const hourMs = 3_600_000;

/** Who asked for a replacement that healing decided on. */
export const byHealing = 'healing';

/** Takes what it replaces from the budget of the installation. */
export async function healNodes(
  deps: Using<'config' | 'repairBudget.spent' | 'repairBudget.take'>,
  { record, manifest, demand, seen, reported = [], policy, goneOnly = false, now }: HealingQuestion,
): Promise<Healing> {
  const { current, drift: before } = record;
  if (current === null) return { found: {}, replace: [], held: new Set(), events: [] };
  const health = nextHealth(withReported(before?.health ?? [], reported), {
    state: current,
    seen,
    now: now.toISOString(),
  });
  const since = new Date(now.getTime() - 24 * hourMs).toISOString();
  const replaced = (before?.replaced ?? []).filter(({ at }) => at > since);
  const leaving = new Set(demand?.replace.map(({ node }) => node));
  const observed = observedNodes(current, health, leaving);
  const hour = new Date(Math.floor(now.getTime() / hourMs) * hourMs);
  const freeAt = new Date(hour.getTime() + hourMs).toISOString();
  const most = deps.config.KUBELOOM_REPAIRS_PER_HOUR;
  const installation = { left: most - (await deps.repairBudget.spent(hour.toISOString())), freeAt };
  const policies = repairPolicies(manifestOf(manifest), policy);
  const decision = assessRepair({ observed, policies, goneOnly, ledger: { replaced, installation }, now });
  const onRequest = policy === 'reportAll' || policy === 'repairAll';
  // Requested by an earlier try of this task, which was interrupted before it started them or stored them.
  const asked = (onRequest ? [] : (demand?.replace ?? [])).filter(
    ({ node, by }) => by === byHealing && observed.some((one) => one.node === node),
  );
  const granted: RepairDecision['replace'][number][] = asked
    .filter(({ node }) => !replaced.some((one) => one.node === node))
    .map(({ node, because }) => ({ node, because, how: 'replace' }));
  const refused = [...decision.refused];
  for (const one of decision.replace) {
    if (await deps.repairBudget.take(hour.toISOString(), most)) granted.push(one);
    else
      refused.push({ node: one.node, because: 'the installation has no replacements left this hour', until: freeAt });
  }
  const poolOf = (name: string): string => observed.find(({ node }) => node === name)?.pool ?? '';
  const ledger: readonly Replacement[] = [
    ...replaced,
    ...granted.map(({ node }) => ({ node, pool: poolOf(node), at: now.toISOString() })),
  ];
  const actionOf = (name: string) => policies[poolOf(name)]?.onUnhealthy ?? 'report';
  const acts = (name: string): boolean => actionOf(name) !== 'report';
  // What is wrong on a machine that exists is repaired there, unless its pool says to replace it.
  const isHeld = ({ node, health: state, notice }: NodeHealthRecord): boolean =>
    state === 'gone'
      ? acts(node) && !recreated.has(node)
      : actionOf(node) === 'replace' && (state !== 'healthy' || losesMachine(notice));
  const soonest = earliest(refused.filter(({ node }) => acts(node)).map(({ until }) => until));
  // Such a check decides nothing: the next one does, when it would have come anyway.
  const again = onRequest ? before?.lookAgainAt : soonest;
  const recreated = new Set(granted.flatMap(({ node, how }) => (how === 'recreate' ? [node] : [])));
  const found = {
    ...(health.length > 0 && { health: health.map((one) => ({ ...one, ...refusalOf(refused, one.node) })) }),
    ...(decision.outage && { outage: outageText(decision.outage) }),
    ...(again !== undefined && { lookAgainAt: again }),
    ...(ledger.length > 0 && { replaced: [...ledger] }),
  };
  return {
    found,
    replace: [...asked, ...granted.filter(({ how }) => how === 'replace')].filter(
      ({ node }, place, all) => all.findIndex((one) => one.node === node) === place,
    ),
    held: new Set(health.filter(isHeld).map(({ node }) => node)),
    events: eventsOf(before, found, granted),
  };
}

function isToHeal({ health, notice }: NodeHealthRecord): boolean {
  return isUnhealthy(health) || losesMachine(notice);
}

function refusalOf(refused: RepairDecision['refused'], name: string): Partial<NodeHealthRecord> {
  const refusal = refused.find(({ node }) => node === name);
  if (refusal === undefined) return {};
  return { refused: refusal.because, ...(refusal.until !== undefined && { until: refusal.until }) };
}

const words = {
  notReady: 'is not ready in Kubernetes',
  unhealthy: 'is unhealthy',
  gone: 'has lost its machine',
  unknown: 'could not be checked',
  healthy: 'is healthy',
} as const satisfies Record<NodeHealthRecord['health'], string>;

/** Only what is new: a check that finds the same reports nothing. */
function eventsOf(
  before: ClusterDrift | undefined,
  { health = [], outage }: Healing['found'],
  granted: RepairDecision['replace'],
): readonly ClusterEvent[] {
  const known = new Map((before?.health ?? []).map((one) => [one.node, one]));
  const bad = health.filter(({ health: state }) => isUnhealthy(state));
  return [
    ...(outage !== undefined && outage !== before?.outage
      ? [{ kind: 'OutageSuspected' as const, message: `${outage}; nothing is replaced` }]
      : []),
    ...bad
      .filter(({ node, health: state }) => known.get(node)?.health !== state)
      .map(({ node, health: state, since, failing }) => ({
        kind: 'NodeUnhealthy' as const,
        node,
        message: `${node} ${words[state]}${since === undefined ? '' : `, since ${minuteText(since)}`}${failing === undefined ? '' : `: ${failing}`}`,
      })),
    ...granted.map(({ node, because, how }) => ({
      kind: 'NodeReplaced' as const,
      node,
      message: `${node} is ${how === 'replace' ? 'replaced' : 'recreated'}: ${because}`,
    })),
    ...health.filter(isToHeal).flatMap(({ node, refused, until }) => {
      if (refused === undefined || refused === known.get(node)?.refused) return [];
      const when = until === undefined ? '' : `; compared again at ${until}`;
      return [{ kind: 'RepairRefused' as const, node, message: `${node} is not replaced: ${refused}${when}` }];
    }),
  ];
}
