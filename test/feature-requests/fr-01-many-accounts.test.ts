import { describe, expect, test } from 'vitest';
import { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import { buildDesiredState } from '#domain/planning/desired/build-desired-state.ts';
import { planClusterPath } from '#domain/planning/plan-cluster-path.ts';
import { providerTypes } from '#domain/provider-types.ts';
import { renderDnsRoot } from '#rendering/dns-root.ts';
import { renderMachinesRoot } from '#rendering/machines-root.ts';
import { ProviderTemplate } from '#rendering/provider-template.ts';
import { countingIds } from '#test/planning/arbitraries.ts';

const types = Object.entries(providerTypes)
  .filter(([, facts]) => facts.nodes)
  .map(([type, facts]) => ({ type, secret: facts.secret.length > 0, dns: facts.dns }));
const cases = types.flatMap((type) => [1, 2, 5].map((instances) => ({ ...type, instances })));
const backend = { bucket: 'b', region: 'r', key: 'k' };

/** One account after the other, each with pools in two regions. */
function manifestOf({ type, secret, dns, instances }: (typeof cases)[number]): InputManifest {
  const names = Array.from({ length: instances }, (_, index) => `${type.slice(0, 9)}-${index + 1}`);
  const secretRef = (name: string) => (secret ? { secretRef: { name, namespace: 'team' } } : {});
  const pools = names.flatMap((name, index) =>
    ['west', 'north'].map((region) => ({
      name: `p-${index + 1}-${region}`,
      providerSpec: { name, region, ...(type === 'openstack' && { externalNetworkName: 'outside' }) },
      count: 1,
      serverType: 'small',
      image: 'ubuntu',
    })),
  );
  const [control = '', ...compute] = pools.map((pool) => pool.name);
  return InputManifest.parse({
    apiVersion: 'kubeloom.dev/v1',
    kind: 'InputManifest',
    metadata: { name: 'accounts' },
    spec: {
      providers: names.map((name) => ({ name, providerType: type, ...secretRef(name) })),
      nodePools: { dynamic: pools },
      kubernetes: {
        clusters: [{ name: 'c', version: '1.36.0', network: '192.168.2.0/24', pools: { control: [control], compute } }],
      },
      loadBalancers: {
        clusters: dns
          ? [{ name: 'lb', dns: { dnsZone: 'example.com', provider: names[0] }, targetedK8s: 'c', pools: [compute[0]] }]
          : [],
      },
    },
  });
}

describe('FR-1: several accounts of one cloud in one cluster', () => {
  test.each(cases)(
    '$instances × $type: each instance has its own workspace, and no provider is configured twice',
    (desired) => {
      const manifest = manifestOf(desired);
      const ids = countingIds('x');
      const state = buildDesiredState({ manifest, cluster: 'c', current: null, attempted: null, templates: {}, ids });
      if (state === null) throw new Error('there is no cluster');
      const [grow] = planClusterPath({ cluster: 'c', current: null, attempted: null, desired: state }).waypoints;
      const [infrastructure] = grow?.stages.filter((stage) => stage.stage === 'infrastructure') ?? [];
      const visited = infrastructure?.work.workspaces.filter(({ kind }) => kind === 'machines').map(({ name }) => name);
      expect(visited).toEqual(manifest.spec.providers.map(({ name }) => name));
      for (const regional of [true, false]) {
        const template = templateOf(desired.type, regional);
        const owner = { installation: 'i', namespace: 'team', manifest: 'm', clusterId: state.id, generation: 1 };
        const common = { ...owner, template, backend, modules: './modules' };
        for (const { source } of state.pools) {
          if (source.kind === 'static') continue;
          const made = {
            state,
            others: [],
            provider: source.provider,
            publicKeys: {},
            adminCidrs: [],
            peerCidrs: [],
            extra: { network: {}, nodepool: {} },
          };
          expectNoDuplicate(renderMachinesRoot({ ...common, ...made }));
        }
        for (const { dns } of state.loadBalancers) {
          const names = { dns, gone: false, addresses: ['203.0.113.1'], healthCheckPort: 443, extra: {} };
          expectNoDuplicate(renderDnsRoot({ ...common, ...names }));
        }
      }
    },
  );
});

function templateOf(type: string, regional: boolean): ProviderTemplate {
  const place = regional ? { regionArgument: 'region', defaultRegion: 'west' } : {};
  return ProviderTemplate.parse({
    provider: {
      name: type,
      source: `example/${type}`,
      version: '1.0.0',
      credentials: { token: 'credentials' },
      ...place,
    },
  });
}

/** Terraform takes one block of a provider without an alias, and each alias once. */
function expectNoDuplicate(root: Readonly<Record<string, unknown>>): void {
  const blocks = Object.values(root.provider as Readonly<Record<string, readonly { readonly alias?: string }[]>>);
  expect(blocks.length).toBeGreaterThan(0);
  for (const block of blocks) expect(new Set(block.map(({ alias }) => alias)).size).toBe(block.length);
}
