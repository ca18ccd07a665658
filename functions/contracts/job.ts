/**
 * One shape for all work that a runner gets. A build has one variable, `KUBELOOM_JOB`: the place of a stage, or of a check
 * for drift (`runs/…/<stage or drift>/<mode>/<attempt>`; its request is the document of the waypoint), or the artifact prefix
 * of a question (`checks/…`, `access/…`; its request, build, log and result are below it).
 */
import { z } from 'zod';
import { KeptCatalogue, type RefreshedType } from '#domain/catalogue/kept-catalogue.ts';
import { ClusterState } from '#domain/cluster-state.ts';
import { StageName } from '#domain/plan.ts';
import { CertificateRequest, IssuedCertificate, OpenedNodes, SshQuestion } from './access-requests.ts';
import { CatalogueQuestion } from './catalogue-question.ts';
import { SourceFiles, SourceLookup } from './git-sources.ts';
import { type RunWork, StageError, StageMode, WaypointDocument } from './stage.ts';
import { ReadState, StateQuestion } from './state-reading.ts';

/** One stage of a waypoint. */
export const StageJob = z.object({
  /** Artifact prefix of the waypoint: holds waypoint.json, facts.json and `<stage>[-undo]/<attempt>/…`. */
  waypoint: z.string(),
  stage: StageName,
  mode: StageMode,
  attempt: z.coerce.number().int().min(1),
});
export type StageJob = z.infer<typeof StageJob>;

/** A check for drift: it changes nothing, so it is not part of a waypoint. */
export const DriftJob = StageJob.pick({ waypoint: true, attempt: true });
export type DriftJob = z.infer<typeof DriftJob>;

/** What is to be compared with what exists. */
export const DriftCheck = z.object({
  ...WaypointDocument.pick({ schema: true, namespace: true, manifest: true, generation: true, runId: true }).shape,
  ...WaypointDocument.pick({ cluster: true, facts: true }).shape,
  /** What was created. */
  current: ClusterState,
  reason: z.string(),
});
export type DriftCheck = z.infer<typeof DriftCheck>;

/** Whether the credentials of a provider instance work; never a value of a Secret. */
export const CredentialCheck = z.strictObject({
  /** Name of the provider instance. */
  provider: z.string(),
  type: z.string(),
  /** `locatorText`; absent for types that need none. */
  secret: z.string().optional(),
  /** Regions that the manifest names for it. */
  regions: z.array(z.string()),
});
export type CredentialCheck = z.infer<typeof CredentialCheck>;

/** Which commit a branch or tag of a private template repository names. */
export const TemplateLookup = z.strictObject({
  /** Host and path of the repository, without scheme. */
  url: z.string(),
  /** Branch or tag. */
  revision: z.string(),
  /** `locatorText` of the Secret with the token. */
  secret: z.string(),
});
export type TemplateLookup = z.infer<typeof TemplateLookup>;

/** What a provider type is that does not come with Kubeloom, and what its schema says about the properties of pools. */
export const PluginLookup = z.strictObject({
  name: z.string(),
  /** Host and path of the repository or archive, without scheme. */
  url: z.string(),
  /** Branch, tag or commit of the repository. */
  version: z.string(),
  /** Checksum of the archive; absent for a repository. */
  sha256: z.string().optional(),
  /** Properties of each pool, by the name of the pool. */
  properties: z.record(z.string(), z.record(z.string(), z.unknown())),
  /** `locatorText` of the Secret of the instance; absent: it has none, or it is not stored yet. */
  secret: z.string().optional(),
  /** What the manifest was accepted with before: the same version is not fetched again. */
  kept: z.strictObject({ namespace: z.string(), manifest: z.string(), version: z.string() }).optional(),
});
export type PluginLookup = z.infer<typeof PluginLookup>;

export const PluginAnswer = z.strictObject({
  /** Version text of what was found, with the SHA-256 of the copy that is kept. */
  version: z.string(),
  /** Name for people. */
  title: z.string(),
  /** It creates machines. */
  machines: z.boolean(),
  /** It serves names. */
  dns: z.boolean(),
  /** Fields that its Secret must have; absent: it takes no Secret. */
  secret: z.array(z.string()).optional(),
  /** What is wrong with the Secret, a sentence each without a value. */
  secretFaults: z.array(z.string()).optional(),
  /** What is wrong with the properties. */
  faults: z.array(
    z.strictObject({ pool: z.string(), path: z.array(z.union([z.string(), z.number()])), reason: z.string() }),
  ),
});
export type PluginAnswer = z.infer<typeof PluginAnswer>;

