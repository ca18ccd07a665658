/** Failures that the sim runner simulates: `KUBELOOM_SIM_FAULTS`, a JSON list. */
import { z } from 'zod';
import { RunWork, StageMode } from '#contracts/stage.ts';
import type { NodePoolState } from '#domain/cluster-state.ts';
import { errorClasses } from '#domain/errors.ts';
import { Direction } from '#domain/plan.ts';
import { type ClusterContext, knownNodeNames, knownStates } from '../stage-context.ts';

export const InjectedFault = z.strictObject({
  stage: RunWork,
  mode: StageMode.default('do'),
  class: z.enum(errorClasses).default('transient'),
  /** How many times it occurs. */
  times: z.number().int().min(1).default(1),
  /** Id or name of the cluster. @default any */
  cluster: z.string().optional(),
  /** Only in stages of clusters that have, or will have, this node; the node is reported as the cause. */
  node: z.string().optional(),
  /** Provider instance: only in an infrastructure stage that creates new pools in it, and only for those pools. */
  provider: z.string().optional(),
  /** Name of the manifest. @default any */
  manifest: z.string().optional(),
  /** Only in this direction. */
  direction: Direction.optional(),
  /** Only in this attempt of a stage. */
  attempt: z.number().int().min(1).optional(),
});
export type InjectedFault = z.infer<typeof InjectedFault>;
export const InjectedFaults = z.array(InjectedFault);

interface Struck {
  readonly fault: InjectedFault;
  left: number;
}

/** By the text of the list: counters live as long as the process. */
const lists = new Map<string, Struck[]>();

/** The fault that occurs in this job, which is counted; undefined when none does. `added`: pools that the job creates. */
export function strikingFault(
  text: string | undefined,
  context: ClusterContext,
  now: { readonly stage: RunWork; readonly mode: StageMode; readonly direction?: Direction },
  added: readonly NodePoolState[] = [],
): InjectedFault | undefined {
  if (text === undefined || text === '') return undefined;
  const list = lists.get(text) ?? read(text);
  lists.set(text, list);
  const { manifest, cluster } = context.document;
  const nodes = knownNodeNames(context);
  const [state] = knownStates(context);
  const isAdded = (name: string) =>
    added.some(({ source }) => source.kind === 'dynamic' && source.provider.name === name);
  const struck = list.find(
    ({ fault, left }) =>
      left > 0 &&
      fault.stage === now.stage &&
      fault.mode === now.mode &&
      (fault.cluster === undefined || fault.cluster === cluster || fault.cluster === (state?.name ?? '')) &&
      (fault.node === undefined || nodes.has(fault.node)) &&
      (fault.provider === undefined || isAdded(fault.provider)) &&
      (fault.manifest ?? manifest) === manifest &&
      (fault.direction ?? now.direction) === now.direction &&
      (fault.attempt ?? context.attempt) === context.attempt,
  );
  if (struck === undefined) return undefined;
  struck.left -= 1;
  return struck.fault;
}

/** Resets the counters: for programs that run several worlds one after another. */
export function forgetFaults(): void {
  lists.clear();
}

function read(text: string): Struck[] {
  return InjectedFaults.parse(JSON.parse(text)).map((fault) => ({ fault, left: fault.times }));
}
