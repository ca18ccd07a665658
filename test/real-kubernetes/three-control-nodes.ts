/** The example with three control nodes. */
import { newest } from '#local/kubernetes/versions.ts';
import { type Manifest, two } from './real-cluster.ts';

/** Two control nodes in the first provider, one in the second. */
export async function three(change: (manifest: Manifest) => void = () => undefined): Promise<Manifest> {
  const manifest = structuredClone(await two(newest));
  const { dynamic } = manifest.spec.nodePools;
  const [control] = dynamic.splice(0, 1);
  const far = dynamic.find(({ name }) => name === 'compute-2');
  if (control === undefined || far === undefined) throw new Error('the example has other pools');
  dynamic.push({ ...control, count: 2 }, { ...far, name: 'control-2' });
  manifest.spec.kubernetes.clusters[0].pools.control = ['control', 'control-2'];
  for (const role of manifest.spec.loadBalancers.roles)
    if (role.name === 'apiserver') role.targetPools = ['control', 'control-2'];
  change(manifest);
  return manifest;
}
