/** STS, as far as it gives sessions of roles, with tags and policies of their own. Its protocol is a form, and answers in XML. */
import { createHash, randomUUID } from 'node:crypto';
import type { RequestListener, ServerResponse } from 'node:http';
import { z } from 'zod';
import { type Logger, messageOf } from '../logger.ts';
import { bodyWithin } from '../server/body-within.ts';
import { callerOf, type ServiceCaller } from '../server/callers.ts';

/** As STS limits them; a role that another role became gets an hour at most. */
const AssumeRole = z.object({
  Action: z.literal('AssumeRole'),
  RoleArn: z.string(),
  RoleSessionName: z.string().regex(/^[\w+=,.@-]{2,64}$/),
  DurationSeconds: z.coerce.number().int().min(900).max(3600),
  /** JSON */
  Policy: z.string().max(2048),
});
const TagValue = z.string().regex(/^[\p{L}\p{Z}\p{N}_.:/=+\-@]{0,256}$/u);

const longestRequest = 32 * 1024;

/** A session that a client asks for. */
export interface AskedSession {
  readonly roleArn: string;
  readonly name: string;
  readonly tags: Readonly<Record<string, string>>;
  /** JSON */
  readonly policy: string;
  /** Epoch milliseconds */
  readonly until: number;
}

/** What its client signs with. */
export interface SessionKeys {
  readonly accessKeyId: string;
  readonly sessionToken: string;
}

/** `open` throws a sentence for a role that does not exist, or a policy that is not read. */
export function stsListener(open: (asked: AskedSession) => SessionKeys, logger: Logger): RequestListener {
  return async (request, response) => {
    try {
      const body = await bodyWithin(request, longestRequest);
      const denied = denialOfSession(callerOf(request));
      if (denied !== undefined) return answer(response, 403, errorXml('AccessDenied', denied));
      answer(response, 200, sessionXml(open, Object.fromEntries(new URLSearchParams(body?.toString('utf8') ?? ''))));
    } catch (error) {
      logger.error('the local STS refused a request', { cause: messageOf(error) });
      answer(response, 400, errorXml('ValidationError', messageOf(error)));
    }
  };
}

/** A session with tags needs two rights. */
function denialOfSession(caller: ServiceCaller): string | undefined {
  return caller.denial('sts:AssumeRole', []) ?? caller.denial('sts:TagSession', []);
}

function sessionXml(open: (asked: AskedSession) => SessionKeys, form: Readonly<Record<string, string>>): string {
  const { RoleArn: roleArn, RoleSessionName: name, DurationSeconds, Policy: policy } = AssumeRole.parse(form);
  const until = Date.now() + DurationSeconds * 1000;
  const { accessKeyId, sessionToken } = open({ roleArn, name, tags: tagsOf(form), policy, until });
  const secret = createHash('sha256').update(randomUUID()).digest('hex');
  return [
    '<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>',
    `<AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secret}</SecretAccessKey>`,
    `<SessionToken>${sessionToken}</SessionToken><Expiration>${new Date(until).toISOString()}</Expiration>`,
    `</Credentials></AssumeRoleResult><ResponseMetadata><RequestId>${randomUUID()}</RequestId></ResponseMetadata></AssumeRoleResponse>`,
  ].join('');
}

/** `Tags.member.1.Key=namespace&Tags.member.1.Value=team` */
function tagsOf(form: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const numbers = Object.keys(form).flatMap((field) => /^Tags\.member\.(\d+)\.Key$/.exec(field)?.[1] ?? []);
  return Object.fromEntries(
    numbers.map((number) => [form[`Tags.member.${number}.Key`], TagValue.parse(form[`Tags.member.${number}.Value`])]),
  );
}

function errorXml(code: string, message: string): string {
  const plain = message.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>${code}</Code><Message>${plain}</Message></Error><RequestId>${randomUUID()}</RequestId></ErrorResponse>`;
}

function answer(response: ServerResponse, status: number, xml: string): void {
  response.writeHead(status, { 'content-type': 'text/xml', 'content-length': Buffer.byteLength(xml) });
  response.end(xml);
}
