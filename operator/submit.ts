/** Submits an object and what it refers to: Secrets first, then the document, based on the version that was read. */
import { z } from 'zod';
import type { ApiClient } from '#client/api-client.ts';
import { ProblemAnswer } from '#client/faults.ts';
import type { Problem, WireFault } from '#contracts/api-bodies.ts';
import { type Reference, referenceName } from '#domain/manifest/references-in.ts';
import type { KubernetesApi } from './kubernetes-api.ts';
import { type ObjectCondition, PlanId } from './object-status.ts';
import { Outdated, type Remark } from './object-writes.ts';
import { type ManifestObject, originOf, submissionOf } from './objects.ts';
import type { Resource } from './resources.ts';
import { submitSecret } from './secrets.ts';

export interface Verdict {
  /** Reason and message of the condition `Accepted`. */
  readonly status: ObjectCondition['status'];
  readonly reason: string;
  readonly message: string;
  /** Checksum of the submitted document; absent: the next pass retries. */
  readonly submitted?: string;
  /** Id of the plan that waits for an approval. */
  readonly plan?: string;
  readonly remark?: Remark;
}

type Found = Awaited<ReturnType<ApiClient['findManifest']>>;

/** All faults of a problem, one a line. */
export function faultText({ detail, faults = [] }: Pick<Problem, 'detail' | 'faults'>): string {
  const line = ({ path, reason, fix }: WireFault): string =>
    `${path || '(document)'}: ${reason}${fix ? ` → ${fix}` : ''}`;
  return faults.length > 0 ? faults.map(line).join('\n') : detail;
}

const refused = (problem: Problem, submitted: string): Verdict => {
  const { code: reason } = problem;
  const message = faultText(problem);
  return { status: 'False', reason, message, submitted, remark: { type: 'Warning', reason: 'Refused', message } };
};

/** A temporary refusal that the next pass retries: a commit that is being resolved, or a deletion in progress. */
const passing = (problem: Problem): boolean =>
  problem.code === 'TemplatesPending' || problem.status === 409 || problem.status === 429 || problem.status >= 500;

/**
 * `versions`: the Secrets that it refers to. Those that differ from the status are submitted, even if one of them is refused: the status
 * records all versions, so the others would not be submitted later. Throws all refusals as one.
 */
export async function submitReferences(
  kubernetes: KubernetesApi,
  api: ApiClient,
  object: ManifestObject,
  versions: Readonly<Record<string, string>>,
): Promise<void> {
  const refusals: { readonly reference: string; readonly problem: Problem }[] = [];
  for (const [reference, version] of Object.entries(versions)) {
    if (object.status.secrets?.[reference] === version) continue;
    try {
      await submitSecret(kubernetes, api, reference);
    } catch (error) {
      if (!(error instanceof ProblemAnswer) || passing(error.problem)) throw error;
      refusals.push({ reference, problem: error.problem });
    }
  }
  const [first, ...more] = refusals;
  if (first === undefined) return;
  if (more.length === 0) throw new ProblemAnswer(first.problem);
  const detail = refusals.map(({ reference, problem }) => `Secret ${reference}: ${faultText(problem)}`).join('\n');
  throw new ProblemAnswer({ ...first.problem, detail, faults: [] });
}

/** The refusal of an object that refers to other namespaces, because Kubeloom would use these with the operator's rights. */
export function refusedForeign(foreign: readonly Reference[], submitted: string): Verdict | undefined {
  if (foreign.length === 0) return undefined;
  const line = (one: Reference): string =>
    `${one.field} ${referenceName(one)}: is in another namespace, and this operator reads only the object's own → copy it there`;
  const message = [...new Set(foreign.map(line))].join('\n');
  const reason = 'ForeignSecret';
  return { status: 'False', reason, message, submitted, remark: { type: 'Warning', reason: 'Refused', message } };
}

/** Throws errors that are not about this object: the next pass retries. `Left`: nothing was submitted. */
export async function judged<Left extends undefined = never>(
  submitted: string,
  submit: () => Promise<Verdict | Left>,
): Promise<Verdict | Left> {
  try {
    return await submit();
  } catch (error) {
    if (!(error instanceof ProblemAnswer)) throw error;
    const { problem } = error;
    // Another writer was faster, or the object is older than the stored manifest.
    if (problem.status === 412) throw new Outdated(problem.detail, { cause: error });
    if (problem.status >= 500 || problem.status === 429) throw error;
    if (problem.code === 'ApprovalRequired') return waitsForApproval(problem, submitted);
    if (passing(problem)) return { status: 'Unknown', reason: problem.code, message: faultText(problem) };
    return refused(problem, submitted);
  }
}

const Proposed = z.object({ plan: PlanId });

function waitsForApproval(problem: Problem, submitted: string): Verdict {
  const { code: reason } = problem;
  const message = faultText(problem);
  const { plan } = Proposed.safeParse(problem.details).data ?? {};
  const remark = { type: 'Normal', reason: 'WaitsForApproval', message } as const;
  return { status: 'Unknown', reason, message, submitted, ...(plan !== undefined && { plan }), remark };
}

/**
 * What happened to the plan of an object that waits for an approval: `ended` when it has to be proposed again, undefined while it waits.
 * One that a person rejected is not proposed again.
 */
export async function proposalOutcome(
  api: Pick<ApiClient, 'listPlans'>,
  { metadata: { namespace, name }, status: { plan: id } }: ManifestObject,
  submitted: string,
): Promise<Verdict | 'ended' | undefined> {
  const { items } = await api.listPlans({ namespace, name });
  const plan = items.find((one) => one.id === id);
  if (plan?.state === 'Proposed' || plan?.state === 'Approved') return undefined;
  if (plan?.state !== 'Rejected' && plan?.state !== 'Withdrawn') return 'ended';
  const { closed } = plan;
  const why = closed?.reason === undefined ? '' : `: ${closed.reason}`;
  const message = `plan ${plan.id} was ${plan.state.toLowerCase()}${closed ? ` by ${closed.by} at ${closed.at}` : ''}${why}; change the object to propose another one`;
  const remark = { type: 'Warning', reason: 'Refused', message } as const;
  return { status: 'False', reason: 'ApprovalRejected', message, submitted, remark };
}

/** `object` is read after `found`, so that an older document never replaces a newer one. */
export async function submitManifest(
  api: ApiClient,
  { object, resource, found }: { readonly object: ManifestObject; readonly resource: Resource; readonly found: Found },
): Promise<Verdict> {
  const { document, checksum } = submissionOf(object, resource);
  const { uid, name, namespace } = object.metadata;
  const origin = originOf(found?.manifest.document);
  // Another replica submitted it, or this one did before it could record that.
  if (origin?.uid === uid && origin.checksum === checksum && !found?.manifest.deleting)
    return {
      status: 'True',
      reason: 'Accepted',
      message: `generation ${found?.manifest.generation}`,
      submitted: checksum,
    };
  const condition = found?.etag === undefined ? { 'If-None-Match': '*' as const } : { 'If-Match': found.etag };
  const accepted = await api.putManifest({ namespace, name }, document, condition);
  const warnings = accepted.warnings.length > 0 ? `; ${faultText({ detail: '', faults: accepted.warnings })}` : '';
  const message = `generation ${accepted.generation}${warnings}`;
  const remark = { type: 'Normal', reason: 'Accepted', message: `${message}, run ${accepted.runId}` } as const;
  return { status: 'True', reason: 'Accepted', message, submitted: checksum, remark };
}
