/** A simulated API of Kubeloom over HTTP, for what only needs its answers: every manifest is done at once, with one cluster of three nodes. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { FakeKubeloom } from '#test/operator/fake-kubeloom.ts';

export interface SimulatedKubeloom {
  readonly apiUrl: string;
  /** Requests since it was started, by method. */
  readonly requests: Map<string, number>;
  close(): void;
}

export async function simulatedKubeloom(): Promise<SimulatedKubeloom> {
  const kubeloom = new FakeKubeloom();
  const api = kubeloom.api();
  const requests = new Map<string, number>();
  const cluster = (name: string) => {
    const nodes = ['control', 'compute', 'compute'].map((pool, index) => ({
      name: `${name}-${pool}-${index}`,
      pool,
      role: pool,
      provider: 'sim-1',
      privateAddress: `10.0.0.${index + 1}`,
      publicAddress: `203.0.113.${index + 1}`,
      status: 'Ready',
    }));
    return {
      cluster: `${name}-one-abc1234`,
      name: `${name}-one`,
      status: 'Converged',
      kubernetesVersion: '1.36.0',
      network: '192.168.2.0/24',
      apiEndpoint: null,
      progress: null,
      nodes,
      loadBalancers: [],
      failure: null,
      heldPools: [],
      demand: null,
      drift: null,
      simulated: [],
      kubeconfigPath: '/kubeconfig',
    };
  };
  const answer = async (request: IncomingMessage): Promise<{ readonly status: number; readonly body: unknown }> => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
    const [, , , namespace = '', name = '', ...rest] = pathname.split('/');
    const key = { namespace, name };
    if (namespace === '') {
      const from = Number(searchParams.get('next') ?? 0);
      const { items } = await api.listManifests();
      const page = items.slice(from, from + 200).map((one) => {
        const { nodes, ...known } = cluster(one.name);
        return { ...one, clusters: [{ ...known, nodes: nodes.length }] };
      });
      return { status: 200, body: { items: page, ...(from + 200 < items.length && { next: String(from + 200) }) } };
    }
    if (request.method === 'PUT') {
      const accepted = await api.putManifest(key, await json(request));
      kubeloom.finish(`${namespace}/${name}`);
      return { status: 202, body: accepted };
    }
    if (rest[0] === 'runs') return { status: 200, body: { items: [] } };
    if (rest[0] === 'clusters') return { status: 200, body: 'kind: Config' };
    const found = await api.findManifest(key);
    if (found) return { status: 200, body: { ...found.manifest, clusters: [cluster(name)] } };
    return { status: 404, body: kubeloom.problem(404, 'NotFound') };
  };
  const server = createServer((request, response) => {
    requests.set(request.method ?? '', (requests.get(request.method ?? '') ?? 0) + 1);
    void answer(request).then(({ status, body }) => {
      response.writeHead(status, { etag: '"u1-g1-a1"' });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return { apiUrl: `http://127.0.0.1:${port}`, requests, close: () => void server.close() };
}
