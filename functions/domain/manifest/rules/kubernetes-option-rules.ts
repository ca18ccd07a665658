/** Rules of how Kubernetes is set up: registries, and a network of pods that someone has to bring. */
import { error, type Fault, warning } from '../faults/fault.ts';
import { shown } from '../schema/names.ts';
import type { ManifestIndex } from './manifest-index.ts';

export function* kubernetesOptionRules({ clusters }: ManifestIndex): Iterable<Fault> {
  for (const { thing: cluster, path } of clusters) {
    const { overwrite, insecure, mirrors = [] } = cluster.registries ?? {};
    const place = [...path, 'registries'];
    if (insecure && overwrite === undefined) {
      yield error(
        [...place, 'insecure'],
        'insecure applies to the registry in overwrite, but overwrite is not set',
        'name the registry in overwrite; for mirrors use skipTlsVerify',
      );
    }
    for (const [index, { registry }] of mirrors.entries()) {
      const before = mirrors.findIndex((mirror) => mirror.registry === registry);
      if (registry === undefined || before === index) continue;
      yield error(
        [...place, 'mirrors', index, 'registry'],
        `${shown(registry)} has mirrors already`,
        'list all of them as endpoints of one entry',
      );
    }
    if (cluster.cni === 'external' && cluster.addons === undefined) {
      yield warning(
        'no-network-addon',
        [...path, 'cni'],
        'no add-on brings the network of the pods, so nodes do not become ready until a network is installed',
        'put its documents into a directory of add-ons and name it in addons.path',
      );
    }
  }
}
