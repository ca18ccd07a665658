/** The check for drift: machines, networks and names by Terraform's plan, the mesh over SSH, nodes and documents by kubectl. Changes nothing. */
import { hasKubernetes } from '#domain/cluster-state.ts';
import { type DriftItem, type DriftReport, driftKey } from '#domain/drift.ts';
import { keptExpiries } from '#domain/expiry.ts';
import { checkCertificates } from '../drift/check-certificates.ts';
import { checkDocuments } from '../drift/check-documents.ts';
import { checkKubeconfig } from '../drift/check-kubeconfig.ts';
import { checkMesh } from '../drift/check-mesh.ts';
import { checkNodes } from '../drift/check-nodes.ts';
import { checkWorkspaces } from '../drift/check-workspaces.ts';
import type { Findings } from '../drift/findings.ts';
import { joinObservations } from '../drift/join-observations.ts';
import type { DriftContext } from '../stage-context.ts';
import { isTimeUp, StageFailure, stageCancelled } from '../stage-failure.ts';

type Look = (context: DriftContext) => Promise<Findings>;

/** For people: what each check compares. */
const titles = new Map<Look, string>([
  [checkWorkspaces, 'machines, networks and names'],
  [checkMesh, 'mesh, load balancers, health checks and ends of certificates'],
  [checkNodes, 'nodes'],
  [checkCertificates, 'certificates'],
  [checkDocuments, 'documents'],
  [checkKubeconfig, 'the end of the kubeconfig'],
]);

const onMachines = driftBy([checkWorkspaces, checkMesh]);
const onKubernetes = driftBy([
  checkWorkspaces,
  checkMesh,
  checkNodes,
  checkCertificates,
  checkDocuments,
  checkKubeconfig,
]);

export function drift(context: DriftContext): Promise<Omit<DriftReport, 'schema'>> {
  return hasKubernetes(context.target) ? onKubernetes(context) : onMachines(context);
}

/** A check that consists of these looks. */
export function driftBy(looks: readonly Look[]): (context: DriftContext) => Promise<Omit<DriftReport, 'schema'>> {
  return (context) => lookAll(context, looks);
}

/** When its time is up, what was found counts. Throws when nothing was. */
async function lookAll(context: DriftContext, looks: readonly Look[]): Promise<Omit<DriftReport, 'schema'>> {
  const { signal, target } = context;
  // Concurrently: a failure of one of them does not stop the others.
  const outcomes = await Promise.allSettled(looks.map((look) => look(context)));
  const late = isTimeUp(signal);
  if (signal.aborted && !late) throw stageCancelled(signal);
  const failures = outcomes.flatMap((outcome, index) =>
    outcome.status === 'rejected' ? [{ look: looks[index], reason: outcome.reason as unknown }] : [],
  );
  if (failures.length === looks.length) throw failures[0]?.reason;
  const findings = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const items = withoutConsequences(findings.flatMap((found) => found.items));
  const unchecked = [
    ...findings.flatMap((found) => found.unchecked),
    ...failures.map(({ look, reason }) => (late ? unfinished(look) : wordsOf(context, reason))),
  ];
  const notes = findings.flatMap((found) => found.notes ?? []);
  const health = [...joinObservations(target, findings)];
  const expiries = keptExpiries(findings.flatMap((found) => found.expiries ?? []));
  return {
    items: [...items],
    unchecked,
    health,
    ...(notes.length > 0 && { notes }),
    ...(expiries.length > 0 && { expiries: [...expiries] }),
  };
}

function unfinished(look: Look | undefined): string {
  return `${(look && titles.get(look)) ?? 'a part'}: not finished when the time of the check was over`;
}

/** If a machine is gone, only that is reported: all its other findings follow from it. */
function withoutConsequences(items: readonly DriftItem[]): readonly DriftItem[] {
  const gone = new Set(items.flatMap(({ kind, where }) => (kind === 'machine' && where.node ? [where.node] : [])));
  const reported = items.filter(
    ({ kind, where }) => kind === 'machine' || where.node === undefined || !gone.has(where.node),
  );
  return [...new Map(reported.map((item) => [driftKey(item), item])).values()];
}

function wordsOf({ log }: DriftContext, failure: unknown): string {
  if (failure instanceof StageFailure) return `${failure.error.code}: ${failure.error.message}`.slice(0, 500);
  log.write('runner', failure instanceof Error ? (failure.stack ?? failure.message) : String(failure));
  return 'a part of the check failed; its log says why';
}
