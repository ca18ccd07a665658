/**
 * Branches and tags of private template repositories: a runner asks for their commit, since nobody else may read the token.
 * Whoever needs the answer asks again until it is there; an answer counts for a while, so that what is planned is applied.
 */
import { createHash } from 'node:crypto';
import { LookupBuild, type LookupRequest, LookupResult, lookupKeys } from '#contracts/template-lookup.ts';
import { PipelineError } from '#domain/errors.ts';
import type { ResolvedTemplates, Using } from '../../ports.ts';
import { projectOf } from '../stages/stage-requests.ts';

export type LookupPorts = Using<
  'artifacts.getText' | 'artifacts.putText' | 'builds.start' | 'builds.status' | 'builds.stop' | 'clock' | 'config'
>;

const minute = 60_000;
/** A commit is taken for what the branch is at; longer, and an apply after a push would miss it. */
const commitCountsMs = minute;
/** Whoever mends what was wrong and asks again wants a new look. */
const refusalCountsMs = 30_000;
/** A runner ends by itself long before. */
const abandonedAfterMs = 5 * minute;

/**
 * The commit, or why there is none. Throws `TemplatesPending` while a runner looks: nothing is stored then, and asking again
 * in a moment helps.
 */
export async function lookUpTemplates(
  deps: LookupPorts,
  reference: { readonly namespace: string; readonly name: string },
  request: LookupRequest,
): Promise<ResolvedTemplates> {
  const now = deps.clock.now();
  const newest = lookupKeys.newest(reference, digestOf(request));
  const text = await deps.artifacts.getText(newest);
  const build = text === undefined ? undefined : LookupBuild.parse(JSON.parse(text));
  const age = build ? now.getTime() - Date.parse(build.startedAt) : 0;
  const result = build && (await resultOf(deps, build));
  if (result !== undefined && counts(result, now)) return result.answer;
  if (build && result === undefined) {
    const running = (await deps.builds.status(build.buildId)) === 'running';
    if (running && age < abandonedAfterMs) throw pending(request);
    if (running) await deps.builds.stop(build.buildId);
    // It may have ended between the two looks.
    const late = await resultOf(deps, build);
    if (late !== undefined && counts(late, now)) return late.answer;
    if (late === undefined && age < refusalCountsMs) return withoutAnswer(request, build);
  }
  await start(deps, newest, request, now);
  throw pending(request);
}

async function start(deps: LookupPorts, newest: string, request: LookupRequest, now: Date): Promise<void> {
  const { artifacts, builds, config } = deps;
  const prefix = lookupKeys.prefix(newest, now);
  await artifacts.putText(lookupKeys.request(prefix), JSON.stringify(request), 'application/json');
  // The runner that fetches templates reads their tokens as well.
  const project = projectOf('infrastructure', config.KUBELOOM_RUNNER_PROJECTS);
  const buildId = await builds.start(project, { KUBELOOM_LOOKUP: prefix });
  const build: LookupBuild = { schema: 1, buildId, startedAt: now.toISOString(), prefix };
  await artifacts.putText(newest, JSON.stringify(build), 'application/json');
}

async function resultOf({ artifacts }: LookupPorts, { prefix }: LookupBuild): Promise<LookupResult | undefined> {
  const text = await artifacts.getText(lookupKeys.result(prefix));
  return text === undefined ? undefined : LookupResult.parse(JSON.parse(text));
}

function counts({ endedAt, answer }: LookupResult, now: Date): boolean {
  return now.getTime() - Date.parse(endedAt) < ('commit' in answer ? commitCountsMs : refusalCountsMs);
}

/** Another token may see another repository: the Secret is part of the question. */
function digestOf({ url, revision, secret }: LookupRequest): string {
  return createHash('sha256')
    .update(JSON.stringify([url, revision, secret]))
    .digest('hex')
    .slice(0, 16);
}

function pending({ url, revision }: LookupRequest): PipelineError {
  return new PipelineError(
    'TemplatesPending',
    `a runner is asking the private repository ${url} for the commit of "${revision}": send the same again in a few seconds`,
  );
}

function withoutAnswer({ url, revision }: LookupRequest, { buildId }: LookupBuild): ResolvedTemplates {
  return {
    reason: `the runner that asked ${url} for the commit of "${revision}" ended without an answer (build ${buildId})`,
    fix: 'try again; if it stays so, the log of that build tells why, and the 40 digits of a commit need no answer',
  };
}
