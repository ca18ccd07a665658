/** Which events may be sent to people: by class, as Notifications name them, and by kind. A Notification makes no event, so none follows from another. */
import { type EventKind, eventKinds } from '../event-kinds.ts';

export const notificationClasses = {
  failures: [
    ...(['RunFailed', 'RunCutOff', 'RetriesUsedUp', 'TemplatesFailed', 'RolledBack', 'NeedsAttention'] as const),
    ...(['CredentialsRefused', 'OutageSuspected'] as const),
  ],
  approvals: ['PlanProposed', 'PlanBeyondBudget', 'PlanSuperseded', 'PlanRejected', 'PlanWithdrawn'],
  drift: [
    ...(['DriftFound', 'DriftCheckFailed', 'DriftRepaired', 'RepairDidNotHelp'] as const),
    ...(['NodeUnhealthy', 'NodeReplaced', 'RepairRefused'] as const),
  ],
  expiries: ['CertificatesEnd'],
  budgets: ['PlanBeyondBudget'],
  rollOuts: Object.keys(eventKinds.rollOut) as readonly (keyof (typeof eventKinds)['rollOut'])[],
} as const satisfies Readonly<Record<string, readonly EventKind[]>>;

type NotificationClass = keyof typeof notificationClasses;

const classNames = Object.keys(notificationClasses) as readonly NotificationClass[];

/** Every kind that a class has, once. */
export const notifiedKinds: readonly string[] = [...new Set(Object.values(notificationClasses).flat())];

/** What `spec.events` may name. */
export const notificationEvents: readonly string[] = [...classNames, ...notifiedKinds];

/** Whether an event of this kind is among those that a Notification names. */
export function isNotified(kind: string, events: readonly string[]): boolean {
  return events.some((named) => {
    const ofClass = classNames.find((name) => name === named);
    return ofClass === undefined
      ? named === kind
      : notificationClasses[ofClass].some((one: string): boolean => one === kind);
  });
}
