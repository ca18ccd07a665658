/** Where the parts of real Kubernetes are on this machine, and whether they are complete. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as parts from './parts.ts';

/** What runs on hosts: Kubernetes, installed by KubeOne, or the small API server of a simulated control plane. */
export type KubernetesKind = 'real' | 'simulated';

export function partsDirectory(): string {
  return join(process.env.KUBELOOM_CACHE_DIR ?? '/var/cache/kubeloom', 'kubernetes');
}

/** Changes with the table of versions: parts of another table are not complete. */
export function partsKey(): string {
  // Sorted as Node sorts the exports of a module; Vitest does not.
  const table = Object.fromEntries(Object.entries(parts).sort(([one], [other]) => (one < other ? -1 : 1)));
  return createHash('sha256').update(JSON.stringify(table)).digest('hex').slice(0, 12);
}

/** True when `npm run kubernetes:build` has made all parts of the present table. */
export function partsAreThere(): boolean {
  return existsSync(join(partsDirectory(), 'complete', partsKey()));
}

/** Releases of KubeOne that were built, newest first. */
export function builtKubeones(): readonly string[] {
  return parts.kubeoneVersions.filter((version) => existsSync(builtKubeone(version)));
}

/** Where the built program of a release is; its directory holds nothing else. */
export function builtKubeone(version: string): string {
  return join(partsDirectory(), 'programs', `kubeone-${version}`, `kubeone-${version}`);
}

/** The kind that was asked for, else real where its parts are. Throws for an unknown word, and for `real` without parts. */
export function kubernetesKind(asked: string | undefined): KubernetesKind {
  if (asked === undefined || asked === '') return partsAreThere() ? 'real' : 'simulated';
  if (asked !== 'real' && asked !== 'simulated') throw new Error(`Kubernetes is "${asked}": write real or simulated`);
  if (asked === 'real' && !partsAreThere())
    throw new Error(`there is no real Kubernetes in ${partsDirectory()}: run npm run kubernetes:build first`);
  return asked;
}
