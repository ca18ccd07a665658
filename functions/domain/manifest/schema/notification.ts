/** Notification documents: where an installation reports which events of which namespaces. */
import { z } from 'zod';
import { nearest } from '../../nearest.ts';
import { notificationEvents } from '../../notifications/notification-events.ts';
import { EmailAddress } from './email-address.ts';
import { dnsName, Metadata, shown, Text } from './names.ts';

/** What sends notifications may read these Secrets and no others. */
const notificationSecrets = 'notification-';

const EventName = Text.max(60).refine((name) => notificationEvents.includes(name), {
  error: ({ input }) => {
    const near = nearest(String(input).slice(0, 60), notificationEvents);
    const fix =
      near === undefined
        ? `use one of ${notificationEvents.slice(0, 6).join(', ')}, or a kind`
        : `did you mean ${near}?`;
    return `${shown(input)} is neither a class nor a kind of events that are sent; ${fix}`;
  },
});

const spec = z
  .strictObject({
    to: z
      .enum(['webhook', 'slack', 'teams', 'email'])
      .describe(
        'Form of what is sent: `webhook`: a CloudEvent with a signature (Standard Webhooks); `slack`: an incoming webhook of Slack; `teams`: a workflow of Teams that accepts an Adaptive Card; `email`: a text by e-mail, from an installation in AWS.',
      ),
    secretRef: z
      .strictObject({
        name: dnsName(253)
          .refine((name) => name.startsWith(notificationSecrets), {
            error: ({ input }) =>
              `${shown(input)} does not begin with "${notificationSecrets}", and what sends notifications may read no other Secrets; rename the Secret`,
          })
          .describe('Name of the Secret; it begins with `notification-`.'),
        namespace: Text.optional().describe('The namespace of the Notification.'),
      })
      .optional()
      .describe(
        'Secret with `url` (https only) and, for a webhook, `signingkey` (`whsec_` and 24 to 64 bytes in base64). Not for `email`.',
      ),
    address: EmailAddress.optional().describe(
      'For `email`: the one recipient, whom AWS asks to confirm before anything is sent.',
    ),
    events: z
      .array(EventName)
      .min(1, { error: 'is empty; name a class such as failures, or a kind' })
      .max(60)
      .describe(
        'Which events are sent: classes (`failures`, `approvals`, `drift`, `expiries`, `budgets`, `rollOuts`) and kinds, such as `RunFailed`.',
      ),
    namespaces: z
      .array(z.union([z.literal('*'), dnsName(63)], { error: 'is not a namespace; write its name, or "*"' }))
      .min(1, { error: 'is empty; name a namespace, or leave it out for its own' })
      .max(100)
      .optional()
      .describe(
        'Namespaces whose events are sent, as far as the person who applied it may see them; `*`: all. Its own when left out.',
      ),
    suspend: z.boolean().default(false).describe('true: nothing is sent, and events of that time are not sent later.'),
  })
  .superRefine(({ to, secretRef, address }, { addIssue }) => {
    const [wanted, other] = to === 'email' ? (['address', 'secretRef'] as const) : (['secretRef', 'address'] as const);
    const given = { secretRef, address };
    if (given[wanted] === undefined)
      addIssue({ code: 'custom', path: [wanted], message: `is missing; \`to: ${to}\` needs it` });
    if (given[other] !== undefined)
      addIssue({ code: 'custom', path: [other], message: `is not for \`to: ${to}\`; remove it` });
  });

export const Notification = z.strictObject({
  apiVersion: z.literal('kubeloom.dev/v1'),
  kind: z.literal('Notification'),
  metadata: Metadata,
  spec,
});
export type Notification = z.infer<typeof Notification>;

/** `<namespace>/<name>` of its Secret, if its form needs one: always of its own namespace. */
export function notificationSecret({ metadata, spec }: Notification): string | undefined {
  return spec.secretRef && `${metadata.namespace}/${spec.secretRef.name}`;
}