/** What is asked: written as JSON before the build starts. */
export const Question = z.discriminatedUnion('kind', [
  CredentialCheck.extend({ kind: z.literal('credentials') }),
  TemplateLookup.extend({ kind: z.literal('templates') }),
  PluginLookup.extend({ kind: z.literal('plugin') }),
  SourceLookup.extend({ kind: z.literal('source') }),
  CatalogueQuestion.extend({ kind: z.literal('catalogue') }),
  CertificateRequest.extend({ kind: z.literal('certificate') }),
  SshQuestion.extend({ kind: z.literal('ssh') }),
  StateQuestion.extend({ kind: z.literal('state') }),
]);
export type Question = z.infer<typeof Question>;

export const CheckFinding = z
  .strictObject({
    about: z.enum(['identity', 'permission', 'quota']),
    name: z.string().describe('account, permission or quota, as the cloud calls it'),
    ok: z.boolean().nullable().describe('null: unknown in advance'),
    message: z.string().describe('a sentence for people; never a credential'),
  })
  .meta({ id: 'CheckFinding' });
export type CheckFinding = z.infer<typeof CheckFinding>;

/** The commit, or the reason for its absence. */
const TemplateAnswer = z.union([
  z.strictObject({ commit: z.string() }),
  z.strictObject({ reason: z.string(), fix: z.string() }),
]);

const ofQuestion = {
  schema: z.literal(2),
  /** ISO 8601; absent from look-ups of older releases. */
  startedAt: z.string().optional(),
  endedAt: z.string(),
};
const answerTo = <Kind extends Question['kind'], Found extends z.ZodType>(kind: Kind, found: Found) =>
  z.strictObject({ ...ofQuestion, kind: z.literal(kind), found });

/** What a runner leaves of a question: what it found out for its kind, or the error. */
export const QuestionResult = z.discriminatedUnion('kind', [
  answerTo('credentials', z.array(CheckFinding)),
  answerTo('templates', TemplateAnswer),
  answerTo('plugin', PluginAnswer),
  answerTo('source', SourceFiles),
  answerTo('catalogue', KeptCatalogue),
  answerTo('certificate', IssuedCertificate),
  answerTo('ssh', OpenedNodes),
  answerTo('state', ReadState),
  z.strictObject({ ...ofQuestion, kind: z.literal('failed'), error: StageError }),
]);
export type QuestionResult = z.infer<typeof QuestionResult>;

type Answered = Exclude<QuestionResult, { readonly kind: 'failed' }>;
type FoundByKind = { readonly [Result in Answered as Result['kind']]: Result['found'] };
/** What is found out for a question of this kind. */
export type FoundFor<Kind extends Question['kind']> = FoundByKind[Kind];

/** Undefined: the question failed, or there is no result. */
export function foundIn<Kind extends Question['kind']>(
  kind: Kind,
  result: QuestionResult | undefined,
): FoundFor<Kind> | undefined {
  if (result === undefined || result.kind === 'failed' || result.kind !== kind) return undefined;
  return result.found as FoundFor<Kind>;
}

/** Undefined: it did not fail, or there is no result. */
export function errorIn(result: QuestionResult | undefined): StageError | undefined {
  return result?.kind === 'failed' ? result.error : undefined;
}

/** The build, recorded by the API that started it. */
export const QuestionBuild = z.strictObject({
  schema: z.literal(1),
  buildId: z.string(),
  /** ISO 8601 */
  startedAt: z.string(),
});
export type QuestionBuild = z.infer<typeof QuestionBuild>;

/**
 * From the end of a stage to the kill of its build, whose time counts from its start: its image is loaded before the runner counts,
 * then the tool is interrupted, a Terraform that creates machines for as long as `applyGraceMs`, and facts and result are stored.
 */
export const stageMarginMinutes = 5;

/** How long the answer to a question may take, in milliseconds; the result says so when it takes longer. */
export const questionLimitMs = {
  credentials: 5 * 60_000,
  templates: 150_000,
  plugin: 5 * 60_000,
  source: 5 * 60_000,
  catalogue: 5 * 60_000,
  certificate: 120_000,
  ssh: 5 * 60_000,
  state: 120_000,
} as const satisfies Record<Question['kind'], number>;

/** Whether a second answer would give out more than was requested: requests for access have a folder of their own. */
export const isGivenOut = (prefix: string): boolean => prefix.startsWith('access/');

