/**
 * The next step of a GitSource that is due: ask for its commit, start a runner that fetches it, submit what the runner left.
 * One step at a time: of two calls, the one that writes the record first does it.
 */
import type { GitSourceRecord, SourceFiles, SourceStatus } from '#contracts/git-sources.ts';
import { errorIn, foundIn, questionKeys, questionLimitMs } from '#contracts/job.ts';
import { isPipelineError } from '#domain/errors.ts';
import { firstFaults } from '#domain/manifest/faults/fault.ts';
import { intervalMinutes } from '#domain/manifest/schema/drift-checks.ts';
import { gitSourceSecret } from '#domain/manifest/schema/git-source.ts';
import { sameValue } from '#domain/same-value.ts';
import type { SubmissionPorts } from '../../rights/submission-uses.ts';
import { findQuestion, startQuestion } from '../jobs/questions.ts';
import { recordChange } from '../records/audit-event.ts';
import { pruneSource } from './prune-source.ts';
import { sourceCaller } from './source-caller.ts';
import { sourceDocuments } from './source-documents.ts';
import { notItsOwn, ownerAmong } from './source-owners.ts';
import { submitSource } from './submit-source.ts';

export type SourceStep = 'leftAlone' | 'asked' | 'fetching' | 'read' | 'refused';

/** If a step is interrupted, the next one begins after this. */
const claimSeconds = 300;
/** Between two questions to a runner. */
const waitSeconds = 20;

type Change = Partial<Omit<GitSourceRecord, 'namespace' | 'name' | 'version' | 'document' | 'maker' | 'generation'>>;

export async function advanceSource(deps: SubmissionPorts, due: GitSourceRecord): Promise<SourceStep> {
  const claimed = { ...due, version: due.version + 1, dueAt: after(deps, claimSeconds) };
  try {
    await deps.gitSources.put(claimed);
  } catch (error) {
    if (isPipelineError(error, 'VersionConflict')) return 'leftAlone';
    throw error;
  }
  const { step, change } = await nextStep(deps, claimed);
  await keep(deps, claimed, change);
  return step;
}

/** Another request may have stored a new document meanwhile: that is due already, and what was submitted is noted in it. */
async function keep(deps: SubmissionPorts, claimed: GitSourceRecord, change: Change): Promise<void> {
  try {
    await deps.gitSources.put({ ...claimed, ...change, version: claimed.version + 1 });
  } catch (error) {
    if (!isPipelineError(error, 'VersionConflict')) throw error;
    const now = await deps.gitSources.get(claimed);
    if (now === undefined || change.submitted === undefined) return;
    await deps.gitSources.put({ ...now, submitted: change.submitted, version: now.version + 1 });
  }
}

interface Step {
  readonly step: SourceStep;
  readonly change: Change;
}

async function nextStep(deps: SubmissionPorts, source: GitSourceRecord): Promise<Step> {
  const { spec } = source.document;
  if (spec.suspend) return { step: 'leftAlone', change: rest(deps, source, { state: 'Suspended' }) };
  if (source.fetching !== undefined) return fetched(deps, source, source.fetching);
  const secret = gitSourceSecret(source.document);
  const known = source.done?.generation === source.generation ? source.done.commit : undefined;
  const askedAt = after(deps, 0);
  let ref = spec.ref;
  if (secret === undefined) {
    const answer = await deps.templateSources.resolve(spec.url, spec.ref, 'GitSource');
    if (!('commit' in answer)) return { step: 'asked', change: rest(deps, source, unreachable(answer)) };
    if (answer.commit === known) return { step: 'asked', change: { ...(await atRest(deps, source)), askedAt } };
    ref = answer.commit;
  }
  const fetching = questionKeys.sources(source, `${source.version}-${deps.ids.hash(8)}`);
  const { name, url, path } = { name: source.name, ...spec };
  await startQuestion(deps, fetching, {
    kind: 'source',
    name,
    url,
    ref,
    path,
    ...(secret !== undefined && { secret }),
    ...(known !== undefined && { known }),
  });
  // One that is only asked whether anything is new keeps its state.
  const state = known === undefined ? ('Fetching' as const) : source.status.state;
  return {
    step: 'asked',
    change: { fetching, askedAt, dueAt: after(deps, waitSeconds), status: { ...source.status, state } },
  };
}

async function fetched(deps: SubmissionPorts, source: GitSourceRecord, fetching: string): Promise<Step> {
  const question = await findQuestion(deps, fetching);
  if (question?.status === 'running') {
    const age = deps.clock.now().getTime() - Date.parse(question.startedAt);
    if (age < 2 * questionLimitMs.source) return { step: 'fetching', change: { dueAt: after(deps, waitSeconds) } };
    await deps.builds.stop(question.buildId);
  }
  const { result } = question ?? {};
  const read = foundIn('source', result);
  if (read === undefined) {
    const error = errorIn(result);
    const problem = {
      reason: error?.message ?? `the runner ended without a result (build ${question?.buildId ?? 'unknown'})`,
      fix: error?.hint ?? 'Kubeloom retries it; if it keeps failing, read the log of that build',
    };
    return { step: 'read', change: { ...rest(deps, source, unreachable(problem)), fetching: undefined } };
  }
  if (read.files === undefined) {
    return { step: 'read', change: { ...(await atRest(deps, source)), fetching: undefined } };
  }
  return submitted(deps, source, read);
}

