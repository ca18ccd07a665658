/** What every simulated cluster has from the beginning: the usual namespaces and something that a load balancer can reach. */
import { admitObject } from './admission.ts';
import type { JsonObject, KubeObject } from './json.ts';
import type { ObjectStore } from './object-store.ts';
import { resourceNamed } from './resources.ts';

export function seedObjects(store: ObjectStore, now: Date): void {
  // Only a cluster that is new: what a user deleted stays deleted.
  if (store.snapshot.revision > 0) return;
  const make = (name: string, metadata: KubeObject['metadata'], more: JsonObject = {}): void => {
    const resource = resourceNamed(name);
    const object = { apiVersion: 'v1', kind: resource.kind, metadata, ...more };
    store.write(resource, admitObject(resource, object, undefined, now));
  };
  for (const name of ['default', 'kube-system', 'kube-public', 'kube-node-lease']) make('namespaces', { name });
  const annotations = { 'kubeloom.dev/simulated': 'each kubelet answers on the node port with the name of its node' };
  const ports = [{ name: 'http', port: 80, targetPort: 8080, nodePort: 30080, protocol: 'TCP' }];
  const spec = { type: 'NodePort', clusterIP: '10.96.0.80', ports };
  make('services', { name: 'echo', namespace: 'default', annotations }, { spec });
}
