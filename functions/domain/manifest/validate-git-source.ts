/** Validates a GitSource: its form, and that its Secret is of its namespace and exists where Secrets are known. */
import { error, type Fault } from './faults/fault.ts';
import { type FormVerdict, validateForm } from './faults/validate-form.ts';
import type { ValidationContext } from './rules/manifest-index.ts';
import { secretExists } from './rules/provider-rules.ts';
import { GitSource } from './schema/git-source.ts';

/** Never throws. */
export function validateGitSource(
  document: unknown,
  { secrets }: Pick<ValidationContext, 'secrets'> = {},
): FormVerdict<GitSource> {
  return validateForm(GitSource, document, (source) => secretFaults(source, secrets));
}

function secretFaults({ metadata, spec }: GitSource, known: ValidationContext['secrets']): readonly Fault[] {
  if (spec.secretRef === undefined) return [];
  const path = ['spec', 'secretRef'];
  const { name, namespace = metadata.namespace } = spec.secretRef;
  if (namespace === metadata.namespace) return [...secretExists(known, { name, namespace }, path)];
  const reason = `is in namespace "${namespace}", but a GitSource cannot use other namespaces`;
  return [error([...path, 'namespace'], reason, `store the Secret in "${metadata.namespace}" and leave this out`)];
}
