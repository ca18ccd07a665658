/** The plan of Terraform for a waypoint: it ends no machine that the waypoint keeps, and recreates none that it is not to recreate. */
import type { StageMode } from '#contracts/stage.ts';
import type { StageContext } from '../../stage-context.ts';
import type { PlanOptions, PlanOutcome, TerraformCli } from '../cli/terraform-cli.ts';
import {
  absentMachines,
  changedIn,
  createdOfOthers,
  leftGoneEvent,
  machineGone,
  recreatedIn,
} from './gone-machines.ts';
import type { KeptNodes } from './kept-nodes.ts';
import { refusedChanges, removedOnly, replacementRefused, suspectChanges } from './refuse-replacements.ts';

export interface PlanToKeep extends Pick<StageContext, 'emit' | 'log'> {
  readonly terraform: Pick<TerraformCli, 'plan' | 'plannedChanges' | 'resources' | 'forget'>;
  /** Writes the root module again, without these nodes. */
  readonly render: (without: ReadonlySet<string>) => Promise<void>;
  readonly request: PlanOptions;
  readonly nodes: KeptNodes;
  /** Nodes whose machines a hook found gone, and that the request does not recreate. */
  readonly knownGone: readonly string[];
  readonly mode: StageMode;
  readonly manifest: string;
  readonly provider: string;
}

export interface KeepingPlan {
  readonly plan: PlanOutcome;
  /** Nodes whose machines are gone, and that it does not recreate. */
  readonly leftGone: ReadonlySet<string>;
}

/**
 * The plan of Terraform, if it leaves alone all machines that the plan of the waypoint keeps. Throws `ReplacementRefused` before
 * anything is changed. An undo removes what is new all the same, and nothing else.
 */
export async function planKeeping(asked: PlanToKeep): Promise<KeepingPlan> {
  const { terraform, provider, mode, log, emit } = asked;
  const { kept } = asked.nodes;
  const { plan, leftGone, request } = await planWithoutGone(asked);
  for (const node of leftGone) emit(leftGoneEvent(node));
  const suspects = suspectChanges(plan.messages, kept);
  const refused = suspects.length === 0 ? [] : refusedChanges(suspects, await terraform.plannedChanges());
  if (refused.length === 0) return { plan, leftGone };
  const failure = replacementRefused(provider, refused, kept);
  if (mode === 'do') throw failure;
  log.write('runner', `only what is new is removed: ${failure.error.message}`);
  const only = removedOnly(plan.messages, kept);
  if (only.length === 0) return { plan: { changes: false, removes: false, messages: [] }, leftGone };
  return { plan: await terraform.plan({ ...request, only }), leftGone };
}

/**
 * If the plan recreates machines that the waypoint is not to recreate: another one, for which everything exists that the state records, also
 * those machines. Whatever else is missing is forgotten before, and so created by it. A machine that the state does not record any more is left
 * out of the root module, if nothing else of it is left. Throws `MachineGone`.
 */
async function planWithoutGone(asked: PlanToKeep): Promise<KeepingPlan & Pick<PlanToKeep, 'request'>> {
  const { terraform, render, request, nodes, knownGone, mode, manifest } = asked;
  const plan = await terraform.plan(request);
  const gone = recreatedIn(plan.messages, nodes.notRecreated);
  const leftGoneBy = (last: PlanOutcome): ReadonlySet<string> => {
    const recreated = recreatedIn(last.messages, gone);
    return new Set([...knownGone, ...gone].filter((name) => !recreated.has(name)));
  };
  if (gone.size === 0) return { plan, leftGone: leftGoneBy(plan), request };
  await forgetLost(terraform, createdOfOthers(plan.messages, gone));
  const asRecorded = { ...request, refresh: false };
  const second = await terraform.plan(asRecorded);
  const unrecorded = recreatedIn(second.messages, gone);
  const absent = unrecorded.size === 0 ? unrecorded : absentMachines(await terraform.plannedChanges(), unrecorded);
  if (absent.size > 0) await render(absent);
  const last = absent.size > 0 ? await terraform.plan(asRecorded) : second;
  const changed = changedIn(last.messages, gone);
  if (changed !== undefined && mode === 'do') throw machineGone(manifest, changed);
  return { plan: last, leftGone: leftGoneBy(last), request: asRecorded };
}

/**
 * Forgets those that the state records although a plan that asked the cloud creates them again: a plan that does not ask the cloud creates
 * them, too. An apply of the first plan would forget the same.
 */
async function forgetLost(
  terraform: Pick<TerraformCli, 'resources' | 'forget'>,
  created: readonly string[],
): Promise<void> {
  if (created.length === 0) return;
  const recorded = new Set((await terraform.resources()).map(({ address }) => address));
  const lost = created.filter((address) => recorded.has(address));
  if (lost.length > 0) await terraform.forget(lost);
}
