/** Validates a TemplateGitReference. */
import { sizeFaults } from './document-size.ts';
import type { Fault } from './fault.ts';
import { inDocumentOrder, withoutServerFields } from './kubernetes-document.ts';
import type { ValidationContext } from './rules/manifest-index.ts';
import { secretExists } from './rules/provider-rules.ts';
import { schemaFaults } from './schema-faults.ts';
import { TemplateGitReference } from './template-git-reference.ts';

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
  const stripped = withoutServerFields(document);
  const vast = sizeFaults(stripped);
  if (vast.length > 0) return { faults: vast, warnings: [] };
  const parsed = TemplateGitReference.safeParse(stripped);
  const { faults: form } = schemaFaults(TemplateGitReference, stripped);
  if (!parsed.success) return { faults: inDocumentOrder(stripped, form), warnings: [] };
  const { auth } = parsed.data.spec;
  const faults =
    auth === undefined ? [] : [...secretExists(context.secrets, auth.secretRef, ['spec', 'auth', 'secretRef'])];
  return faults.length === 0 ? { reference: parsed.data, faults, warnings: [] } : { faults, warnings: [] };
}
