/** What the session of a build may do: what its role allows for its tags, and what its own policy allows, as IAM has it. */
import { parameterArn } from 'aws-on-loopback/names.ts';
import { parseSessionPolicy, policyAllows } from 'aws-on-loopback/sts/session-policy.ts';
import { coversKey, jobRights } from '#functions/rights/job-rights.ts';
import { runnerActions, runnerMay } from '#functions/rights/runner-rights.ts';
import type { ToolSession } from './session-token.ts';

/** Whether a session may do `action` (`s3:GetObject`) to an object, partition, Secret or builds of a runner. */
export function sessionMay(session: ToolSession, action: string, key: string): boolean {
  const { tool, place, policy, until } = session;
  if (Date.now() > until || !runnerActions(tool).includes(action)) return false;
  if (action.startsWith('codebuild:')) return runnerMay(tool, action, key);
  const patterns = jobRights(tool, place)[action] ?? [];
  return (
    patterns.some((pattern) => coversKey(pattern, key)) &&
    policyAllows(parseSessionPolicy(policy), action, arnOf(action, key))
  );
}

function arnOf(action: string, key: string): string {
  const [service] = action.split(':');
  if (service === 'ssm') return parameterArn(`${process.env.KUBELOOM_SECRET_PREFIX ?? '/kubeloom'}/${key}`);
  return service === 's3' ? `arn:aws:s3:::kubeloom/${key}` : `arn:aws:${service}:::${key}`;
}
