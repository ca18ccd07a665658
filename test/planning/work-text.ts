/** Waypoints with all their work as one line each, in names without hashes. */
import type { ClusterPlan, StagePlan } from '#domain/plan.ts';

/** `grow: infrastructure(aws-1) configuration(install compute-03; peers 3) …` of each waypoint. */
export function workText(plan: ClusterPlan): readonly string[] {
  return plan.waypoints.map(({ direction, stages }) =>
    withoutHashes(
      [`${direction}:`, ...stages.map((stage) => `${stage.stage}(${partsOf(stage).join('; ')})`)].join(' '),
    ),
  );
}

/** Ids of tests end in a hash of seven that begins with x or y. */
export function withoutHashes(text: string): string {
  return text.replaceAll(/-[xy][a-z0-9]{6}\b/g, '');
}

function partsOf(plan: StagePlan): readonly string[] {
  switch (plan.stage) {
    case 'infrastructure':
      return plan.work.workspaces.map(
        ({ kind, name, destroy }) => `${destroy ? 'destroy ' : ''}${kind === 'dns' ? 'names of ' : ''}${name}`,
      );
    case 'configuration': {
      const { install, peers, uninstall, loadBalancers, proxy, endpoint = [] } = plan.work;
      return [
        ...named('install', install),
        ...(peers.length > 0 ? [`peers of ${peers.length}`] : []),
        ...named('clean', uninstall),
        ...named('build', loadBalancers),
        ...(proxy.length > 0 ? [`proxy of ${proxy.length}`] : []),
        ...(endpoint.length > 0 ? [`endpoint of ${endpoint.length}`] : []),
      ];
    }
    case 'kubernetes':
      return [plan.work.action, ...named('remove old', plan.work.recreated ?? [])];
    case 'nodes':
      return [...named('patch', plan.work.patch), ...named('remove', plan.work.remove)];
    case 'traffic':
      return plan.work.loadBalancers;
    default:
      return plan satisfies never;
  }
}

function named(word: string, names: readonly string[]): readonly string[] {
  return names.length > 0 ? [`${word} ${names.join(', ')}`] : [];
}
