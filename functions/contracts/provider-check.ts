/** What passes between the API, a runner and people when the credentials of a provider instance are tried; never a value of a Secret. */
import { z } from 'zod';

/** What a runner is to try: written as JSON by whoever starts the check. */
export const CheckRequest = z.strictObject({
  /** Name of the provider instance. */
  provider: z.string(),
  type: z.string(),
  /** `locatorText`; absent for types that need none. */
  secret: z.string().optional(),
  /** Regions that the manifest names for it. */
  regions: z.array(z.string()),
});
export type CheckRequest = z.infer<typeof CheckRequest>;

export const CheckFinding = z
  .strictObject({
    about: z.enum(['identity', 'permission', 'quota']),
    name: z.string().describe('account, permission or quota, as the cloud calls it'),
    ok: z.boolean().nullable().describe('null: nobody can tell beforehand'),
    message: z.string().describe('a sentence for people; never a credential'),
  })
  .meta({ id: 'CheckFinding' });
export type CheckFinding = z.infer<typeof CheckFinding>;

/** What a runner leaves. */
export const CheckResult = z.strictObject({
  schema: z.literal(1),
  /** ISO 8601 */
  startedAt: z.string(),
  endedAt: z.string(),
  findings: z.array(CheckFinding),
});
export type CheckResult = z.infer<typeof CheckResult>;

/** Of the build, left by whoever started it. */
export const CheckBuild = z.strictObject({
  schema: z.literal(1),
  buildId: z.string(),
  /** ISO 8601 */
  startedAt: z.string(),
});
export type CheckBuild = z.infer<typeof CheckBuild>;

/** Environment of a build that tries credentials instead of doing a stage. */
export const CheckEnvironment = z.object({
  /** Artifact prefix of the check. */
  KUBELOOM_CHECK: z.string(),
});

/** A check has this long, in milliseconds; what was not found out by then is told as such. */
export const checkLimitMs = 5 * 60_000;

/** Artifact keys of checks: the one place that knows them. */
export const checkKeys = {
  /** Everything of one provider instance. */
  instance: (key: { readonly namespace: string; readonly name: string }, provider: string) =>
    `checks/${key.namespace}/${key.name}/${provider}/`,
  request: (prefix: string) => `${prefix}/request.json`,
  build: (prefix: string) => `${prefix}/build.json`,
  result: (prefix: string) => `${prefix}/result.json`,
} as const;
