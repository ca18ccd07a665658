/** Validates a TemplateGitReference: its form, and that the Secret with the token exists where Secrets are known. */
import { type FormVerdict, validateForm } from './faults/validate-form.ts';
import type { ValidationContext } from './rules/manifest-index.ts';
import { secretExists } from './rules/provider-rules.ts';
import { TemplateGitReference } from './schema/template-git-reference.ts';

/** Never throws. */
export function validateTemplateReference(
  document: unknown,
  { secrets }: Pick<ValidationContext, 'secrets'> = {},
): FormVerdict<TemplateGitReference> {
  return validateForm(TemplateGitReference, document, ({ spec: { auth } }) =>
    auth === undefined ? [] : [...secretExists(secrets, auth.secretRef, ['spec', 'auth', 'secretRef'])],
  );
}
