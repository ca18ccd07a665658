/** Logins of runners without a key: tokens that other clouds and Vaults accept as their identity, and roles of other accounts that trust them. */
import { readFileSync } from 'node:fs';
import { Stack } from 'aws-cdk-lib';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { RunnerTool } from '#functions/rights/runner-rights.ts';
import { ProviderTemplate } from '#rendering/provider-template.ts';
import { acceptFindings } from '../checks.ts';
import type { Options } from '../options.ts';
import { offeredTypes, templateUrl } from '../provider-types.ts';

/** Tools that log in to clouds; the others log in to Vaults at most. */
const cloudTools: readonly RunnerTool[] = ['terraform', 'drift'];

/** The other side decides which role a runner gets; the audiences of its tokens are decided here. Roles of its own account are denied elsewhere. */
export function allowLogins(
  role: Role,
  tool: RunnerTool,
  options: Pick<Options, 'installation' | 'providers' | 'vaultAudiences'>,
): void {
  const { installation, vaultAudiences } = options;
  const audiences = [...(cloudTools.includes(tool) ? cloudAudiences(options) : []), ...vaultAudiences];
  const key = 'sts:IdentityTokenAudience';
  if (audiences.length > 0) {
    role.addToPolicy(
      new PolicyStatement({
        actions: ['sts:GetWebIdentityToken'],
        resources: ['*'],
        conditions: { 'ForAllValues:StringLike': { [key]: audiences }, Null: { [key]: 'false' } },
      }),
    );
  }
  if (!cloudTools.includes(tool)) return;
  const arn = { service: 'iam', region: '', account: '*', resource: 'role', resourceName: '*' };
  role.addToPolicy(
    new PolicyStatement({
      actions: ['sts:AssumeRole'],
      resources: [Stack.of(role).formatArn(arn)],
      // Terraform and checks show the ExternalId of the Secret's namespace; without one of ours no role is asked for.
      conditions: { StringLike: { 'sts:ExternalId': `${installation}/*` } },
    }),
  );
  acceptFindings(
    role,
    'IAM5',
    /iam::\*:role/,
    'roles are named by Secrets; their own trust policy decides who may assume them',
  );
}

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
