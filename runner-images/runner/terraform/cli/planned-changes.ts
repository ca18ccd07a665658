/** What Terraform would change, as the messages of a plan say it. Pure. */
import type { Message } from './messages.ts';

/** Actions of a plan that change nothing. */
const changesNothing = ['read', 'noop', 'no-op', 'move', 'import', 'forget'];

/** A change that Terraform would make. */
export interface TerraformChange {
  readonly address: string;
  readonly action: string;
  /** Why it is replaced: `requested`, `tainted`, `cannot_update`, … */
  readonly reason?: string;
  /** Someone else changed or removed it; else its target has changed. */
  readonly outside: boolean;
}

export function changesIn(messages: readonly Message[]): readonly TerraformChange[] {
  const outside = new Set(
    messages.flatMap((message) => (message.type === 'resource_drift' ? [message.change.resource.addr] : [])),
  );
  return messages.flatMap((message) => {
    if (message.type !== 'planned_change' || changesNothing.includes(message.change.action)) return [];
    const { resource, action, reason } = message.change;
    return [{ address: resource.addr, action, ...(reason && { reason }), outside: outside.has(resource.addr) }];
  });
}
