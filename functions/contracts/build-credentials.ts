/** What a runner shows and gets when it asks for the credentials of its build. */
import { z } from 'zod';

/** Path of the API. */
export const buildCredentialsPath = '/v1/builds/credentials';

/** How long they are valid: the least that STS gives. Runners renew them. */
export const credentialSeconds = 900;

export const CredentialsRequest = z.strictObject({
  /** Made by the runner for its build, shown again for a renewal, and known to nothing else. */
  token: z.string().regex(/^[\w-]{43}$/, 'must be 32 random bytes in base64url'),
});

export const BuildCredentials = z.strictObject({
  accessKeyId: z.string(),
  secretAccessKey: z.string(),
  sessionToken: z.string(),
  /** ISO 8601 */
  expiresAt: z.string(),
});
export type BuildCredentials = z.infer<typeof BuildCredentials>;

/** Exit code of a runner that got none: without them it cannot even write a result. */
export const exitWithoutCredentials = 78;
