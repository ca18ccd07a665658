/** Logins of runners without a key: tokens that other clouds and Vaults accept as their identity, and roles of other accounts that trust them. */
import { readFileSync } from 'node:fs';
import { Stack } from 'aws-cdk-lib';
import { Effect, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { RunnerTool } from '#functions/rights/runner-rights.ts';
import { ProviderTemplate } from '#rendering/provider-template.ts';
import { acceptFindings } from '../checks.ts';
import type { Options } from '../options.ts';
import { offeredTypes, templateUrl } from '../provider-types.ts';

/** Tools that log in to clouds; the others log in to Vaults at most. */
const cloudTools: readonly RunnerTool[] = ['terraform', 'drift'];

type LoginOptions = Pick<Options, 'installation' | 'providers' | 'vaultAudiences'>;

/** Gives a runner the logins of its tool. */
export function allowLogins(role: Role, tool: RunnerTool, options: LoginOptions): void {
  for (const statement of loginsOf([tool], options, Stack.of(role))) role.addToPolicy(statement);
  if (!cloudTools.includes(tool)) return;
  acceptFindings(
    role,
    'IAM5',
    /iam::\*:role/,
    'roles are named by Secrets; their own trust policy decides who may assume them',
  );
}

/** The other side decides which role a runner gets; the audiences of its tokens are decided here. */
export function loginsOf(tools: readonly RunnerTool[], options: LoginOptions, stack: Stack): PolicyStatement[] {
  const forClouds = tools.some((tool) => cloudTools.includes(tool));
  const audiences = [...(forClouds ? cloudAudiences(options) : []), ...options.vaultAudiences];
  const key = 'sts:IdentityTokenAudience';
  const tokens = new PolicyStatement({
    actions: ['sts:GetWebIdentityToken'],
    resources: ['*'],
    conditions: { 'ForAllValues:StringLike': { [key]: audiences }, Null: { [key]: 'false' } },
  });
  const roles = new PolicyStatement({
    actions: ['sts:AssumeRole'],
    resources: [stack.formatArn({ ...anyRole, account: '*' })],
    // Terraform and checks show the ExternalId of the Secret's namespace; without one of ours no role is asked for.
    conditions: { StringLike: { 'sts:ExternalId': `${options.installation}/*` } },
  });
  return [...(audiences.length > 0 ? [tokens] : []), ...(forClouds ? [roles] : [])];
}

/** Whatever a trust policy of the account says: no role of the account that the runner is in. */
export function denyOwnRoles(stack: Stack): PolicyStatement {
  return new PolicyStatement({
    effect: Effect.DENY,
    actions: ['sts:AssumeRole'],
    resources: [stack.formatArn(anyRole)],
  });
}

const anyRole = { service: 'iam', region: '', resource: 'role', resourceName: '*' };

/** Those that provider.json names; a field of the Secret in one may be anything. */
function cloudAudiences(options: Pick<Options, 'providers'>): readonly string[] {
  const named = offeredTypes(options)
    .filter((type) => type !== 'sim')
    .flatMap((type) => {
      const { provider } = ProviderTemplate.parse(JSON.parse(readFileSync(templateUrl(type, 'provider.json'), 'utf8')));
      return (provider?.logins ?? []).flatMap(({ webIdentity }) => (webIdentity ? [webIdentity.audience] : []));
    });
  return [...new Set(named.map((audience) => audience.replaceAll(/\{\w+\}/g, '*')))].sort();
}
