/** Chooses how a provider instance logs in, by the fields that its Secret has; values play no part. */
import type { ProviderLogin, ProviderTemplate } from './provider-template.ts';

export interface ChosenLogin {
  /** The template with only the arguments of that login, which is rendered. */
  readonly template: ProviderTemplate;
  readonly webIdentity?: NonNullable<ProviderLogin['webIdentity']>;
}

/** Placeholder for the path of the file with the token. */
export const tokenFileField = 'tokenfile';

/** The login of `credentials`, unless it lacks a field and another login has all of its fields. `present`: fields that the Secret has. */
export function chooseLogin(template: ProviderTemplate, present: ReadonlySet<string>): ChosenLogin {
  const { provider, optionalFields } = template;
  if (provider === undefined) return { template };
  const isThere = (field: string) => present.has(field) || field === tokenFileField;
  const needed = Object.values(provider.credentials).filter((field) => !optionalFields.includes(field));
  const other = needed.every(isThere) ? undefined : provider.logins.find(({ fields }) => fields.every(isThere));
  if (other === undefined) return { template };
  const credentials = Object.fromEntries(Object.entries(other.credentials).filter(([, field]) => isThere(field)));
  const fixed = { ...provider.arguments, ...other.arguments };
  return {
    template: { ...template, provider: { ...provider, logins: [], credentials, arguments: fixed } },
    ...(other.webIdentity === undefined ? {} : { webIdentity: other.webIdentity }),
  };
}
