/** AWS: who the credentials are, each permission by IAM's own simulation, and how many machines the account may have. */
import { z } from 'zod';
import { type AwsKeys, assumeRole, callerIdentity, type StsPlace } from '#adapters/aws-identity.ts';
import { CheckRefused, orUnreported, quotaUnread } from '../ask.ts';
import {
  type CheckFinding,
  type CheckInput,
  type CheckOfType,
  identity,
  type LoginInput,
  permissionFinding,
  unreported,
} from '../finding.ts';
import { signedAws } from '../signed-aws.ts';

/** As many actions as one question may have. */
const chunk = 50;
/** Context of the one request that the policy in docs/providers/aws.md allows on a condition. */
const context = {
  'ContextEntries.member.1.ContextKeyName': 'iam:AWSServiceName',
  'ContextEntries.member.1.ContextKeyType': 'string',
  'ContextEntries.member.1.ContextKeyValues.member.1': 'spot.amazonaws.com',
} as const;
/** "Running On-Demand Standard instances", in virtual processors. */
const vcpuQuota = { service: 'ec2', code: 'L-1216C47A', title: 'virtual CPUs of standard instances' };

export const check: CheckOfType = async (input) => {
  const keys = await keysOf(input);
  const { arn, account } = await callerIdentity({ ...placeOf(input), keys }).catch(refused('AWS'));
  const findings = [identity(arn, `account ${account}`)];
  const permissions = await simulated(input, keys, arn);
  const quotas = await Promise.all(
    input.regions.map((region) => orUnreported('quota', `limits of ${region}`, quota(input, keys, region))),
  );
  return [...findings, ...permissions, ...quotas.flat()];
};

function placeOf({ bases: { sts } }: LoginInput): StsPlace {
  return sts === undefined ? {} : { endpoint: sts };
}

/** Those of the Secret, or those of the role that it names. */
export async function keysOf(input: LoginInput): Promise<AwsKeys> {
  const { accesskey: accessKeyId, secretkey: secretAccessKey, rolearn = '', externalid } = input.fields;
  if (accessKeyId !== undefined && secretAccessKey !== undefined) return { accessKeyId, secretAccessKey };
  return assumeRole(rolearn, externalid, placeOf(input)).catch(refused(`role ${rolearn}`));
}

async function simulated(input: CheckInput, keys: AwsKeys, arn: string): Promise<readonly CheckFinding[]> {
  const source = arn.replace(/^arn:([^:]+):sts::(\d+):assumed-role\/([^/]+)\/.*$/, 'arn:$1:iam::$2:role/$3');
  if (source.endsWith(':root'))
    return [unreported('permission', arn, 'is the root of the account: it may do everything')];
  const findings: CheckFinding[] = [];
  for (let at = 0; at < input.permissions.length; at += chunk) {
    const actions = input.permissions.slice(at, at + chunk);
    const names = Object.fromEntries(actions.map((action, index) => [`ActionNames.member.${index + 1}`, action]));
    const question = { Action: 'SimulatePrincipalPolicy', Version: '2010-05-08', PolicySourceArn: source };
    const body = { ...question, ...names, ...context };
    const url = input.bases.iam ?? 'https://iam.amazonaws.com';
    const answer = await signedAws(
      { service: 'iam', region: 'us-east-1', url, body: String(new URLSearchParams(body)) },
      keys,
    );
    if (answer.status !== 200) {
      const code = /<Code>(\w+)<\/Code>/.exec(answer.text)?.[1] ?? `HTTP ${answer.status}`;
      return [
        unreported(
          'permission',
          'iam:SimulatePrincipalPolicy',
          `is refused (${code}): grant it so that each permission can be checked`,
        ),
      ];
    }
    findings.push(...decisions(answer.text));
  }
  return findings;
}

function decisions(xml: string): readonly CheckFinding[] {
  const pattern = /<EvalActionName>([^<]+)<\/EvalActionName>|<EvalDecision>([^<]+)<\/EvalDecision>/g;
  return xml
    .split(/<member>(?=[\s\S]*?<EvalActionName>)/)
    .slice(1)
    .flatMap((member): CheckFinding[] => {
      const words = [...member.matchAll(pattern)];
      const name = words.find(([, action]) => action !== undefined)?.[1];
      const decision = words.find(([, , found]) => found !== undefined)?.[2];
      if (name === undefined || decision === undefined) return [];
      return [permissionFinding(name, decision === 'allowed', `is missing (${decision}): grant it`)];
    });
}

const Quota = z.object({ Quota: z.object({ Value: z.number() }) });

async function quota(input: CheckInput, keys: AwsKeys, region: string): Promise<readonly CheckFinding[]> {
  const url = input.bases.servicequotas ?? `https://servicequotas.${region}.amazonaws.com`;
  const body = JSON.stringify({ ServiceCode: vcpuQuota.service, QuotaCode: vcpuQuota.code });
  const target = 'ServiceQuotasV20190624.GetServiceQuota';
  const answer = await signedAws({ service: 'servicequotas', region, url, body, target }, keys);
  const found = Quota.safeParse(answer.json).data?.Quota.Value;
  const name = `${vcpuQuota.title} in ${region}`;
  if (found === undefined) {
    return [quotaUnread(name, answer, 'grant servicequotas:GetServiceQuota so that this can be checked')];
  }
  const message =
    found > 0 ? `${found} may run; AWS does not report here how many run now` : 'none may run: request a higher quota';
  return [{ about: 'quota', name, ok: found > 0, message }];
}

function refused(what: string): (cause: unknown) => never {
  return (cause) => {
    const code = cause instanceof Error ? cause.name : 'unknown';
    const isNetwork = /Timeout|ECONN|ENOTFOUND|Throttl/.test(`${code} ${cause instanceof Error ? cause.message : ''}`);
    const message = isNetwork ? `does not answer (${code})` : `refuses the credentials (${code})`;
    throw new CheckRefused({ about: 'identity', name: what, ok: isNetwork ? null : false, message });
  };
}
