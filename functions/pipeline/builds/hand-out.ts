/**
 * Credentials for a build: those of its tool's role, for its own job and nothing else. A build gets them once: a call with another token than the
 * first one is refused. With the same token they are renewed, for as long as the build runs.
 */
import { createHash } from 'node:crypto';
import { type BuildCredentials, credentialSeconds } from '#contracts/build-credentials.ts';
import { type Job, jobOf, questionKeys } from '#contracts/job.ts';
import { waypointKeys } from '#contracts/stage.ts';
import { PipelineError } from '#domain/errors.ts';
import { levelOf } from '#domain/event-kinds.ts';
import type { KnownBuild } from '../../build-ports.ts';
import type { FreePort, Using } from '../../ports.ts';
import { nowhere } from '../../rights/job-rights.ts';
import { sessionPolicy } from '../../rights/session-policy.ts';
import { grantOf, type JobGrant } from './job-grant.ts';

export const handOutUses = [
  'artifacts.getText',
  'buildGrants.take',
  'buildSessions.open',
  'builds.find',
  'events.append',
] as const;

export type HandOutPorts = Using<(typeof handOutUses)[number] | FreePort>;

/**
 * `caller`: ARN of who asks, as AWS says it. Throws `Forbidden`, with the reason: it is no build of this installation, has ended, or has its
 * credentials already.
 */
export async function handOut(deps: HandOutPorts, caller: string, token: string): Promise<BuildCredentials> {
  const build = await buildOf(deps, caller);
  const grant = await grantOfBuild(deps, build);
  await takeOnce(deps, build, { grant, token });
  const { KUBELOOM_SECRET_PREFIX: secretPrefix, KUBELOOM_TOOL_ROLES: roles } = deps.config;
  const role = roles[grant.tool];
  if (role === undefined) throw new PipelineError('InternalFault', `there is no role for builds of ${grant.tool}`);
  const { namespace } = grant.place;
  const { secrets, copies } = grant;
  return deps.buildSessions.open({
    role,
    name: `kubeloom-${build.id.slice(build.id.indexOf(':') + 1)}`,
    tags: { ...grant.place },
    policy: sessionPolicy({ namespace, secrets, copies, secretPrefix, partition: role.split(':')[1] ?? 'aws' }),
    seconds: credentialSeconds,
  });
}

/** The build whose role's session the caller is: the service that starts builds names sessions after them. */
async function buildOf(deps: HandOutPorts, caller: string): Promise<KnownBuild> {
  const [, role, number] =
    /^arn:[\w-]+:sts::\d{12}:assumed-role\/([\w+=,.@-]+)\/AWSCodeBuild-([\w-]+)$/.exec(caller) ?? [];
  const projects = role === undefined ? undefined : ownOf(deps.config.KUBELOOM_BUILD_ROLES, role);
  if (projects === undefined || number === undefined) throw refused(`${caller} is not a build of this installation`);
  const found = await deps.builds.find(projects.map((project) => `${project}:${number}`));
  const [build] = found;
  if (build === undefined) throw refused(`there is no build ${number} of ${projects.join(' or ')}`);
  if (build.status !== 'running') throw refused(`the build ${build.id} has ended`);
  return build;
}

const ownOf = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

async function grantOfBuild(deps: HandOutPorts, { id, project, variables }: KnownBuild): Promise<JobGrant> {
  const job = jobIn(variables);
  if (job === undefined) throw refused(`the build ${id} has no job`);
  const key = job.kind === 'question' ? questionKeys.request(job.prefix) : waypointKeys.document(job.waypoint);
  const text = await deps.artifacts.getText(key);
  if (text === undefined) throw refused(`${key}, which says what the build ${id} is for, does not exist`);
  const grant = grantOf(job, text);
  const { KUBELOOM_RUNNER_PROJECTS: projects, KUBELOOM_OTHER_PROJECTS: others } = deps.config;
  if (project === projects[grant.tool] || (grant.tool === 'drift' && others.includes(project))) return grant;
  throw refused(`the build ${id} is not one of the runner ${grant.tool}, whose job it has`);
}

/** Undefined for a build that no state machine of ours started. */
function jobIn(variables: KnownBuild['variables']): Job | undefined {
  try {
    return jobOf(variables);
  } catch {
    return undefined;
  }
}

/** Throws `Forbidden`, after an event, when another token was shown before. */
async function takeOnce(
  deps: HandOutPorts,
  { id }: KnownBuild,
  { grant, token }: { readonly grant: JobGrant; readonly token: string },
): Promise<void> {
  const at = deps.clock.now().toISOString();
  const digest = createHash('sha256').update(token).digest('hex');
  if (await deps.buildGrants.take({ build: id, digest, at })) return;
  // One event for each build, however often something asks.
  const first = await deps.buildGrants.take({ build: `${id}#refused`, digest: deps.ids.hash(32), at });
  if (first) await reportSecond(deps, id, grant);
  throw refused(`the build ${id} has its credentials already: they are given out once`);
}

/** Something in the build asked for what its runner has. */
async function reportSecond({ events, clock }: HandOutPorts, build: string, { place }: JobGrant): Promise<void> {
  const { namespace, manifest: name, cluster, run } = place;
  if (name === nowhere) return;
  const kind = 'CredentialsRefused' as const;
  const message = `the build ${build} asked for its credentials a second time, which its runner does not do: something else in it did`;
  const event = {
    at: clock.now().toISOString(),
    runId: run === nowhere ? '' : run,
    kind,
    level: levelOf({ kind }),
    cluster,
    message,
  };
  await events.append({ namespace, name }, [event]);
}

const refused = (why: string): PipelineError => new PipelineError('Forbidden', why);
