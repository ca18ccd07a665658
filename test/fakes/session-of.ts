/** The session that a build of a job works with, made by the code that hands it out in AWS. */
import type { Job } from '#contracts/job.ts';
import { grantOf, type JobGrant } from '#functions/pipeline/builds/job-grant.ts';
import { sessionPolicy } from '#functions/rights/session-policy.ts';
import type { ToolSession } from '#local/rights/session-token.ts';

/** `text`: the document of the job. */
export const sessionOf = (job: Job, text: string): ToolSession => sessionOfGrant(grantOf(job, text));

export function sessionOfGrant({ tool, place, secrets, copies }: JobGrant): ToolSession {
  const scope = { namespace: place.namespace, secrets, copies, secretPrefix: '/kubeloom', partition: 'aws' };
  const until = Date.now() + 900_000;
  return { kind: 'session', name: 'kubeloom-test', tool, place, policy: sessionPolicy(scope), until };
}
