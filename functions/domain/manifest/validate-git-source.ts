/** Validates a GitSource. */
import { error, type Fault } from './faults/fault.ts';
import { readForm } from './faults/read-form.ts';
import type { ValidationContext } from './rules/manifest-index.ts';
import { secretExists } from './rules/provider-rules.ts';
import { GitSource } from './schema/git-source.ts';

export interface GitSourceVerdict {
  readonly source?: GitSource;
  readonly faults: readonly Fault[];
  readonly warnings: readonly Fault[];
}

/** Validates its form, and that its Secret is of its namespace and exists where Secrets are known. Never throws. */
export function validateGitSource(
  document: unknown,
  context: Pick<ValidationContext, 'secrets'> = {},
): GitSourceVerdict {
  const form = readForm(GitSource, document);
  if ('faults' in form) return { ...form, warnings: [] };
  const source = form.value;
  const faults = secretFaults(source, context.secrets);
  return faults.length === 0 ? { source, faults, warnings: [] } : { faults, warnings: [] };
}

function secretFaults({ metadata, spec }: GitSource, known: ValidationContext['secrets']): readonly Fault[] {
  if (spec.secretRef === undefined) return [];
  const path = ['spec', 'secretRef'];
  const { name, namespace = metadata.namespace } = spec.secretRef;
  if (namespace === metadata.namespace) return [...secretExists(known, { name, namespace }, path)];
  const reason = `is in namespace "${namespace}", and a GitSource uses nothing of other namespaces`;
  return [error([...path, 'namespace'], reason, `store the Secret in "${metadata.namespace}" and leave this out`)];
}
