/** What the session of a build may do: what its role allows for its tags, and what its own policy allows, as IAM has it. */

import { parameterArn } from 'aws-on-loopback/names.ts';
import { z } from 'zod';
import { coversKey, jobRights } from '#functions/rights/job-rights.ts';
import { runnerActions, runnerMay } from '#functions/rights/runner-rights.ts';
import type { ToolSession } from './session-token.ts';

const list = z.union([z.string().transform((one) => [one]), z.array(z.string())]);

/** The elements that the product's session policies have; any other one is refused, so that nothing is allowed by a rule that is not read. */
const SessionPolicy = z.strictObject({
  Version: z.literal('2012-10-17'),
  Statement: z.array(
    z.union([
      z.strictObject({ Effect: z.literal('Allow'), Action: list, Resource: list }),
      z.strictObject({ Effect: z.literal('Allow'), Action: list, NotResource: list }),
      z.strictObject({ Effect: z.literal('Allow'), NotAction: list, Resource: list }),
    ]),
  ),
});
type SessionPolicy = z.infer<typeof SessionPolicy>;

/** Throws when it is not such a policy. */
export const parseSessionPolicy = (text: string): SessionPolicy => SessionPolicy.parse(JSON.parse(text));

/** Whether a session may do `action` (`s3:GetObject`) to an object, partition, Secret or builds of a runner. */
export function sessionMay(session: ToolSession, action: string, key: string): boolean {
  const { tool, place, policy, until } = session;
  if (Date.now() > until || !runnerActions(tool).includes(action)) return false;
  if (action.startsWith('codebuild:')) return runnerMay(tool, action, key);
  const patterns = jobRights(tool, place)[action] ?? [];
  return patterns.some((pattern) => coversKey(pattern, key)) && policyAllows(parseSessionPolicy(policy), action, key);
}

function policyAllows({ Statement }: SessionPolicy, action: string, key: string): boolean {
  const arn = arnOf(action, key);
  const matches = (patterns: readonly string[], text: string): boolean => patterns.some((one) => isLike(one, text));
  return Statement.some((statement) => {
    const acts = 'NotAction' in statement ? !matches(statement.NotAction, action) : matches(statement.Action, action);
    const on = 'NotResource' in statement ? !matches(statement.NotResource, arn) : matches(statement.Resource, arn);
    return acts && on;
  });
}

function arnOf(action: string, key: string): string {
  const [service] = action.split(':');
  if (service === 'ssm') return parameterArn(`${process.env.KUBELOOM_SECRET_PREFIX ?? '/kubeloom'}/${key}`);
  return service === 's3' ? `arn:aws:s3:::kubeloom/${key}` : `arn:aws:${service}:::${key}`;
}

/** As IAM compares: `*` is any text. */
function isLike(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern === text;
  if (!text.startsWith(first)) return false;
  const last = rest.pop() ?? '';
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.endsWith(last) && text.length - last.length >= at;
}
