/** Which machines a waypoint keeps, which it does not recreate, and which it orphans: read from its document once. Pure. */
import { allNodes } from '#domain/cluster-state.ts';
import type { StageContext } from '../../stage-context.ts';

export interface KeptNodes {
  /** They exist, and the printed plan neither removes nor recreates them. */
  readonly kept: ReadonlySet<string>;
  /** Those of them that are not recreated if their machines are gone: healing decides about them, or they are being replaced. */
  readonly notRecreated: ReadonlySet<string>;
  readonly orphaned: ReadonlySet<string>;
}

export function keptNodes({ document, target, plan }: Pick<StageContext, 'document' | 'target' | 'plan'>): KeptNodes {
  const namesOf = (state: StageContext['target']) => (state ? allNodes(state).map(({ node }) => node.name) : []);
  const stays = new Set(namesOf(target));
  const orphaned = new Set(plan.stage === 'infrastructure' ? plan.work.orphan : []);
  const recreated = document.direction === 'repair' ? document.stages.flatMap(recreatedBy) : [];
  const others = new Set([...orphaned, ...recreated]);
  const kept = new Set(namesOf(document.before).filter((name) => stays.has(name) && !others.has(name)));
  return { kept, notRecreated: new Set((document.notRecreated ?? []).filter((name) => kept.has(name))), orphaned };
}

function recreatedBy({ stage, work }: StageContext['plan']): readonly string[] {
  if (stage === 'configuration') return work.install;
  return stage === 'kubernetes' ? (work.recreated ?? []) : [];
}