/** Artifact keys of questions: the one place that knows them. Questions of a folder are numbered. */
export const questionKeys = {
  /** Checks of one provider instance. */
  checks: (key: { readonly namespace: string; readonly name: string }, provider: string) =>
    `checks/${key.namespace}/${key.name}/${provider}/`,
  /** Look-ups of one reference. No namespace begins with `_`: they never meet checks of credentials. */
  lookups: (reference: { readonly namespace: string; readonly name: string }, digest: string) =>
    `checks/_templates/${reference.namespace}/${reference.name}/${digest}/`,
  /** Look-ups of a provider type that does not come with Kubeloom, for one namespace. */
  plugins: (namespace: string, digest: string) => `checks/_plugins/${namespace}/${digest}/`,
  /** Readings of what a cloud sells, with a Secret that a manifest of the namespace names. */
  catalogues: (namespace: string, type: RefreshedType) => `checks/_catalogues/${namespace}/${type}/`,
  /** Readings of a GitSource; ids are never used twice, also after a GitSource of the same name was deleted. */
  sources: ({ namespace, name }: { readonly namespace: string; readonly name: string }, id: string) =>
    `checks/_sources/${namespace}/${name}/${id}`,
  /** Requests of one caller for access to a cluster: no one else's path leads there. */
  access: (key: { readonly namespace: string; readonly name: string }, cluster: string, whose: string) =>
    `access/${key.namespace}/${key.name}/${cluster}/${whose}/`,
  request: (prefix: string) => `${prefix}/request.json`,
  build: (prefix: string) => `${prefix}/build.json`,
  result: (prefix: string) => `${prefix}/result.json`,
  /** Whose build answers it, of those that may not be answered twice. */
  claim: (prefix: string) => `${prefix}/claim.json`,
  log: (prefix: string) => `${prefix}/log.txt`,
} as const;

/** Artifact keys of copies of provider types that do not come with Kubeloom, each by its SHA-256. */
export const pluginKeys = {
  /** The copy of an accepted document, until its first run; expires like answers. */
  accepted: (copy: string) => `checks/_copies/${copy}.json`,
  /** For as long as the manifest exists. */
  kept: (of: { readonly namespace: string; readonly manifest: string }, copy: string) =>
    `${pluginKeys.ofManifest(of.namespace, of.manifest)}${copy}.json`,
  ofManifest: (namespace: string, manifest: string) => `plugins/${namespace}/${manifest}/`,
} as const;

export type Job =
  | ({ readonly kind: 'stage' } & StageJob)
  | ({ readonly kind: 'drift' } & DriftJob)
  /** `prefix`: of its artifacts. */
  | { readonly kind: 'question'; readonly prefix: string };

/** What a run has it done for; undefined for a question. */
export function workOf(job: Job): RunWork | undefined {
  return job.kind === 'stage' ? job.stage : job.kind === 'drift' ? 'drift' : undefined;
}

const JobEnvironment = z.object({ KUBELOOM_JOB: z.string() });

/** The job of a build. Throws without one. */
export function jobOf(environment: Readonly<Record<string, string | undefined>>): Job {
  const { KUBELOOM_JOB: reference } = JobEnvironment.parse(upToDate(environment));
  if (/^(checks|access)\//.test(reference)) return { kind: 'question', prefix: reference };
  const [attempt, mode, stage, ...place] = reference.split('/').reverse();
  const waypoint = place.reverse().join('/');
  if (stage === 'drift') return { kind: 'drift', ...DriftJob.parse({ waypoint, attempt }) };
  return { kind: 'stage', ...StageJob.parse({ waypoint, stage, mode, attempt }) };
}

/** The request of a check. Older releases wrote it as a waypoint of direction `check`; they are read for one release. */
export function readDriftCheck(text: string): DriftCheck {
  const request = JSON.parse(text);
  return DriftCheck.parse({ current: request.target, reason: request.stages?.[0]?.reasons[0], ...request });
}

/** A result as it is stored. Those of 0.1.0 do not name their kind. */
export function readQuestionResult(text: string): QuestionResult {
  const { findings, answer, error, ...result } = JSON.parse(text);
  if (result.schema !== 1) return QuestionResult.parse(JSON.parse(text));
  const kind = error !== undefined ? 'failed' : findings !== undefined ? 'credentials' : 'templates';
  return QuestionResult.parse({
    ...result,
    schema: 2,
    kind,
    ...(error === undefined ? { found: findings ?? answer } : { error }),
  });
}

/** A request as it is stored. Those of older releases do not name their kind. */
export function readQuestion(text: string): Question {
  const request: object = JSON.parse(text);
  const kind = 'provider' in request ? 'credentials' : 'templates';
  return Question.parse({ kind, ...request });
}

/**
 * Builds that an older release started name their job in other variables: those of executions that were in progress during an
 * upgrade. To be removed in the release after the next.
 */
function upToDate(environment: Readonly<Record<string, string | undefined>>): typeof environment {
  const { KUBELOOM_WAYPOINT: waypoint, KUBELOOM_STAGE: stage, KUBELOOM_MODE: mode } = environment;
  const older =
    waypoint === undefined
      ? (environment.KUBELOOM_CHECK ?? environment.KUBELOOM_LOOKUP)
      : `${waypoint}/${stage}/${mode}/${environment.KUBELOOM_ATTEMPT}`;
  return { KUBELOOM_JOB: older, ...environment };
}
