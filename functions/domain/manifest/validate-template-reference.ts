/** Validates a TemplateGitReference. */
import type { Fault } from './faults/fault.ts';
import { readForm } from './faults/read-form.ts';
import type { ValidationContext } from './rules/manifest-index.ts';
import { secretExists } from './rules/provider-rules.ts';
import { TemplateGitReference } from './schema/template-git-reference.ts';

export interface TemplateReferenceVerdict {
  readonly reference?: TemplateGitReference;
  readonly faults: readonly Fault[];
  readonly warnings: readonly Fault[];
}

/** Validates its form, and that the Secret with the token exists where Secrets are known. Never throws. */
export function validateTemplateReference(
  document: unknown,
  context: Pick<ValidationContext, 'secrets'> = {},
): TemplateReferenceVerdict {
  const form = readForm(TemplateGitReference, document);
  if ('faults' in form) return { ...form, warnings: [] };
  const reference = form.value;
  const { auth } = reference.spec;
  const faults =
    auth === undefined ? [] : [...secretExists(context.secrets, auth.secretRef, ['spec', 'auth', 'secretRef'])];
  return faults.length === 0 ? { reference, faults, warnings: [] } : { faults, warnings: [] };
}
