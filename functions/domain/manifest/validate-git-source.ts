/** Validates a GitSource: its form, and that its Secret is of its namespace and exists where Secrets are known. */
import type { Fault } from './faults/fault.ts';
import { type FormVerdict, validateForm } from './faults/validate-form.ts';
import type { ValidationContext } from './rules/manifest-index.ts';
import { GitSource } from './schema/git-source.ts';
import { ownSecretFaults } from './validate-notification.ts';

/** Never throws. */
export function validateGitSource(
  document: unknown,
  { secrets }: Pick<ValidationContext, 'secrets'> = {},
): FormVerdict<GitSource> {
  return validateForm(GitSource, document, (source) => secretFaults(source, secrets));
}

function secretFaults({ metadata, spec }: GitSource, known: ValidationContext['secrets']): readonly Fault[] {
  if (spec.secretRef === undefined) return [];
  return ownSecretFaults(metadata.namespace, spec.secretRef, { kind: 'GitSource', known });
}
