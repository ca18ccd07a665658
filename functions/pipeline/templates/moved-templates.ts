/** Templates of a stored manifest whose references name another version than the one in use, and what using that would change. */
import type { ClusterRecord, ManifestRecord } from '#contracts/records.ts';
import { allNodes, allPools, type ClusterState } from '#domain/cluster-state.ts';
import { isPipelineError } from '#domain/errors.ts';
import type { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import type { OnTemplates } from '#domain/manifest/schema/on-templates.ts';
import type { ClusterPlan } from '#domain/plan.ts';
import type { MovedTemplate } from '#domain/take-templates.ts';
import type { Using } from '../../ports.ts';
import { type PinOptions, pinTemplates } from '../manifests/template-versions.ts';
import { clustersOf, planCluster } from '../plans/cluster-plans.ts';
import { planningOf } from '../plans/planning.ts';
import { manifestOf } from '../records/stored-document.ts';

export type Pins = Required<Pick<ManifestRecord, 'templates' | 'templateSecrets'>>;

export interface MovedTemplates {
  readonly moved: readonly MovedTemplate[];
  /** All that could be asked, as its reference names it now. */
  readonly now: Pins;
}

/**
 * Which have moved; one that no one could answer for has not. One request a reference. `lookUp`: asks private repositories, which are not
 * asked without it. Undefined while a runner looks one up.
 */
export async function movedTemplates(
  deps: Parameters<typeof pinTemplates>[0],
  record: ManifestRecord,
  lookUp?: PinOptions['lookUp'],
): Promise<MovedTemplates | undefined> {
  const { templates: before = {} } = record;
  if (Object.keys(before).length === 0) return { moved: [], now: { templates: {}, templateSecrets: {} } };
  try {
    const now = await pinTemplates(deps, record.namespace, manifestOf(record), { lookUp });
    const moved = Object.entries(now.templates).map(([key, to]) => ({ key, from: before[key], to }));
    return { moved: moved.filter(({ from, to }) => from !== to), now };
  } catch (error) {
    if (isPipelineError(error, 'TemplatesPending')) return undefined;
    throw error;
  }
}

/** The versions of a record with those of `moved` in place of its own. */
export function pinsWith(
  { templates = {}, templateSecrets = {} }: Pick<ManifestRecord, 'templates' | 'templateSecrets'>,
  moved: readonly Pick<MovedTemplate, 'key'>[],
  now: Pins,
): Pins {
  const of = (versions: Readonly<Record<string, string>>) =>
    Object.fromEntries(moved.flatMap(({ key }) => (versions[key] === undefined ? [] : [[key, versions[key]]])));
  const gone = new Set(moved.flatMap(({ key }) => (now.templateSecrets[key] === undefined ? [key] : [])));
  const kept = Object.fromEntries(Object.entries(templateSecrets).filter(([key]) => !gone.has(key)));
  return {
    templates: { ...templates, ...of(now.templates) },
    templateSecrets: { ...kept, ...of(now.templateSecrets) },
  };
}

/** What the manifest says about each; a provider comes before the whole. */
export function templatesPolicyOf({ spec }: InputManifest): (key: string) => OnTemplates {
  const ofProviders = new Map(spec.providers.map(({ name, onTemplates }) => [name, onTemplates]));
  return (key) => ofProviders.get(key) ?? spec.onTemplates ?? 'report';
}

export type PlanningPorts = Using<'clusters.list' | 'config' | 'ids'>;

/** The plans of its clusters with other versions of its templates. */
export async function plansWith(
  deps: PlanningPorts,
  record: ManifestRecord,
  pins: Pins,
): Promise<readonly { readonly cluster: ClusterRecord; readonly plan: ClusterPlan }[]> {
  const after = { ...record, ...pins };
  const clusters = await deps.clusters.list(record);
  return clustersOf(deps.ids, record, clusters).map((cluster) => {
    return { cluster, plan: planCluster(planningOf(deps, after), after, cluster) };
  });
}

/** No plan refuses the change, and no node that exists is removed by it: nothing is destroyed unasked. */
export async function destroysNothing(deps: PlanningPorts, before: ManifestRecord, pins: Pins): Promise<boolean> {
  return (await plansWith(deps, before, pins)).every(({ cluster, plan }) => {
    if (plan.refusals.length > 0) return false;
    const left = new Set(namesOf(plan.waypoints, cluster));
    const kept = namesOf(planCluster(planningOf(deps, before), before, cluster).waypoints, cluster);
    return kept.every((name) => left.has(name));
  });
}

/** Those of the existing nodes that remain after a plan. */
function namesOf(waypoints: ClusterPlan['waypoints'], { current }: ClusterRecord): readonly string[] {
  if (current === null) return [];
  const last = waypoints.at(-1);
  const target = last === undefined ? current : last.target;
  const left = new Set(target === null ? [] : allNodes(target).map(({ node }) => node.name));
  return allNodes(current).flatMap(({ node: { name } }) => (left.has(name) ? [name] : []));
}

/** Versions of templates that something of a cluster was made with, or may have been. */
export function templatesInUse({ current, attempted }: ClusterRecord): ReadonlySet<string> {
  return new Set([current, attempted].flatMap((state) => (state === null ? [] : versionsIn(state))));
}

function versionsIn(state: ClusterState): readonly string[] {
  return [
    ...allPools(state).flatMap(({ source }) => (source.kind === 'dynamic' ? [source.provider.templates] : [])),
    ...state.loadBalancers.map(({ dns }) => dns.provider.templates),
    ...(state.documents ?? []).map(({ version }) => version),
  ];
}
