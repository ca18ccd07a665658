/** 1,000 machines in 20 groups, without Kubernetes, with the simulated runner: `node bench/run.ts groups`. */
import { cliClient } from '#cli/connection/api-client.ts';
import { startPlatform } from '#local/platform.ts';
import { untilDone } from './manifests.ts';
import { percentiles, round, setting } from './numbers.ts';

const groups = 20;
const size = 50;
const regions = 4;
const repeats = setting('BENCH_REPEATS', 7);
const key = { namespace: 'default', name: 'groups' };

export async function measureGroups() {
  const platform = await startPlatform({ runner: 'sim', inMemory: true, apiPort: 0 });
  try {
    const api = cliClient({ apiUrl: platform.apiUrl, token: platform.token });
    const timed = async (work: () => Promise<unknown>) => {
      const started = performance.now();
      await work();
      return performance.now() - started;
    };
    const ended = async (work: () => Promise<unknown>) => {
      await work();
      return untilDone(api, key.name, 20);
    };
    const planOf = async (document: object) => {
      const times: number[] = [];
      for (let index = 0; index < repeats; index += 1)
        times.push(await timed(() => api.planManifest(key, { document })));
      return percentiles(times);
    };
    const create = await planOf(groupsManifest());
    const { healthChecks, costOfMonth } = await api.planManifest(key, { document: groupsManifest() });
    const createMs = await timed(() => ended(() => api.putManifest(key, groupsManifest())));
    const [first] = (await api.getManifest(key)).clusters;
    const node = first?.nodes[0]?.name ?? '';
    return {
      what: '1,000 machines in 20 groups of 4 regions: plans over the API, then what the simulated runner takes for all; times in ms',
      aim: { planMs: 500 },
      machines: first?.nodes.length,
      plan: { create, nothing: await planOf(groupsManifest()), image: await planOf(groupsManifest('other')) },
      createMs: round(createMs),
      healthRoundMs: round(await timed(() => ended(() => api.driftManifest(key, {})))),
      replaceMs: round(await timed(() => ended(() => api.replaceNodes(key, { nodes: [node] })))),
      costOfHealthChecksAMonth: healthChecks,
      costOfMachinesAMonth: costOfMonth && { after: costOfMonth.after, lists: costOfMonth.lists },
    };
  } finally {
    await platform.stop();
  }
}

function groupsManifest(image = 'debian'): object {
  const health = [{ http: { port: 80, path: '/ready' } }];
  const repair = { onUnhealthy: 'replace', after: '10m' };
  const group = (index: number) => ({
    size,
    providerSpec: { name: 'cloud-1', region: `region-${index % regions}` },
    serverType: 'small',
    image,
    health,
    repair,
    boot: ['true'],
  });
  const all = Object.fromEntries(Array.from({ length: groups }, (_, index) => [`group-${index}`, group(index)]));
  return {
    apiVersion: 'kubeloom.dev/v1',
    kind: 'MachineGroups',
    metadata: { name: key.name },
    spec: {
      providers: [{ name: 'cloud-1', providerType: 'sim' }],
      groups: all,
      network: '192.168.0.0/16',
      driftChecks: { interval: '30m' },
    },
  };
}
