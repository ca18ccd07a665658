/** Stops or deletes machines that no one knows, each by its id. */
import type { StrayAction } from '#domain/drift.ts';
import { type NotKnown, orNotKnown } from '../../listing/list-cluster.ts';
import { actOnMachines, canAct } from '../../listing/machine-acts.ts';
import type { SecretReader } from '../../stage-context.ts';
import { StageFailure } from '../../stage-failure.ts';
import type { Hooks } from '../templates/hooks.ts';
import type { HookInput } from '../templates/provider-files.ts';
import type { TemplatePart } from '../templates/read-templates.ts';
import { listInputOf, straysOf } from './strays.ts';

export interface StrayWork {
  readonly action: StrayAction;
  readonly ids: readonly string[];
}

/** What a workspace is asked about what it has. */
export interface Listing {
  readonly hooks: Hooks;
  readonly input: HookInput;
}

/**
 * Acts on those of the machines that still are strays, reports each, and returns their names. Each version of a type is asked about what
 * it lists. Throws `StageFailure` when the listing fails, and after the last machine when some were refused.
 */
export async function actOnStrays(
  context: SecretReader,
  { hooks, input }: Listing,
  { action, ids }: StrayWork,
): Promise<readonly string[]> {
  const done = new Map<string, string>();
  const acted = ({ id, name }: Machine) => {
    done.set(id, name);
    const about = `${name} has the tags of the cluster in ${input.provider}, but neither Kubeloom nor Terraform knows it`;
    if (action === 'delete') context.emit({ kind: 'LeftoverRemoved', message: `${about}: it was deleted`, node: name });
    else context.emit({ kind: 'StrayQuarantined', message: `${about}: it was stopped, and is kept`, node: name });
  };
  const refusals: NotKnown[] = [];
  for (const part of hooks.parts) {
    const own = hooks.of(part);
    const strays = await straysOf(context, own, input);
    if ('failed' in strays) {
      const message = `The machines of ${input.provider} could not be listed, so none is stopped or deleted: ${strays.failed}`;
      throw notActed('StraysNotListed', input, { ...strays, failed: message });
    }
    const machines = strays.found.filter(
      ({ id, stopped }) => ids.includes(id) && !done.has(id) && !(action === 'quarantine' && stopped),
    );
    refusals.push(...(await actBy(context, part, { hooks: own, input, action, machines, acted })));
  }
  if (refusals.length > 0) throw allRefused(input, action, refusals);
  return [...done.values()];
}

type Machine = { readonly id: string; readonly name: string; readonly place?: string };

interface ActWork {
  /** Those of the part. */
  readonly hooks: Hooks;
  readonly input: HookInput;
  readonly action: StrayAction;
  readonly machines: readonly Machine[];
  /** Called for each as soon as it is done. */
  readonly acted: (machine: Machine) => void;
}

/** By the hook of the type, else by the runner itself. Returns the refusals: one machine that is refused does not keep the others. */
async function actBy(
  context: SecretReader,
  part: TemplatePart,
  { hooks, input, action, machines, acted }: ActWork,
): Promise<readonly NotKnown[]> {
  if (machines.length === 0) return [];
  const hook = action === 'delete' ? 'remove' : 'stop';
  if (hooks.has(hook)) {
    const named = machines.map(({ id, name }) => ({ id, name }));
    await hooks.ask(hook, { ...input, machines: named });
    machines.forEach(acted);
    return [];
  }
  if (!canAct(part.provider)) return [];
  const asked = await listInputOf(context, part, input);
  const refusals: NotKnown[] = [];
  for (const machine of machines) {
    const work = { action, machines: [machine], signal: context.signal };
    const answer = await orNotKnown(() => actOnMachines(part.provider.type, asked, work));
    if ('failed' in answer) refusals.push(answer);
    else if (answer.length > 0) acted(machine);
  }
  return refusals;
}

/** What may pass is retried first; then a person has to act. */
function allRefused(input: HookInput, action: StrayAction, refusals: readonly NotKnown[]): StageFailure {
  const passing = refusals.find(({ needs }) => needs === undefined);
  const done = action === 'delete' ? 'deleted' : 'stopped';
  const failed = `Not all machines of ${input.provider} that are unknown could be ${done}: ${refusals.map((one) => one.failed).join('; ')}.`;
  return notActed('StraysNotHandled', input, { ...(passing ?? refusals[0]), failed });
}

const hints = {
  credentials:
    'Correct the Secret, or grant what is missing (`kubeloom provider check`, docs/plugins.md), then retry. With `driftChecks.strays: report` nothing is stopped or deleted.',
  user: 'Remove the protection of the machine at the provider, or delete it there, then retry. With `driftChecks.strays: report` nothing is stopped or deleted.',
  transient: 'If it stays, delete the machine at the provider.',
} as const;

function notActed(code: string, { provider }: HookInput, { failed, needs = undefined }: NotKnown): StageFailure {
  const kind = needs ?? 'transient';
  return new StageFailure({ class: kind, code, resource: provider, message: failed, hint: hints[kind] });
}
