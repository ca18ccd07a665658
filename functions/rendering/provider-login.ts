/** Chooses how a provider instance logs in, by the fields that its Secret has; values play no part. */
import { type ProviderLogin, ProviderTemplate } from './provider-template.ts';

export interface ChosenLogin {
  /** The template with the arguments of that login and no other; what is rendered. */
  readonly template: ProviderTemplate;
  readonly webIdentity?: NonNullable<ProviderLogin['webIdentity']>;
}

export interface SecretFields {
  /** Those that the Secret has. */
  readonly present: ReadonlySet<string>;
  /** Those that it may lack; their arguments are left out then. */
  readonly optional: ReadonlySet<string>;
}

/** Field that stands for the path of the file with the token. */
export const tokenFileField = 'tokenfile';

/** The login of `credentials` unless it lacks a field and another one has all of its own. */
export function chooseLogin(template: ProviderTemplate, { present, optional }: SecretFields): ChosenLogin {
  const { provider } = template;
  if (provider === undefined) return { template };
  const isThere = (field: string) => present.has(field) || field === tokenFileField;
  const needed = Object.values(provider.credentials).filter((field) => !optional.has(field));
  const other = needed.every(isThere) ? undefined : provider.logins.find(({ fields }) => fields.every(isThere));
  const kept = (credentials: Readonly<Record<string, string>>, mayLack: (field: string) => boolean) =>
    Object.fromEntries(Object.entries(credentials).filter(([, field]) => isThere(field) || !mayLack(field)));
  const chosen =
    other === undefined
      ? { credentials: kept(provider.credentials, (field) => optional.has(field)) }
      : {
          credentials: kept(other.credentials, () => true),
          arguments: { ...provider.arguments, ...other.arguments },
        };
  return {
    template: ProviderTemplate.parse({ ...template, provider: { ...provider, logins: [], ...chosen } }),
    ...(other?.webIdentity === undefined ? {} : { webIdentity: other.webIdentity }),
  };
}
