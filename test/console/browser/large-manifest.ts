/** Clusters of 302 nodes: in three clouds, whose pools are drawn as blocks, or in ten, whose nodes are drawn each. */
import { simManifest } from './console-in-browser.ts';

export const largeNodes = 302;

export const largeManifest = (name: string) => manifestOf(name, { compute: 100, providers: 3 });
export const manyPoolsManifest = (name: string) => manifestOf(name, { compute: 30, providers: 10 });

function manifestOf(name: string, pools: { readonly compute: number; readonly providers: number }) {
  const manifest = simManifest(name, pools);
  const last = manifest.spec.nodePools.dynamic.at(-1);
  if (last) last.count += 1;
  for (const cluster of manifest.spec.kubernetes.clusters) cluster.network = '192.168.0.0/22';
  return manifest;
}
