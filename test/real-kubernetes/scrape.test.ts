/**
 * The documents `monitoring` in a real kube-apiserver, and what a real Prometheus makes of their configuration. KUBELOOM_PROMETHEUS names
 * the directory of `prometheus` and `promtool`. Debian's package, which is what can be had here, is built without the discovery of
 * Kubernetes: that is simulated by files with its labels, made of the objects in the API server. There are no machines, so no target answers.
 */
import { execFile, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { builtinDocument } from '#domain/cluster-documents.ts';
import { freePort } from '#test/free-port.ts';
import { BareApiServer } from './bare-api-server.ts';
import { applyBuiltin } from './built-in-documents.ts';

const programs = process.env.KUBELOOM_PROMETHEUS;
const run = promisify(execFile);
let server: BareApiServer;

beforeAll(async () => {
  server = await BareApiServer.start();
  const document = builtinDocument('monitoring', { balancer: ['192.168.2.9', '192.168.2.10'] });
  const { result } = await applyBuiltin(server, [document]);
  expect(result).toMatchObject({ ok: true, summary: { documentsApplied: 1 } });
});
afterAll(() => server?.stop());

async function kubectl(...args: string[]): Promise<string> {
  const { stdout } = await run(server.kubectl, [`--kubeconfig=${server.adminFile()}`, ...args]);
  return stdout;
}

it('the API server takes the objects of monitoring as they are rendered', async () => {
  const label = ['-l', 'kubeloom.dev/documents=monitoring', '-A', '-o', 'name'];
  const names = await kubectl('get', 'configmaps,services,endpointslices,clusterroles', ...label);
  expect(names.trim().split('\n').sort()).toEqual([
    'clusterrole.rbac.authorization.k8s.io/kubeloom-scrape',
    'configmap/kubeloom-scrape',
    'endpointslice.discovery.k8s.io/kubeloom-load-balancer-192.168.2.10',
    'endpointslice.discovery.k8s.io/kubeloom-load-balancer-192.168.2.9',
    'service/kubeloom-load-balancers',
  ]);
});

it.skipIf(!programs)(
  'a real Prometheus scrapes both exporters of each load balancer and every kubelet, and nothing else',
  async () => {
    const get = ['get', 'configmap', 'kubeloom-scrape', '-n', 'kube-system', '-o', 'jsonpath={.data.kubeloom\\.yaml}'];
    const text = await kubectl(...get);
    const file = join(server.directory, 'prometheus.yml');
    const discovered = { endpointslice: await endpointSlices(), node: [nodeTarget('one', '192.168.2.3')] };
    const config = parse(text);
    for (const job of config.scrape_configs) {
      const [{ role }]: [{ role: keyof typeof discovered }] = job.kubernetes_sd_configs;
      delete job.kubernetes_sd_configs;
      const targets = join(server.directory, `${role}.json`);
      writeFileSync(targets, JSON.stringify(discovered[role]));
      job.file_sd_configs = [{ files: [targets] }];
      // It runs next to the API server, where no pod's files are.
      if (job.scheme === 'https')
        Object.assign(job, { tls_config: { insecure_skip_verify: true }, authorization: undefined });
    }
    writeFileSync(file, stringify(config, { aliasDuplicateObjects: false }));
    await run(join(programs ?? '', 'promtool'), ['check', 'config', file]);
    const address = `127.0.0.1:${await freePort()}`;
    const data = [`--storage.tsdb.path=${join(server.directory, 'metrics')}`, `--web.listen-address=${address}`];
    const child = spawn(join(programs ?? '', 'prometheus'), [`--config.file=${file}`, ...data], { stdio: 'ignore' });
    try {
      const targets = async (): Promise<readonly string[]> => {
        const answer = await fetch(`http://${address}/api/v1/targets?state=active`).catch(() => undefined);
        const body = (await answer?.json()) as { data: { activeTargets: { scrapeUrl: string }[] } } | undefined;
        return (body?.data.activeTargets ?? []).map(({ scrapeUrl }) => scrapeUrl).sort();
      };
      while ((await targets()).length < 6) await pause(500);
      expect(await targets()).toEqual([
        'http://192.168.2.10:65533/metrics',
        'http://192.168.2.10:65534/metrics',
        'http://192.168.2.9:65533/metrics',
        'http://192.168.2.9:65534/metrics',
        'https://192.168.2.3:10250/metrics',
        'https://192.168.2.3:10250/metrics/cadvisor',
      ]);
    } finally {
      child.kill('SIGKILL');
    }
  },
);

interface Target {
  readonly targets: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

/** As the role `endpointslice` has them; one of another Service is among them. */
async function endpointSlices(): Promise<readonly Target[]> {
  const other = { targets: ['192.168.2.3:443'], labels: { __meta_kubernetes_service_name: 'kubernetes' } };
  const { items } = JSON.parse(await kubectl('get', 'endpointslices', '-n', 'kube-system', '-o', 'json')) as {
    items: {
      metadata: { labels: Record<string, string> };
      endpoints: { addresses: string[] }[];
      ports: { name: string; port: number }[];
    }[];
  };
  const found = items.flatMap(({ metadata, endpoints, ports }) =>
    endpoints.flatMap(({ addresses }) =>
      addresses.flatMap((address) =>
        ports.map(({ name, port }): Target => {
          const service = metadata.labels['kubernetes.io/service-name'] ?? '';
          const labels = { __meta_kubernetes_service_name: service, __meta_kubernetes_endpointslice_port_name: name };
          return { targets: [`${address}:${port}`], labels };
        }),
      ),
    ),
  );
  return [other, ...found];
}

/** As the role `node` has it: the port is the kubelet's. */
function nodeTarget(name: string, address: string): Target {
  return { targets: [`${address}:10250`], labels: { __meta_kubernetes_node_name: name } };
}
