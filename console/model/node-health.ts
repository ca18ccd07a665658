/** What Kubernetes and health checks say of a node, as the last check for drift found it. */
import type { ClusterDescription, NodeRow } from '#contracts/api-bodies.ts';
import { timeAgo } from './times.ts';

/** In words; empty where Kubernetes has no such node. `now`: ms. */
export function kubernetesText({ name, role }: NodeRow, { drift }: Pick<ClusterDescription, 'drift'>, now: number) {
  if (role !== 'control' && role !== 'compute') return '';
  if (drift === null) return 'not asked yet: no check for drift was made';
  const asked = `asked ${timeAgo(drift.checkedAt, now)}`;
  const found = drift.health?.find(({ node }) => node === name);
  const since = found?.since === undefined ? '' : ` for ${timeAgo(found.since, now).replace(/ ago$/, '')}`;
  if (found?.health === 'notReady') return `not ready${since}, ${asked}`;
  if (found?.ready) return `ready, although its machine is gone; ${asked}`;
  if (found?.health === 'unknown' || (found === undefined && drift.unchecked.length > 0)) return `not known, ${asked}`;
  return found?.health === 'gone' ? '' : `ready, ${asked}${found?.locked ? '; locked' : ''}`;
}

/** Health of a machine with health checks. */
export function healthChecksText({ health }: NodeRow, now: number): string {
  if (!health) return '';
  const words: Readonly<Record<typeof health.state, string>> = {
    healthy: 'all pass',
    unhealthy: 'one fails',
    notReady: 'it is not ready',
    gone: 'its machine is gone',
    unknown: 'not known',
  };
  const since = health.since === undefined ? '' : ` since ${timeAgo(health.since, now)}`;
  return `${words[health.state]}${since}, asked ${timeAgo(health.checkedAt, now)}`;
}
