/** Google Cloud: a token for the service account, each permission by testIamPermissions, and the quotas of regions. */
import { createSign } from 'node:crypto';
import { z } from 'zod';
import { closedText } from '#domain/observed/closed-texts.ts';
import { AccessToken, CloudWord } from '#domain/observed/cloud-texts.ts';
import { comparedText } from '#domain/observed/kubernetes-texts.ts';
import { webIdentityToken } from '../../web-identity.ts';
import { askCloud, bearer, CheckRefused, form, json, mustAsk, quotaUnread } from '../ask.ts';
import {
  type CheckFinding,
  type CheckInput,
  type CheckOfType,
  identity,
  type LoginInput,
  permissionFinding,
  quotaFinding,
} from '../finding.ts';

const Key = z.object({ client_email: closedText(320, /^[!-~]+$/), private_key: comparedText(20_000) });
const Token = z.object({ access_token: AccessToken });
const ShortToken = z.object({ accessToken: AccessToken });
const Granted = z.object({ permissions: z.array(CloudWord).default([]) });
const Region = z.object({ quotas: z.array(z.object({ metric: CloudWord, limit: z.number(), usage: z.number() })) });
const scope = 'https://www.googleapis.com/auth/cloud-platform';
/** The quotas of a region that machines use. */
const metrics = ['CPUS', 'IN_USE_ADDRESSES', 'SSD_TOTAL_GB'];
/** As many permissions as one question may have. */
const chunk = 100;

export const check: CheckOfType = async (input) => {
  const { gcpproject: project = '' } = input.fields;
  const { token, account } = await gcpToken(input);
  const headers = bearer(token);
  const manager = input.bases.cloudresourcemanager ?? 'https://cloudresourcemanager.googleapis.com';
  const granted = new Set<string>();
  for (let at = 0; at < input.permissions.length; at += chunk) {
    const permissions = input.permissions.slice(at, at + chunk);
    const url = `${manager}/v3/projects/${encodeURIComponent(project)}:testIamPermissions`;
    const answer = await mustAsk(`project ${project}`, url, json({ permissions }, headers));
    for (const permission of Granted.parse(answer.json).permissions) granted.add(permission);
  }
  const quotas = await Promise.all(input.regions.map((region) => quotasOf(input, headers, { project, region })));
  return [
    identity(account, `project ${project}`),
    ...input.permissions.map((permission) => permissionFinding(permission, granted.has(permission))),
    ...quotas.flat(),
  ];
};

export async function gcpToken({ fields, bases }: LoginInput): Promise<{ token: string; account: string }> {
  if (fields.credentials === undefined) return federatedToken(fields, bases);
  const key = Key.safeParse(JSON.parse(fields.credentials)).data;
  if (key === undefined) throw faulty('is not the key of a service account: create a new one, of type JSON');
  const url = bases.oauth2 ?? 'https://oauth2.googleapis.com/token';
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: key.client_email, scope, aud: 'https://oauth2.googleapis.com/token', iat: now, exp: now + 600 };
  const text = [{ alg: 'RS256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const assertion = `${text}.${signed(text, key.private_key)}`;
  const answer = await mustAsk(
    key.client_email,
    url,
    form({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }),
  );
  return { token: Token.parse(answer.json).access_token, account: key.client_email };
}

function signed(text: string, pem: string): string {
  try {
    return createSign('RSA-SHA256').update(text).sign(pem, 'base64url');
  } catch {
    throw faulty('its private_key cannot be read: use the file exactly as Google created it, line ends included');
  }
}

function faulty(message: string): CheckRefused {
  return new CheckRefused({ about: 'identity', name: 'credentials', ok: false, message });
}

/** Exchanges our token of AWS for one of Google's pool, and that for one of the service account. */
async function federatedToken(
  fields: CheckInput['fields'],
  bases: CheckInput['bases'],
): Promise<{ token: string; account: string }> {
  const { workloadidentityprovider = '', serviceaccount: account = '' } = fields;
  const pool = workloadidentityprovider.replace('//iam.googleapis.com/', '');
  const { token: subject_token } = await webIdentityToken(`https://iam.googleapis.com/${pool}`, () => undefined);
  const exchange = form({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    audience: `//iam.googleapis.com/${pool}`,
    scope,
    requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    subject_token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  });
  const first = await mustAsk('workload identity pool', bases.sts ?? 'https://sts.googleapis.com/v1/token', exchange);
  const url = `${bases.iamcredentials ?? 'https://iamcredentials.googleapis.com'}/v1/projects/-/serviceAccounts/${account}:generateAccessToken`;
  const second = await mustAsk(account, url, json({ scope: [scope] }, bearer(Token.parse(first.json).access_token)));
  return { token: ShortToken.parse(second.json).accessToken, account };
}

async function quotasOf(
  { bases }: CheckInput,
  headers: ReturnType<typeof bearer>,
  { project, region }: { readonly project: string; readonly region: string },
): Promise<readonly CheckFinding[]> {
  const base = bases.compute ?? 'https://compute.googleapis.com';
  const answer = await askCloud(`${base}/compute/v1/projects/${encodeURIComponent(project)}/regions/${region}`, {
    headers,
  });
  const found = Region.safeParse(answer.json).data?.quotas;
  if (found === undefined)
    return [quotaUnread(region, answer, 'grant compute.regions.get so that this can be checked')];
  return found
    .filter(({ metric }) => metrics.includes(metric))
    .map(({ metric, usage, limit }) => quotaFinding(`${metric} in ${region}`, usage, limit));
}
