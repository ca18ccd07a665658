/** What a role of Exoscale allows, as far as its rules can be understood without the service. */
import { z } from 'zod';
import { closedText } from '#domain/observed/closed-texts.ts';
import { CloudWord } from '#domain/observed/cloud-texts.ts';

const Rule = z.object({ action: z.enum(['allow', 'deny']), expression: closedText(2000, /^[^\p{Cc}]*$/u) });
export const RolePolicy = z.object({
  'default-service-strategy': z.enum(['allow', 'deny']),
  services: z
    .record(CloudWord, z.object({ type: z.enum(['allow', 'deny', 'rules']), rules: z.array(Rule).default([]) }))
    .default({}),
});
export type RolePolicy = z.infer<typeof RolePolicy>;

/**
 * Whether `service` may do `operation`; undefined where an earlier rule is not understood. The first rule that holds
 * decides; where none does, the default of the services does not count: it is refused.
 */
export function isAllowed(policy: RolePolicy, service: string, operation: string): boolean | undefined {
  const found = policy.services[service];
  if (found === undefined) return policy['default-service-strategy'] === 'allow';
  if (found.type !== 'rules') return found.type === 'allow';
  for (const { action, expression } of found.rules) {
    const holds = isTrueOf(expression.trim(), operation);
    if (holds === undefined) return undefined;
    if (holds) return action === 'allow';
  }
  return false;
}

/** The subset of CEL that is understood: `true`, `operation == '…'`, and `operation in ['…', …]`. */
function isTrueOf(expression: string, operation: string): boolean | undefined {
  if (expression === 'true' || expression === 'false') return expression === 'true';
  const [, one] = /^operation\s*==\s*["']([\w-]+)["']$/.exec(expression) ?? [];
  if (one !== undefined) return one === operation;
  const [, several] = /^operation\s+in\s+\[([^[\]]*)\]$/.exec(expression) ?? [];
  const words = several?.split(',').map((word) => word.trim());
  if (words?.at(-1) === '') words.pop();
  if (!words?.every((word) => /^["'][\w-]+["']$/.test(word))) return undefined;
  return words.some((word) => word.slice(1, -1) === operation);
}
