/** The plan of Terraform for a waypoint: it ends no machine that the waypoint keeps, and recreates none that it is not to recreate. */
import type { ContextOf } from '../../stage-context.ts';
import type { PlanOptions, PlanOutcome, TerraformCli } from '../cli/terraform-cli.ts';
import {
  absentMachines,
  forgetOthers,
  keptWhenGone,
  recreatedIn,
  refuseChangesOf,
  reportLeftGone,
} from './gone-machines.ts';
import { keptNodes, refusedChanges, removedOnly, replacementRefused, suspectChanges } from './refuse-replacements.ts';

export interface PlanToKeep {
  readonly terraform: Pick<TerraformCli, 'plan' | 'plannedChanges' | 'resources' | 'forget'>;
  /** Writes the root module again, without these nodes. */
  readonly render: (without: ReadonlySet<string>) => Promise<void>;
  readonly request: PlanOptions;
  /** Nodes whose machines a hook found gone, and that the request does not recreate. */
  readonly knownGone: readonly string[];
}

export interface KeepingPlan {
  readonly plan: PlanOutcome;
  /** Nodes whose machines are gone, and that it does not recreate. */
  readonly leftGone: ReadonlySet<string>;
}

type Workspace = { readonly kind: 'machines' | 'dns'; readonly name: string };

/**
 * The plan of Terraform, if it leaves alone all machines that the plan of the waypoint keeps. Throws `ReplacementRefused` before
 * anything is changed. An undo removes what is new all the same, and nothing else.
 */
export async function planKeeping(
  context: ContextOf<'terraform'>,
  { kind, name }: Workspace,
  asked: PlanToKeep,
): Promise<KeepingPlan> {
  const { terraform, request } = asked;
  if (kind === 'dns') return { plan: await terraform.plan(request), leftGone: new Set() };
  const kept = keptNodes(context);
  const { plan, leftGone, request: made } = await planWithoutGone(context, asked);
  const suspects = suspectChanges(plan.messages, kept);
  const refused = suspects.length === 0 ? [] : refusedChanges(suspects, await terraform.plannedChanges());
  if (refused.length === 0) return { plan, leftGone };
  const failure = replacementRefused(name, refused, kept);
  if (context.mode === 'do') throw failure;
  context.log.write('runner', `only what is new is removed: ${failure.error.message}`);
  const only = removedOnly(plan.messages, kept);
  if (only.length === 0) return { plan: { changes: false, removes: false, messages: [] }, leftGone };
  return { plan: await terraform.plan({ ...made, only }), leftGone };
}

/**
 * If the plan recreates machines that the waypoint is not to recreate: another one, for which everything exists that the state records, also
 * those machines. Whatever else is missing is forgotten before, and so created by it. A machine that the state does not record any more is left
 * out of the root module, if nothing else of it is left.
 */
async function planWithoutGone(
  context: ContextOf<'terraform'>,
  { terraform, render, request, knownGone }: PlanToKeep,
): Promise<KeepingPlan & { readonly request: PlanOptions }> {
  const plan = await terraform.plan(request);
  const gone = recreatedIn(plan.messages, keptWhenGone(context));
  const leave = (last: PlanOutcome): ReadonlySet<string> => {
    const recreated = recreatedIn(last.messages, gone);
    const leftGone = new Set([...knownGone, ...gone].filter((name) => !recreated.has(name)));
    reportLeftGone(context, leftGone);
    return leftGone;
  };
  if (gone.size === 0) return { plan, leftGone: leave(plan), request };
  await forgetOthers(terraform, plan.messages, gone);
  const asRecorded = { ...request, refresh: false };
  const second = await terraform.plan(asRecorded);
  const unrecorded = recreatedIn(second.messages, gone);
  const absent = unrecorded.size === 0 ? unrecorded : absentMachines(await terraform.plannedChanges(), unrecorded);
  if (absent.size > 0) await render(absent);
  const last = absent.size > 0 ? await terraform.plan(asRecorded) : second;
  refuseChangesOf(context, last.messages, gone);
  return { plan: last, leftGone: leave(last), request: asRecorded };
}
