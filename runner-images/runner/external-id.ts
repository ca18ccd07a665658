/** The ExternalId that roles of other AWS accounts are shown: the user of a Secret cannot choose it, so no namespace can use the role of another. */
import { locatorTitle, parseLocator } from '#domain/secret-locator.ts';
import { StageFailure } from './stage-failure.ts';

type Fields = Readonly<Record<string, string>>;

/** `<installation>/<namespace>` of the Secret, or of the connection to the Vault that it is in. */
export function externalIdOf(installation: string, secret: string): string {
  const locator = parseLocator(secret);
  const [namespace = ''] = (locator?.kind === 'vault' ? locator.connection : secret).split('/');
  return `${installation}/${namespace}`;
}

/** The fields with the ExternalId of their namespace, where they name a role. Throws `ExternalIdRefused` for another one. */
export function withExternalId(fields: Fields, secret: string, installation: string): Fields {
  if ((fields.rolearn ?? '').trim() === '') return fields;
  const externalid = externalIdOf(installation, secret);
  const given = (fields.externalid ?? '').trim();
  if (given === '' || given === externalid) return { ...fields, externalid };
  throw new StageFailure({
    class: 'credentials',
    code: 'ExternalIdRefused',
    message: `The ${locatorTitle(secret)} names an ExternalId of its own; Kubeloom always presents "${externalid}" to the role.`,
    hint: `Let the trust policy of the role require sts:ExternalId "${externalid}", remove externalid from the Secret, then retry.`,
  });
}
