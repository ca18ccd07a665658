/**
 * Session tokens of this platform: who a client is, sealed with the access key. Every service can read them, in whichever thread it runs,
 * and no one else can make one.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { runnerTools } from '#functions/rights/runner-rights.ts';

const text = z.string();

/** The role of a CodeBuild project, in one build. */
const BuildIdentity = z.object({ kind: z.literal('build'), build: text });

/** A session of the role of a tool. */
export const ToolSession = z.object({
  kind: z.literal('session'),
  name: text,
  tool: z.enum(runnerTools),
  place: z.object({
    namespace: text,
    manifest: text,
    cluster: text,
    run: text,
    waypoint: text,
    attempt: text,
    question: text,
  }),
  /** JSON */
  policy: text,
  /** Epoch milliseconds */
  until: z.number(),
});
export type ToolSession = z.infer<typeof ToolSession>;

const Sealed = z.discriminatedUnion('kind', [BuildIdentity, ToolSession]);
export type SealedIdentity = z.infer<typeof Sealed>;

export function sealIdentity(accessKey: string, identity: SealedIdentity): string {
  const content = Buffer.from(JSON.stringify(identity)).toString('base64url');
  return `${content}.${sealOf(accessKey, content).toString('base64url')}`;
}

/** Undefined for a token that this platform did not make. */
export function openIdentity(accessKey: string, token: string): SealedIdentity | undefined {
  const [content = '', seal = ''] = token.split('.');
  const given = Buffer.from(seal, 'base64url');
  const right = sealOf(accessKey, content);
  if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
  return Sealed.parse(JSON.parse(Buffer.from(content, 'base64url').toString('utf8')));
}

const sealOf = (accessKey: string, content: string): Buffer =>
  createHmac('sha256', `sessions of ${accessKey}`).update(content).digest();
