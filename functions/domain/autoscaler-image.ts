/** Which cluster-autoscaler runs in a cluster: it simulates the scheduler, so it is of the minor of Kubernetes. */
import { minorOf, supportedMinors } from './kubernetes-versions.ts';

/** Newest first. Tags of this registry are never moved. */
const releases: Readonly<Record<string, string>> = {
  '1.36': 'v1.36.0',
  '1.35': 'v1.35.1',
  '1.34': 'v1.34.4',
  '1.33': 'v1.33.5',
  '1.32': 'v1.32.5',
};

/** `version`: of Kubernetes; for a minor without a release of its own, the newest one. */
export function autoscalerImage(version: string): string {
  const known = releases[minorOf(version) ?? ''] ?? releases[supportedMinors.at(-1) ?? ''];
  return `registry.k8s.io/autoscaling/cluster-autoscaler:${known}`;
}
