/** Validates a Notification: its form, and that its Secret is of its namespace and exists where Secrets are known. */
import { error, type Fault } from './faults/fault.ts';
import { type FormVerdict, validateForm } from './faults/validate-form.ts';
import type { ValidationContext } from './rules/manifest-index.ts';
import { secretExists } from './rules/provider-rules.ts';
import { Notification } from './schema/notification.ts';

/** Never throws. */
export function validateNotification(
  document: unknown,
  { secrets }: Pick<ValidationContext, 'secrets'> = {},
): FormVerdict<Notification> {
  return validateForm(Notification, document, ({ metadata, spec }) =>
    ownSecretFaults(metadata.namespace, spec.secretRef, { kind: 'Notification', known: secrets }),
  );
}

/** A document that reads no Secret of other namespaces. */
export function ownSecretFaults(
  own: string,
  { name, namespace = own }: { readonly name: string; readonly namespace?: string | undefined },
  { kind, known }: { readonly kind: string; readonly known: ValidationContext['secrets'] },
): readonly Fault[] {
  const path = ['spec', 'secretRef'];
  if (namespace === own) return [...secretExists(known, { name, namespace }, path)];
  const reason = `is in namespace "${namespace}", but a ${kind} cannot use other namespaces`;
  return [error([...path, 'namespace'], reason, `store the Secret in "${own}" and leave this out`)];
}
