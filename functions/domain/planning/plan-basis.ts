/** What a plan was made from. Its id is a digest of that; what moved since is the difference. Never contains a secret. */
import { z } from 'zod';
import { templatesUserText } from '#domain/template-version.ts';
import { listed } from '../words.ts';

/** The last waypoint that was started for a cluster. */
export const LastChange = z.strictObject({
  /** ISO 8601. */
  at: z.string(),
  runId: z.string(),
  direction: z.string(),
  /** The plan that the run was bound to. */
  plan: z.string().optional(),
});
export type LastChange = z.infer<typeof LastChange>;

/** What the plan of one cluster depends on. States and demands are digests. */
export const ClusterBasis = z.strictObject({
  /** Null: nothing exists. */
  current: z.string().nullable(),
  /** Target of an interrupted waypoint. */
  attempted: z.string().nullable(),
  /** Null: before there was any, or an older release made it. */
  changed: LastChange.nullable(),
  /** Sizes and replacements that are still to be done. */
  demand: z.string().nullable(),
  /** A repair that is requested. */
  repair: z.string().nullable(),
  /** Which machines of groups that get smaller are unhealthy: they leave first. Absent: no group gets smaller. */
  unhealthy: z.string().optional(),
});
export type ClusterBasis = z.infer<typeof ClusterBasis>;

export const PlanBasis = z.strictObject({
  schema: z.literal(1),
  /** Version of Kubeloom, and a digest of the settings of the installation that plans follow. */
  kubeloom: z.string(),
  settings: z.string(),
  /** Identity, generation and attempt of the stored manifest; null: none is stored. */
  manifest: z.string().nullable(),
  /** Digest of the document, and of whether it is deleted and what that orphans. */
  goal: z.string(),
  /** Versions of templates: see `pinTemplates`. */
  templates: z.record(z.string(), z.string()),
  /** By name. */
  clusters: z.record(z.string(), ClusterBasis),
});
export type PlanBasis = z.infer<typeof PlanBasis>;

/** What is different now, a sentence each; empty when the plan is still the same. */
export function movedSince(before: PlanBasis, now: PlanBasis): readonly string[] {
  const names = [...new Set([...Object.keys(before.clusters), ...Object.keys(now.clusters)])].sort();
  return [
    ...(before.manifest === now.manifest ? [] : [manifestMoved(before.manifest, now.manifest)]),
    ...(before.goal === now.goal ? [] : ['the document is not the one that was planned']),
    ...templatesMoved(before.templates, now.templates),
    ...names.flatMap((name) => clusterMoved(name, before.clusters[name], now.clusters[name])),
    ...(before.kubeloom === now.kubeloom ? [] : [`Kubeloom was upgraded from ${before.kubeloom} to ${now.kubeloom}`]),
    ...(before.settings === now.settings ? [] : ['settings of the installation that affect plans were changed']),
  ];
}

/** What happened to one cluster since its plan was made, a sentence each. */
export function clusterMoved(
  name: string,
  before: ClusterBasis | undefined,
  now: ClusterBasis | undefined,
): readonly string[] {
  if (before === undefined) return now === undefined ? [] : [`cluster ${name} now exists or is desired`];
  if (now === undefined) return [`cluster ${name} no longer exists`];
  const { changed } = now;
  const states = before.current !== now.current || before.attempted !== now.attempted;
  const worked = changed?.at !== before.changed?.at || changed?.runId !== before.changed?.runId;
  return [
    ...(worked && changed
      ? [`cluster ${name} was changed by ${waypointText(changed)} at ${changed.at} (run ${changed.runId})`]
      : []),
    ...(states && !(worked && changed) ? [`the state of cluster ${name} has changed`] : []),
    ...(before.demand === now.demand ? [] : [`other sizes or replacements of cluster ${name} were requested`]),
    ...(before.unhealthy === now.unhealthy
      ? []
      : [
          `other machines are unhealthy in groups of ${name} that get smaller, and unhealthy machines are removed first`,
        ]),
    ...(before.repair === now.repair ? [] : [`a repair of cluster ${name} was requested or withdrawn`]),
  ];
}

function waypointText({ direction }: LastChange): string {
  if (direction === 'edit') return 'an edit of its Terraform state';
  return direction === 'repair' ? 'a drift repair' : `a waypoint (${direction})`;
}

function manifestMoved(before: string | null, now: string | null): string {
  if (before === null) return `the manifest was created meanwhile: ${now} is stored`;
  return now === null
    ? `the manifest was deleted: ${before} was stored`
    : `the manifest moved from ${before} to ${now}`;
}

function templatesMoved(before: PlanBasis['templates'], now: PlanBasis['templates']): readonly string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  return names
    .filter((name) => before[name] !== now[name])
    .map(
      (name) =>
        `templates of ${templatesUserText(name)} moved from ${before[name] ?? 'none'} to ${now[name] ?? 'none'}`,
    );
}

/** For people, in one sentence. */
export function movedText(moved: readonly string[]): string {
  return moved.length === 0 ? 'what it was made from has changed' : listed(moved, 10);
}
