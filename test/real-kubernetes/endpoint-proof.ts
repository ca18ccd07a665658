/** Proofs of what names the API endpoint of a real cluster: certificates, kubeconfigs, kubelets, and what nodes read that join. */
import { expect } from 'vitest';
import { parse } from 'yaml';
import type { NodeRow } from '#contracts/api-bodies.ts';
import type { realCluster } from './real-cluster.ts';

/** Names and addresses in the certificate of the API server on this control node, as openssl prints them. */
export const certificateOf = (cluster: ReturnType<typeof realCluster>, node: NodeRow): Promise<string> =>
  cluster.ask(node, 'openssl x509 -noout -ext subjectAltName -in /etc/kubernetes/pki/apiserver.crt');

/** All that names the endpoint names this one; certificates have the other `names`, too. */
export async function proveEndpoint(
  cluster: ReturnType<typeof realCluster>,
  host: string,
  ...names: readonly string[]
): Promise<void> {
  const server = `https://${host}:6443`;
  const serversIn = 'cd /etc/kubernetes; sed -n "s/^ *server: //p"';
  const { nodes } = await cluster.cluster();
  for (const node of nodes.filter(({ role }) => role === 'control')) {
    const certificate = await certificateOf(cluster, node);
    for (const name of [host, ...names]) expect(certificate).toContain(`:${name}`);
    expect(await cluster.ask(node, `${serversIn} admin.conf`)).toBe(server);
  }
  for (const node of nodes.filter(({ role }) => role === 'compute'))
    expect(await cluster.ask(node, `${serversIn} kubelet.conf`)).toBe(server);
  const configMap = async (namespace: string, name: string, field: string) =>
    parse(await cluster.kubectl('get', 'configmap', '-n', namespace, name, '-o', `jsonpath={.data.${field}}`));
  expect((await configMap('kube-public', 'cluster-info', 'kubeconfig')).clusters[0].cluster.server).toBe(server);
  const kubeadm = await configMap('kube-system', 'kubeadm-config', 'ClusterConfiguration');
  expect(kubeadm.controlPlaneEndpoint).toBe(`${host}:6443`);
  expect(kubeadm.apiServer.certSANs).toEqual(expect.arrayContaining([host, ...names]));
  expect(await cluster.kubectl('config', 'view', '-o', 'jsonpath={.clusters[0].cluster.server}')).toBe(server);
}
