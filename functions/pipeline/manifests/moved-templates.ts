/** Branches and tags of templates that have moved since a manifest was accepted: reported, and taken where that destroys nothing. */
import type { ClusterRecord, ManifestRecord, NewEvent } from '#contracts/records.ts';
import { allNodes } from '#domain/cluster-state.ts';
import { sameValue } from '#domain/same-value.ts';
import { templatesUserText } from '#domain/template-version.ts';
import type { Using } from '../../ports.ts';
import { clustersOf, planCluster } from '../plans/cluster-plans.ts';
import { planningOf } from '../plans/planning.ts';
import type { GenerationRequest } from '../records/next-record.ts';
import { manifestOf } from '../records/stored-document.ts';
import { pinTemplates } from './template-versions.ts';

export interface MovedTemplates {
  /** For the next record: what is taken, or that it was reported. */
  readonly change: Pick<GenerationRequest, 'templates' | 'templatesSeen'>;
  /** Once for each version. */
  readonly events: readonly NewEvent[];
}

type Ports = Parameters<typeof pinTemplates>[0] & Using<'clock' | 'clusters.list' | 'ids'>;

/**
 * Undefined when none has moved, or no one could say. `retries`: the next run is a retry, which may take them. One request a reference; a commit needs none. Private repositories are not
 * asked: only a runner may read their tokens, and only the API may start one.
 */
export async function movedTemplates(
  deps: Ports,
  record: ManifestRecord,
  retries: boolean,
): Promise<MovedTemplates | undefined> {
  const { namespace, runId, deleting, templates: before = {}, templateSecrets = {} } = record;
  if (deleting || Object.keys(before).length === 0) return undefined;
  const now = await pinTemplates(deps, namespace, manifestOf(record));
  const moved = Object.keys(now.templates).filter((name) => now.templates[name] !== before[name]);
  if (moved.length === 0) return undefined;
  // One that could not be asked keeps its version.
  const templates = {
    templates: { ...before, ...now.templates },
    templateSecrets: { ...templateSecrets, ...now.templateSecrets },
  };
  // What was approved is not exchanged.
  const bound = record.plan !== undefined;
  const taken = retries && !bound && (await isHarmless(deps, record, { ...record, ...templates }));
  const seen = Object.fromEntries(moved.map((name) => [name, now.templates[name] ?? '']));
  if (!taken && sameValue(seen, record.templatesSeen ?? {})) return { change: { templatesSeen: seen }, events: [] };
  const texts = moved.map((name) => `of ${templatesUserText(name)} from ${before[name] ?? 'none'} to ${seen[name]}`);
  const follows = taken
    ? 'the retry uses that'
    : 'nothing is changed: apply the manifest again to use that (`kubeloom plan` shows what it replaces)';
  const message = `templates moved: ${texts.join('; ').slice(0, 800)}; ${follows}`;
  const at = deps.clock.now().toISOString();
  return {
    change: taken ? { templates } : { templatesSeen: seen },
    events: [{ at, runId, level: 'info', kind: 'TemplatesMoved', message }],
  };
}

/** No plan refuses the change, and no node that exists is removed by it: nothing is destroyed unasked. */
async function isHarmless(deps: Ports, before: ManifestRecord, after: ManifestRecord): Promise<boolean> {
  const clusters = await deps.clusters.list(before);
  return clustersOf(deps.ids, before, clusters).every((cluster) => {
    const plan = planCluster(planningOf(deps, after), after, cluster);
    if (plan.refusals.length > 0) return false;
    const left = new Set(namesOf(plan.waypoints, cluster));
    const kept = namesOf(planCluster(planningOf(deps, before), before, cluster).waypoints, cluster);
    return kept.every((name) => left.has(name));
  });
}

/** Those of the existing nodes that remain after a plan. */
function namesOf(
  waypoints: ReturnType<typeof planCluster>['waypoints'],
  { current }: ClusterRecord,
): readonly string[] {
  if (current === null) return [];
  const last = waypoints.at(-1);
  const target = last === undefined ? current : last.target;
  const left = new Set(target === null ? [] : allNodes(target).map(({ node }) => node.name));
  return allNodes(current).flatMap(({ node: { name } }) => (left.has(name) ? [name] : []));
}
