/** What every simulated cluster has from the beginning: the usual namespaces and something that a load balancer can reach. */
import { admitObject } from './admission.ts';
import type { KubeObject } from './json.ts';
import type { ObjectStore } from './object-store.ts';
import { namespaceNames, resourceNamed } from './resources.ts';

export function seedObjects(store: ObjectStore, now: Date): void {
  const make = (resourceName: string, object: KubeObject): void => {
    const resource = resourceNamed(resourceName);
    const { namespace = '', name } = object.metadata;
    if (store.get(resource, namespace, name) === undefined) {
      store.write(resource, admitObject(resource, object, undefined, now));
    }
  };
  // Only a cluster that is new: what a user deleted stays deleted.
  if (store.snapshot.revision > 0) return;
  for (const name of namespaceNames) make('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  make('services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'echo',
      namespace: 'default',
      annotations: { 'kubeloom.dev/simulated': 'each kubelet answers on the node port with the name of its node' },
    },
    spec: {
      type: 'NodePort',
      clusterIP: '10.96.0.80',
      ports: [{ name: 'http', port: 80, targetPort: 8080, nodePort: 30080, protocol: 'TCP' }],
    },
  });
}
