/** A cluster of 302 nodes: one that controls, and 301 in three clouds. */
import { simManifest } from './console-in-browser.ts';

export const largeNodes = 302;

export function largeManifest(name: string) {
  const manifest = simManifest(name, { compute: 100, providers: 3 });
  const last = manifest.spec.nodePools.dynamic.at(-1);
  if (last) last.count += 1;
  for (const cluster of manifest.spec.kubernetes.clusters) cluster.network = '192.168.0.0/22';
  return manifest;
}
