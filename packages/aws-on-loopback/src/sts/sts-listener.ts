/** STS, as far as it gives sessions of the roles of tools to the function that hands them out. Its protocol is a form, and answers in XML. */
import { createHash, randomUUID } from 'node:crypto';
import type { RequestListener, ServerResponse } from 'node:http';
import { z } from 'zod';
import { runnerTools } from '../../../../functions/rights/runner-rights.ts';
import { longestSessionPolicy } from '../../../../functions/rights/session-policy.ts';
import { toolRoleArn } from '../../../../local/names.ts';
import { type Principal, principalOf, sessionKeyOf } from '../../../../local/rights/access-key.ts';
import { denial } from '../../../../local/rights/request-rights.ts';
import { parseSessionPolicy } from '../../../../local/rights/session-rights.ts';
import { sealIdentity, ToolSession } from '../../../../local/rights/session-token.ts';
import { type Logger, messageOf } from '../logger.ts';
import { bodyWithin } from '../server/body-within.ts';

/** As STS limits them; a role that another role became gets an hour at most. */
const AssumeRole = z.object({
  Action: z.literal('AssumeRole'),
  RoleArn: z.string(),
  RoleSessionName: z.string().regex(/^[\w+=,.@-]{2,64}$/),
  DurationSeconds: z.coerce.number().int().min(900).max(3600),
  Policy: z.string().max(longestSessionPolicy),
});
const TagValue = z.string().regex(/^[\p{L}\p{Z}\p{N}_.:/=+\-@]{0,256}$/u);

const longestRequest = 32 * 1024;

/** `accessKey`: what sessions are sealed with. */
export function stsListener(accessKey: string, logger: Logger): RequestListener {
  return async (request, response) => {
    try {
      const body = await bodyWithin(request, longestRequest);
      const principal = principalOf(request);
      const denied = principal && denialOfSession(principal);
      if (denied !== undefined) return answer(response, 403, errorXml('AccessDenied', denied));
      answer(
        response,
        200,
        sessionXml(accessKey, Object.fromEntries(new URLSearchParams(body?.toString('utf8') ?? ''))),
      );
    } catch (error) {
      logger.error('the local STS refused a request', { cause: messageOf(error) });
      answer(response, 400, errorXml('ValidationError', messageOf(error)));
    }
  };
}

/** A session with tags needs two rights. */
function denialOfSession(principal: Principal): string | undefined {
  return denial(principal, 'sts:AssumeRole', []) ?? denial(principal, 'sts:TagSession', []);
}

function sessionXml(accessKey: string, form: Readonly<Record<string, string>>): string {
  const { RoleArn, RoleSessionName: name, DurationSeconds, Policy: policy } = AssumeRole.parse(form);
  const tool = runnerTools.find((one) => toolRoleArn(one) === RoleArn);
  if (tool === undefined) throw new Error(`there is no role ${RoleArn}`);
  parseSessionPolicy(policy);
  const until = Date.now() + DurationSeconds * 1000;
  const identity = ToolSession.parse({ kind: 'session', name, tool, place: tagsOf(form), policy, until });
  const token = sealIdentity(accessKey, identity);
  const secret = createHash('sha256').update(randomUUID()).digest('hex');
  return [
    '<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>',
    `<AccessKeyId>${sessionKeyOf(token)}</AccessKeyId><SecretAccessKey>${secret}</SecretAccessKey>`,
    `<SessionToken>${token}</SessionToken><Expiration>${new Date(until).toISOString()}</Expiration>`,
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
