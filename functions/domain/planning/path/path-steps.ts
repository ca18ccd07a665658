/** The way from one state to another as steps, each ending in a complete state; their stages are computed later. */
import type { ClusterState } from '#domain/cluster-state.ts';
import type { Direction } from '#domain/plan.ts';
import { sameState } from '../states/diff-states.ts';
import { growTarget } from './grow-target.ts';
import { moveTarget, upgradeTargets } from './move-target.ts';
import { releaseTarget } from './release-target.ts';
import { type PathGoal, rollingGoals } from './rolling-goals.ts';
import { shrinkTarget } from './shrink-target.ts';

export interface Step {
  readonly direction: Direction;
  readonly target: ClusterState | null;
  /** True when the step removes what an earlier attempt left and is not desired. */
  readonly leftovers?: true;
}

/** The steps from `start` to the goal, none when they are the same; the last one ends in exactly the goal. */
export function stepsTowards(start: ClusterState, desired: PathGoal): readonly Step[] {
  const steps: Step[] = [];
  let here = start;
  const take = (direction: Direction, target: ClusterState) => {
    if (sameState(here, target)) return;
    steps.push({ direction, target });
    here = target;
  };
  take('shrink', releaseTarget(here, desired.goal));
  const goals = rollingGoals(here, desired);
  for (const [index, { kubernetesVersion, ...rest }] of goals.entries()) {
    // What the change removes is not upgraded before: every upgrade drains each node, and may fail on each.
    const isLast = index === goals.length - 1;
    const goal = { ...rest, kubernetesVersion: isLast ? kubernetesVersion : here.kubernetesVersion };
    take('grow', growTarget(here, goal));
    take('move', moveTarget(here, goal));
    take('shrink', shrinkTarget(here, goal));
    for (const target of upgradeTargets(here, goal)) take('upgrade', target);
    take('settle', goal);
  }
  const last = steps.pop();
  return last === undefined ? [] : [...steps, { ...last, target: desired.goal }];
}
