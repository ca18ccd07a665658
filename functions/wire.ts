/** The composition root: the only place that joins ports with adapters. Once for each process. */
import { PipelineError } from '#domain/errors.ts';
import type { Deps } from './ports.ts';

let wired: Deps | undefined;

/** The ports of this process, made from its environment on first use. */
export function wire(): Deps {
  if (!wired) throw new PipelineError('InternalFault', 'no adapters are joined yet');
  return wired;
}

/** Uses these ports from now on: for tests, and for programs that run many functions in one process. */
export function useDeps(deps: Deps | undefined): void {
  wired = deps;
}
