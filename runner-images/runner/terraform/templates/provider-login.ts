/** Logs Terraform in to a provider instance: the login that its Secret makes, values as environment, tokens as files. */
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WebIdentityToken } from '#adapters/aws-identity.ts';
import type { ProviderInstance } from '#domain/cluster-state.ts';
import { secretFieldFaults } from '#domain/manifest/secrets/secret-field-faults.ts';
import { isProviderType, type ProviderTypeName } from '#domain/provider-types.ts';
import { locatorTitle, parseLocator } from '#domain/secret-locator.ts';
import { judgeBySchema, readSchema } from '#rendering/property-schema.ts';
import { type ChosenLogin, chooseLogin, tokenFileField } from '#rendering/provider-login.ts';
import { credentialFields, credentialVariable, type ProviderTemplate } from '#rendering/provider-template.ts';
import { requiredField, userSecret } from '../../credentials.ts';
import { withExternalId } from '../../external-id.ts';
import type { SecretReader } from '../../stage-context.ts';
import { StageFailure } from '../../stage-failure.ts';
import { webIdentityToken } from '../../web-identity.ts';

type Around = Pick<SecretReader, 'ports' | 'mask' | 'log'>;
type Fields = Readonly<Record<string, string>>;

export interface LoginFiles {
  /** The input of the rendering. */
  readonly template: ProviderTemplate;
  readonly environment: Fields;
}

export interface LoginPlace {
  /** Private directory of the workspace; tokens live and die with it. */
  readonly directory: string;
  /** @default that of AWS */
  readonly tokens?: (audience: string) => Promise<WebIdentityToken>;
}

/** Reads the Secret and logs in. Throws `StageFailure`. */
export async function logIn(
  context: Around,
  provider: ProviderInstance,
  template: ProviderTemplate,
  { directory, tokens = (audience) => webIdentityToken(audience, (values) => context.mask.add(values)) }: LoginPlace,
): Promise<LoginFiles> {
  const { secret } = provider;
  const around = await secretEnvironment(context, provider, template);
  if (credentialFields(template).length === 0 || secret === undefined) return { template, environment: around };
  const values = await loginValues(context, { provider, template }, secret);
  const isFilled = (field: string) => (values[field] ?? '').trim() !== '';
  const chosen = chooseLogin(template, new Set(Object.keys(values).filter(isFilled)));
  const tokenFile = await keepToken(context, chosen.webIdentity, { directory, tokens, values });
  const known = tokenFile === undefined ? values : { ...values, [tokenFileField]: tokenFile };
  const mayLack = (field: string) => template.optionalFields.includes(field) && !isFilled(field);
  const pairs = credentialFields(chosen.template)
    .filter((field) => !mayLack(field))
    .map((field) => [`TF_VAR_${credentialVariable(field)}`, requiredField(known, field, locatorTitle(secret))]);
  return { template: chosen.template, environment: { ...around, ...Object.fromEntries(pairs) } };
}

/**
 * The environment of Terraform and of the hooks of the type: every variable, so that nothing acts for another account
 * with what the runner itself was started with. Throws `StageFailure`.
 */
export async function secretEnvironment(
  context: Around,
  provider: ProviderInstance,
  template: ProviderTemplate,
): Promise<Fields> {
  const wanted = Object.entries(template.secretEnvironment);
  const { secret } = provider;
  if (wanted.length === 0 || secret === undefined)
    return Object.fromEntries(wanted.map(([variable]) => [variable, '']));
  const values = await loginValues(context, { provider, template }, secret);
  const valueFor = (field: string): string =>
    template.optionalFields.includes(field)
      ? (values[field] ?? '').trim()
      : requiredField(values, field, locatorTitle(secret));
  return Object.fromEntries(wanted.map(([variable, field]) => [variable, valueFor(field)]));
}

interface Type {
  readonly provider: ProviderInstance;
  readonly template: ProviderTemplate;
}

/** The values of the Secret, judged. Throws `StageFailure`. */
export async function loginValues(context: Around, type: Type, secret: string): Promise<Fields> {
  const values = await userSecret(context, secret, `provider ${type.provider.name}`);
  refuseFaults(type, secret, values);
  return withExternalId(values, secret, context.ports.config.KUBELOOM_INSTALLATION);
}

function refuseFaults({ provider, template }: Type, secret: string, values: Fields): void {
  const faults = isProviderType(provider.type)
    ? faultsByTable(provider.type, secret, values)
    : faultsBySchema(template, values);
  if (faults.length === 0) return;
  throw new StageFailure({
    class: 'credentials',
    code: 'SecretFieldsFaulty',
    message: faults.join('; '),
    resource: provider.name,
    hint: `Correct the ${locatorTitle(secret)}, or name its keys under vault.keys of the provider, then retry.`,
  });
}

/** Fields of a stored Secret were validated when it was stored; those of a Vault are seen here for the first time. */
function faultsByTable(type: ProviderTypeName, secret: string, values: Fields): readonly string[] {
  if (parseLocator(secret)?.kind !== 'vault') return [];
  return secretFieldFaults(values, type).map(
    ({ path, reason, fix }) => `${path.replace('stringData.', '')} ${reason} (${fix})`,
  );
}

/** For a type that does not come with Kubeloom, only its own folder knows the fields. */
export function faultsBySchema({ secret }: ProviderTemplate, values: Fields): readonly string[] {
  const schema = secret && readSchema(secret);
  if (schema === undefined || 'problem' in schema) return [];
  return judgeBySchema(schema.read, values).map(({ path, reason }) => `${path.join('.')} ${reason}`.trim());
}

interface TokenRequest extends Required<LoginPlace> {
  readonly values: Fields;
}

/** Shortest time between two requests to AWS for a token. */
const soonMs = 30_000;

/** Writes the token, and a new one before it expires, for as long as the directory is there. */
async function keepToken(
  context: Around,
  target: ChosenLogin['webIdentity'],
  { directory, tokens, values }: TokenRequest,
): Promise<string | undefined> {
  if (target === undefined) return undefined;
  const file = join(directory, 'web-identity-token');
  const audience = target.audience.replaceAll(/\{(\w+)\}/g, (_, field: string) => bareResource(values[field] ?? ''));
  const write = async () => {
    const { token, expiresAt } = await tokens(audience);
    // A reader gets either the old token or the new one, never a part.
    await writeFile(`${file}.new`, token, { mode: 0o600 });
    await rename(`${file}.new`, file);
    again(Math.max(soonMs, (expiresAt.getTime() - Date.now()) / 2));
  };
  const again = (pauseMs: number) => {
    const retry = (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return;
      context.log.write('runner', `no new token of AWS, retrying: ${error.message}`);
      again(soonMs);
    };
    setTimeout(() => write().catch(retry), pauseMs).unref();
  };
  await write();
  if (!target.externalAccount) return file;
  const account = join(directory, 'external-account.json');
  await writeFile(account, JSON.stringify(externalAccount(values, file)), { mode: 0o600 });
  return account;
}

/** The configuration that Google's libraries require for a login with another issuer's token. */
function externalAccount(values: Fields, file: string): Readonly<Record<string, unknown>> {
  const impersonated = `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${values.serviceaccount}`;
  return {
    type: 'external_account',
    audience: `//iam.googleapis.com/${bareResource(values.workloadidentityprovider ?? '')}`,
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: 'https://sts.googleapis.com/v1/token',
    service_account_impersonation_url: `${impersonated}:generateAccessToken`,
    credential_source: { file, format: { type: 'text' } },
  };
}

function bareResource(name: string): string {
  return name.replace('//iam.googleapis.com/', '');
}
