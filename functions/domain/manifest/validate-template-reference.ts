/** Validates a TemplateGitReference: its form, and that the Secret with the token exists where Secrets are known. */
import { error } from './faults/fault.ts';
import { type FormVerdict, validateForm } from './faults/validate-form.ts';
import type { ValidationContext } from './rules/manifest-index.ts';
import { secretExists } from './rules/provider-rules.ts';
import { TemplateGitReference } from './schema/template-git-reference.ts';

/** Never throws. */
export function validateTemplateReference(
  document: unknown,
  { secrets }: Pick<ValidationContext, 'secrets'> = {},
): FormVerdict<TemplateGitReference> {
  return validateForm(TemplateGitReference, document, ({ spec: { auth, endpoint, paths } }) => [
    ...(auth === undefined ? [] : secretExists(secrets, auth.secretRef, ['spec', 'auth', 'secretRef'])),
    ...(paths.terraformer !== undefined && textTemplates.test(endpoint.url) ? [textTemplatesFault] : []),
  ]);
}

/** Claudie's own repository. Others with such templates are known once a runner has their names. */
const textTemplates = /^github\.com\/berops\/claudie-config(\.git)?\/?$/i;

const textTemplatesFault = error(
  ['spec', 'endpoint', 'url'],
  'has the text templates (.tpl) of Claudie, which are not Terraform modules',
  'remove templatesRef from the providers: the types that come with Kubeloom make the same machines; for changes of your own, write modules as docs/write-a-provider.md shows',
);
