/** Validates a Notification: its form, and that its Secret is of its namespace and exists where Secrets are known. */
import { error, type Fault } from './faults/fault.ts';
import { type FormVerdict, validateForm } from './faults/validate-form.ts';
import type { ValidationContext } from './rules/manifest-index.ts';
import { secretExists } from './rules/provider-rules.ts';
import { Notification } from './schema/notification.ts';

/** Never throws. */
export function validateNotification(
  document: unknown,
  { secrets, sendsMail }: Pick<ValidationContext, 'secrets' | 'sendsMail'> = {},
): FormVerdict<Notification> {
  return validateForm(Notification, document, ({ metadata, spec }) => [
    ...(spec.secretRef === undefined
      ? []
      : ownSecretFaults(metadata.namespace, spec.secretRef, { kind: 'Notification', known: secrets })),
    ...(spec.to === 'email' && sendsMail === false ? [noMail] : []),
  ]);
}

const noMail = error(
  ['spec', 'to'],
  'this installation sends no e-mail: it does not run in AWS, whose SNS would send it',
  'use webhook, slack or teams; docs/notifications.md has all forms',
);

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
