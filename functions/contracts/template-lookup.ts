/**
 * What passes between the API and a runner when a branch or tag of a private template repository is asked for its commit:
 * only runners may read the token.
 */
import { z } from 'zod';

export const LookupRequest = z.strictObject({
  /** Host and path of the repository, without scheme. */
  url: z.string(),
  /** Branch or tag. */
  revision: z.string(),
  /** `locatorText` of the Secret with the token. */
  secret: z.string(),
});
export type LookupRequest = z.infer<typeof LookupRequest>;

/** What a runner leaves; never a value of the Secret. */
export const LookupResult = z.strictObject({
  schema: z.literal(1),
  /** ISO 8601 */
  endedAt: z.string(),
  answer: z.union([z.strictObject({ commit: z.string() }), z.strictObject({ reason: z.string(), fix: z.string() })]),
});
export type LookupResult = z.infer<typeof LookupResult>;

/** The newest build for one request, left by whoever started it. */
export const LookupBuild = z.strictObject({
  schema: z.literal(1),
  buildId: z.string(),
  /** ISO 8601 */
  startedAt: z.string(),
  /** Where its request and result are. */
  prefix: z.string(),
});
export type LookupBuild = z.infer<typeof LookupBuild>;

/** Environment of a build that asks a repository instead of doing a stage. */
export const LookupEnvironment = z.object({
  /** Artifact prefix of the look-up. */
  KUBELOOM_LOOKUP: z.string(),
});

/** Artifact keys of look-ups. No namespace begins with `_`: they never meet checks of credentials, beside which they are. */
export const lookupKeys = {
  newest: (reference: { readonly namespace: string; readonly name: string }, digest: string) =>
    `checks/_templates/${reference.namespace}/${reference.name}/${digest}/newest.json`,
  prefix: (newest: string, startedAt: Date) => newest.replace(/newest\.json$/, String(startedAt.getTime())),
  request: (prefix: string) => `${prefix}/request.json`,
  result: (prefix: string) => `${prefix}/result.json`,
} as const;
