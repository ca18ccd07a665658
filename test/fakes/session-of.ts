/** The session that a build of a job works with, made by the code that hands it out in AWS. */
import { type Job, questionKeys } from '#contracts/job.ts';
import { grantOf, type JobGrant } from '#functions/pipeline/builds/job-grant.ts';
import type { Deps } from '#functions/ports.ts';
import { sessionPolicy } from '#functions/rights/session-policy.ts';
import { boundedPorts } from '#local/rights/bounded-ports.ts';
import type { ToolSession } from '#local/rights/session-token.ts';

/** `text`: the document of the job. */
export const sessionOf = (job: Job, text: string): ToolSession => sessionOfGrant(grantOf(job, text));

export function sessionOfGrant({ tool, place, secrets, copies }: JobGrant): ToolSession {
  const scope = { namespace: place.namespace, secrets, copies, secretPrefix: '/kubeloom', partition: 'aws' };
  const until = Date.now() + 900_000;
  return { kind: 'session', name: 'kubeloom-test', tool, place, policy: sessionPolicy(scope), until };
}

/** The ports of a build that answers the question: what it does is held to the rights of its job. */
export async function boundedForQuestion<Ports extends Pick<Deps, 'artifacts' | 'secrets' | 'events'>>(
  ports: Ports,
  prefix: string,
): Promise<Ports> {
  const text = await ports.artifacts.getText(questionKeys.request(prefix));
  if (text === undefined) throw new Error(`there is no question ${prefix}`);
  return boundedPorts(ports, sessionOf({ kind: 'question', prefix }, text));
}
