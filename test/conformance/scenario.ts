/** What a scenario is, the manifests that most of them submit, and the steps that they are made of. */
import { manifestOf } from '#test/pipeline/harness/manifests.ts';
import type { Pipeline } from '#test/pipeline/harness/pipeline.ts';
import type { Outcome } from '#test/pipeline/harness/state-machines.ts';

export interface Scenario {
  readonly name: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Set when the order of what happens at once, or the moment of an abort, is not part of the promise. */
  readonly loose?: true;
  /** Also played where there are some minutes for all of them. */
  readonly short?: true;
  play(pipeline: Pipeline): Promise<readonly Outcome[]>;
  /** Part of what has to be observed. */
  readonly expected: object;
}

export const smallShop = manifestOf([{ compute: { work: 2 } }]);
export const largeShop = manifestOf([{ compute: { work: 2, more: 2 } }]);

/** From a machine of the user's own, Kubernetes is removed before it leaves. */
export const ownMachineShop = manifestOf([{ compute: { work: 1 }, balanced: true, machines: 1 }]);
export const balancedShop = manifestOf([{ compute: { work: 2, more: 2 }, balanced: true, machines: 1 }]);

export async function applyInTurn(pipeline: Pipeline, ...manifests: readonly unknown[]): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const manifest of manifests) {
    await pipeline.submit(manifest);
    outcomes.push(...(await pipeline.settle()));
  }
  return outcomes;
}

export async function deleteShop(pipeline: Pipeline): Promise<readonly Outcome[]> {
  await pipeline.submit(smallShop, true);
  return pipeline.settle();
}

export async function retryShop(pipeline: Pipeline): Promise<readonly Outcome[]> {
  await pipeline.retry();
  return pipeline.settle();
}
