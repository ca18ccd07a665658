/** Runs a requested check: resolves the Secret, only here in the runner, and runs the check of the type. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { CredentialCheck } from '#contracts/job.ts';
import { isProviderType } from '#domain/provider-types.ts';
import type { SecretStore } from '#functions/ports.ts';
import { revokeVaultTokens, userSecret } from '../credentials.ts';
import { withExternalId } from '../external-id.ts';
import { SecretMask } from '../secret-mask.ts';
import { StageFailure } from '../stage-failure.ts';
import { checkLogin } from './check-provider.ts';
import { type Bases, type CheckFinding, unreported } from './finding.ts';

export interface CheckSurroundings {
  readonly secrets: Pick<SecretStore, 'get'>;
  /** Its name is part of the ExternalId that roles are shown. */
  readonly installation: string;
  /** `templates/` */
  readonly templatesDirectory: string;
  readonly bases?: Bases;
}

const Permissions = z.object({
  resources: z.record(z.string(), z.array(z.string())).default({}),
  data: z.record(z.string(), z.array(z.string())).default({}),
  always: z.array(z.string()).default([]),
});

/** Runs it. No value of the Secret is in what it returns, whatever a cloud answered. */
export async function runCheck(request: CredentialCheck, around: CheckSurroundings): Promise<readonly CheckFinding[]> {
  const { provider, type, secret, regions } = request;
  if (!isProviderType(type)) return [unreported('identity', type, 'Kubeloom cannot test the credentials of this type')];
  const mask = new SecretMask();
  const context = { ports: { secrets: around.secrets }, mask };
  const fieldsOf = async (reference: string): Promise<Readonly<Record<string, string>>> =>
    withExternalId(await userSecret(context, reference, `provider ${provider}`), reference, around.installation);
  try {
    const fields = secret === undefined ? {} : await fieldsOf(secret);
    const permissions = await permissionsOf(join(around.templatesDirectory, 'terraform', type));
    const findings = await checkLogin(type, { fields, permissions, regions, bases: around.bases ?? {} });
    const hidden = (text: string): string => withoutSecrets(text, fields);
    return findings.map((finding) => ({ ...finding, name: hidden(finding.name), message: hidden(finding.message) }));
  } catch (error) {
    if (!(error instanceof StageFailure)) throw error;
    const { code, message, hint } = error.error;
    return [{ about: 'identity', name: code, ok: false, message: mask.hide(`${message} ${hint}`) }];
  } finally {
    await revokeVaultTokens(mask);
  }
}

/** Everything that the modules of the type need, each once. */
async function permissionsOf(directory: string): Promise<readonly string[]> {
  const text = await readFile(join(directory, 'permissions.json'), 'utf8').catch(() => '{}');
  const { resources, data, always } = Permissions.parse(JSON.parse(text));
  return [...new Set([...always, ...Object.values(data).flat(), ...Object.values(resources).flat()])].sort();
}

/** Fields that identify an account and give no access: findings may repeat them. All others are hidden. */
const openFields = new Set([
  ...['accesskey', 'rolearn', 'subscriptionid', 'tenantid', 'clientid', 'gcpproject', 'serviceaccount'],
  ...[
    'workloadidentityprovider',
    'keyfingerprint',
    'tenancyocid',
    'externalid',
    'userocid',
    'compartmentocid',
    'servicename',
  ],
  ...['endpoint', 'authurl', 'domainid', 'projectid', 'applicationcredentialid', 'teamid', 'baseurl', 'accountid'],
  ...['loadbalancing', 'account'],
]);

/** Values of a Secret that a cloud repeats are hidden, for every type. */
function withoutSecrets(text: string, fields: Readonly<Record<string, string>>): string {
  const mask = new SecretMask();
  mask.add(Object.entries(fields).flatMap(([name, value]) => (openFields.has(name) ? [] : [value])));
  return mask.hide(text);
}
