/** The generated roots that a trial gives to Terraform: our renderer's own, without a backend, with a few literals made variables. */
import type { ClusterState, ProviderInstance } from '#domain/cluster-state.ts';
import { renderDnsRoot } from '#rendering/dns-root.ts';
import { renderMachinesRoot } from '#rendering/machines-root.ts';
import type { ProviderTemplate } from '#rendering/provider-template.ts';
import type { RootModule } from '#rendering/root-module.ts';
import { poolModule } from '#rendering/terraform-names.ts';
import { bodies, type HclBody } from './module-source.ts';
import { type SampleWords, sampleCluster, sampleNames } from './sample-clusters.ts';

const backend = { bucket: 'none', region: 'none', key: 'none' };
const owner = { installation: 'trial', namespace: 'trial', manifest: 'trial', clusterId: sampleCluster, generation: 1 };
const publicKey = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${'B'.repeat(43)} trial`;
const modules = './modules';

/** Machines of `instance` in `state`. */
export function machinesRoot(template: ProviderTemplate, instance: ProviderInstance, state: ClusterState): RootModule {
  const pools = [...state.pools, ...state.loadBalancers.flatMap((balancer) => balancer.pools)];
  return withoutBackend(
    renderMachinesRoot({
      ...owner,
      state,
      others: [],
      provider: instance,
      template,
      backend,
      modules,
      adminCidrs: ['198.51.100.7/32'],
      peerCidrs: ['203.0.113.1/32', '203.0.113.2/32'],
      publicKeys: Object.fromEntries(pools.map(({ id }) => [id, publicKey])),
      extra: { network: {}, nodepool: {} },
    }),
  );
}

/** Names of one load balancer at `instance`. */
export function namesRoot(template: ProviderTemplate, instance: ProviderInstance, words: SampleWords): RootModule {
  return withoutBackend(
    renderDnsRoot({
      ...owner,
      dns: sampleNames(instance, words),
      gone: false,
      addresses: ['203.0.113.1', '203.0.113.2'],
      healthCheckPort: 6443,
      template,
      backend,
      modules,
      extra: {},
    }),
  );
}

/** What differs from run to run of a test, as root variables with the root's own values as defaults. */
export interface Knobs {
  /** Pool whose nodes can be given. */
  readonly grows: string;
  /** Pool that can be left out. */
  readonly comes: string;
}

/** `root` with the variables `grown_nodes`, `with_pool`, `generation` and `first_boot`. */
export function withKnobs(root: RootModule, { grows, comes }: Knobs): RootModule {
  const calls = bodies(root.module)[0] ?? {};
  const first = (id: string): HclBody => bodies(calls[poolModule(id)])[0] ?? {};
  const turned = Object.fromEntries(
    Object.entries(calls).map(([name, call]) => {
      const body = bodies(call)[0] ?? {};
      return [
        name,
        {
          ...body,
          ...(body.tags === undefined
            ? {}
            : { tags: { ...(body.tags as HclBody), 'kubeloom-generation': '${var.generation}' } }),
          ...(body.first_boot === undefined ? {} : { first_boot: '${var.first_boot}' }),
          ...(name === poolModule(grows) ? { nodes: '${var.grown_nodes}' } : {}),
          ...(name === poolModule(comes) ? { count: '${var.with_pool ? 1 : 0}' } : {}),
        },
      ];
    }),
  );
  const knobs = {
    generation: { type: 'string', default: '1' },
    first_boot: { type: 'string', default: 'echo @node@' },
    grown_nodes: { type: 'map(object({}))', default: first(grows).nodes },
    with_pool: { type: 'bool', default: false },
  };
  return {
    ...root,
    module: turned,
    variable: { ...bodies(root.variable)[0], ...knobs },
    output: { nodes: { value: `\${module.${poolModule(grows)}.nodes}` } },
  };
}

function withoutBackend(root: RootModule): RootModule {
  const { backend: _, ...terraform } = bodies(root.terraform)[0] ?? {};
  return { ...root, terraform };
}
