/** Stops or deletes machines that no one knows, each by its id. */
import type { StrayAction } from '#domain/drift.ts';
import { type NotKnown, orNotKnown } from '../listing/list-cluster.ts';
import { actOnMachines, canAct } from '../listing/machine-acts.ts';
import type { SecretReader } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { anyHook, askHooks, type WorkspacePart } from './ask-hooks.ts';
import type { HookInput } from './provider-files.ts';
import { listInputOf, straysOf } from './strays.ts';

export interface StrayWork {
  readonly action: StrayAction;
  readonly ids: readonly string[];
}

interface Listing {
  readonly parts: readonly WorkspacePart[];
  readonly input: HookInput;
}

/**
 * Acts on those of the machines that still are strays; returns their names. Each version of a type is asked about what it lists. Throws
 * `StageFailure`, also when the listing fails.
 */
export async function actOnStrays(
  context: SecretReader,
  { parts, input }: Listing,
  { action, ids }: StrayWork,
): Promise<readonly string[]> {
  const done = new Map<string, string>();
  for (const part of parts) {
    const strays = await straysOf(context, [part], input);
    if ('failed' in strays) {
      const message = `What ${input.provider} has could not be listed, so nothing of it is stopped or deleted: ${strays.failed}`;
      throw notActed('StraysNotListed', input, { ...strays, failed: message });
    }
    const machines = strays.found.filter(
      ({ id, stopped }) => ids.includes(id) && !done.has(id) && !(action === 'quarantine' && stopped),
    );
    const acted = await actBy(context, part, { input, action, machines });
    for (const { id, name } of machines) if (acted.includes(id)) done.set(id, name);
  }
  return [...done.values()];
}

type Machine = { readonly id: string; readonly name: string; readonly place?: string };

/** By the hook of the type, else by the runner itself. Returns the ids of those that it acted on. */
async function actBy(
  context: SecretReader,
  part: WorkspacePart,
  {
    input,
    action,
    machines,
  }: { readonly input: HookInput; readonly action: StrayAction; readonly machines: readonly Machine[] },
): Promise<readonly string[]> {
  if (machines.length === 0) return [];
  const hook = action === 'delete' ? 'remove' : 'stop';
  if (await anyHook(context, [part], hook)) {
    const named = machines.map(({ id, name }) => ({ id, name }));
    await askHooks(context, [part], { hook, input: { ...input, machines: named } });
    return machines.map(({ id }) => id);
  }
  if (!canAct(part.provider)) return [];
  const asked = await listInputOf(context, part.provider, input);
  const work = { action, machines, signal: context.signal };
  const acted = await orNotKnown(() => actOnMachines(part.provider.type, asked, work));
  if (!('failed' in acted)) return acted;
  const message = `Not all machines of ${input.provider} that no one knows could be ${action === 'delete' ? 'deleted' : 'stopped'}: ${acted.failed}.`;
  throw notActed('StraysNotHandled', input, { ...acted, failed: message });
}

const hints = {
  credentials:
    'Correct the Secret, or grant what is missing (`kubeloom provider check`, docs/plugins.md), then retry. With `driftChecks.strays: report` nothing is stopped or deleted.',
  user: 'Lift what keeps the machine at the provider, or delete it there, then retry. With `driftChecks.strays: report` nothing is stopped or deleted.',
  transient: 'Kubeloom retries automatically.',
} as const;

function notActed(code: string, { provider }: HookInput, { failed, needs = undefined }: NotKnown): StageFailure {
  const kind = needs ?? 'transient';
  return new StageFailure({ class: kind, code, resource: provider, message: failed, hint: hints[kind] });
}
