/** The way from one Kubernetes version to another: one minor version at a time. */
import { compareVersions, kubeoneReleaseFor, minorOf } from '#domain/kubernetes-versions.ts';

/** The versions to pass through, the desired one last; empty when `to` is not newer. */
export function minorSteps(from: string, to: string): readonly string[] {
  if (compareVersions(from, to) >= 0) return [];
  const [major, first] = numbers(from);
  const [lastMajor, last] = numbers(to);
  if (major !== lastMajor) return [to];
  const between = Array.from({ length: Math.max(0, last - first - 1) }, (_, step) => `${major}.${first + step + 1}.0`);
  return [...between, to];
}

/** The first step that no KubeOne release can take, if there is one. */
export function impossibleStep(from: string, to: string): { readonly from: string; readonly to: string } | undefined {
  const steps = minorSteps(from, to);
  return steps
    .map((step, index) => ({ from: steps[index - 1] ?? from, to: step }))
    .find((step) => kubeoneReleaseFor(step.to, step.from) === undefined);
}

function numbers(version: string): readonly [number, number] {
  const [major = '0', minor = '0'] = (minorOf(version) ?? version).split('.');
  return [Number(major), Number(minor)];
}
