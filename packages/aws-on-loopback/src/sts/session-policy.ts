/** Policies of sessions, and what they allow, as IAM has it. */
import { z } from 'zod';

const list = z.union([z.string().transform((one) => [one]), z.array(z.string())]);

/** The elements that are read; any other one is refused, so that nothing is allowed by a rule that is not read. */
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
export type SessionPolicy = z.infer<typeof SessionPolicy>;

/** Throws when it is not such a policy. */
export const parseSessionPolicy = (text: string): SessionPolicy => SessionPolicy.parse(JSON.parse(text));

/** Whether a policy allows an action (`s3:GetObject`) on a resource. */
export function policyAllows({ Statement }: SessionPolicy, action: string, arn: string): boolean {
  const matches = (patterns: readonly string[], text: string): boolean => patterns.some((one) => isLike(one, text));
  return Statement.some((statement) => {
    const acts = 'NotAction' in statement ? !matches(statement.NotAction, action) : matches(statement.Action, action);
    const on = 'NotResource' in statement ? !matches(statement.NotResource, arn) : matches(statement.Resource, arn);
    return acts && on;
  });
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
