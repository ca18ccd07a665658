/** How a private template repository is logged in to: the token of the Secret that the TemplateGitReference names. */
import { type Around, requiredField, userSecret } from '../credentials.ts';

/** Value of the header `Authorization`, masked from then on. Throws `StageFailure` without the Secret or its token. */
export async function repositoryLogin(context: Around, secret: string, usedBy: string): Promise<string> {
  const fields = await userSecret(context, secret, usedBy);
  const token = requiredField(fields, 'token', `Secret ${secret}`).trim();
  const encoded = Buffer.from(`${fields.username?.trim() || 'x-access-token'}:${token}`).toString('base64');
  context.mask.add([encoded]);
  return `Basic ${encoded}`;
}