async function submitted(deps: SubmissionPorts, source: GitSourceRecord, read: SourceFiles): Promise<Step> {
  const { commit, files = [], faults: unread = [] } = read;
  const readAt = deps.clock.now().toISOString();
  const caller = await sourceCaller(deps, source, commit);
  const end = (status: Partial<SourceStatus>, more: Change = {}): Change => ({
    ...rest(deps, source, { commit, readAt, ...status }),
    fetching: undefined,
    done: undefined,
    ...more,
  });
  if (caller === undefined) {
    const reason = `${source.maker.name}, who applied it, lacks the role operator in namespace "${source.namespace}" now`;
    const fix = 'someone with that role has to apply it again';
    return { step: 'refused', change: end({ state: 'Refused', problem: { reason, fix } }) };
  }
  if (files.length === 0 && unread.length === 0) {
    const reason = `there is no .yaml, .yml or .json file in path ${source.document.spec.path} of commit ${commit}`;
    return { step: 'read', change: end(unreachable({ reason, fix: 'correct spec.path or spec.ref' })) };
  }
  const limits = { namespace: source.namespace, maxBytes: deps.config.KUBELOOM_MAX_BODY_BYTES };
  const documents = sourceDocuments(read, limits);
  const others = await otherSources(deps, source);
  let outcome: Awaited<ReturnType<typeof submitSource>>;
  try {
    outcome = await submitSource(deps, { source, others, caller, commit, read: documents });
  } catch (error) {
    // A runner looks up a branch of templates: what was read is submitted once it is known.
    if (!isPipelineError(error, 'TemplatesPending')) throw error;
    return { step: 'fetching', change: { dueAt: after(deps, waitSeconds) } };
  }
  const pruned = await pruneSource(deps, {
    source,
    others,
    caller,
    commit,
    own: { ...source.submitted, ...outcome.submitted },
    present: new Set(outcome.rows.map(({ name }) => name)),
    complete: outcome.faults.length === 0,
  });
  const faults = [...outcome.faults, ...pruned.faults];
  const manifests = [...outcome.rows, ...pruned.rows];
  const done = faults.length === 0 && !pruned.waits;
  const state = faults.length > 0 ? ('Faulty' as const) : ('Ready' as const);
  if (!sameValue([commit, manifests], [source.status.commit, source.status.manifests])) {
    await recordChange(deps, source.namespace, `GitSource ${source.name}: ${countsOf(manifests)}`, caller);
  }
  return {
    step: 'read',
    change: end(
      { state, faults: [...firstSourceFaults(faults)], manifests },
      { submitted: pruned.submitted, ...(done && { done: { commit, generation: source.generation } }) },
    ),
  };
}

/** A known commit: only what someone changed since is new, and what another GitSource took over. */
async function atRest(deps: SubmissionPorts, source: GitSourceRecord): Promise<Change> {
  const gone = Object.entries(source.submitted).some(([, { goneSince }]) => goneSince !== undefined);
  const others = gone ? await otherSources(deps, source) : [];
  const own = Object.entries(source.submitted).filter(([name]) => ownerAmong(others, name) === undefined);
  const rows = source.status.manifests.filter(({ name }) => ownerAmong(others, name) === undefined);
  const manifests = await Promise.all(
    rows.map(async (row) => {
      const own = source.submitted[row.name];
      if (own === undefined || row.state === 'kept' || row.state === 'deleted') return row;
      const stored = await deps.manifests.get({ namespace: source.namespace, name: row.name }).catch(() => undefined);
      const isOwn = stored !== undefined && !stored.deleting && notItsOwn(own, stored) === undefined;
      if (!isOwn) return row.state === 'proposed' ? row : { ...row, state: 'changed' as const };
      return row.state === 'changed' || row.state === 'proposed' ? { ...row, state: 'applied' as const } : row;
    }),
  );
  const state = source.status.faults.length > 0 ? ('Faulty' as const) : ('Ready' as const);
  const status = { state, manifests, ...(source.status.commit && { commit: source.status.commit }) };
  return { ...rest(deps, source, status), submitted: Object.fromEntries(own) };
}

async function otherSources(deps: SubmissionPorts, { namespace, name }: GitSourceRecord) {
  return (await deps.gitSources.list(namespace)).filter((other) => other.name !== name);
}

/** Until it is due again. What is not in `status` stays, apart from a problem of before. */
function rest(
  deps: Pick<SubmissionPorts, 'clock'>,
  { document, status: { problem: _before, ...before } }: GitSourceRecord,
  status: Partial<SourceStatus>,
): Change {
  const minutes = intervalMinutes(document.spec.every) ?? 5;
  return { dueAt: after(deps, minutes * 60), status: { ...before, ...status } };
}

function unreachable({ reason, fix }: { reason: string; fix: string }): Partial<SourceStatus> {
  return { state: 'Unreachable', problem: { reason: reason.slice(0, 2000), fix: fix.slice(0, 2000) } };
}

function firstSourceFaults(faults: SourceStatus['faults']): SourceStatus['faults'] {
  const shown = firstFaults(faults.map((fault) => ({ fix: '', ...fault, severity: 'error' as const })));
  return shown.map(({ severity: _, ...fault }) => ({ file: '.', ...fault }));
}

function countsOf(manifests: SourceStatus['manifests']): string {
  const counts = new Map<string, number>();
  for (const { state } of manifests) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts].map(([state, count]) => `${count} ${state}`).join(', ') || 'no manifests';
}

function after({ clock }: Pick<SubmissionPorts, 'clock'>, seconds: number): string {
  return new Date(clock.now().getTime() + seconds * 1000).toISOString();
}
