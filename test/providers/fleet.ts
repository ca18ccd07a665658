/** The Terraform workspaces of one cluster, driven as the runner drives them, against simulated clouds. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClusterState, DnsState, ProviderInstance } from '#domain/cluster-state.ts';
import { renderDnsRoot } from '#rendering/dns-root.ts';
import { renderMachinesRoot } from '#rendering/machines-root.ts';
import { credentialEnvironment, type Owner } from './accounts.ts';
import { type FixtureProviders, startFixtureProviders } from './plugin/fixture-providers.ts';
import type { CloudObject, SimulatedCloud } from './plugin/simulated-cloud.ts';
import type { ProviderCase } from './provider-cases.ts';
import { TerraformWorkspace } from './terraform-workspace.ts';

export interface MachinesSetting {
  readonly generation?: number;
  /** The state from before, where pools leave. */
  readonly before?: ClusterState;
  /** Networks of the cluster's nodes. @default none are known */
  readonly peers?: readonly string[];
  /** Networks of those who may use SSH. @default everybody */
  readonly admins?: readonly string[];
}

export type Names = Pick<DnsState, 'zone' | 'hostname' | 'alternativeNames'> & {
  readonly addresses: readonly string[];
  readonly healthCheckPort: number | null;
  readonly generation?: number;
};

const backend = { bucket: 'unused', region: 'unused', key: 'unused' };
const cluster = { clusterId: 'fleet-x100000', namespace: 'team', manifest: 'fleet', installation: 'kubeloom' };

export class Fleet {
  readonly tested: ProviderCase;
  readonly #directory: string;
  readonly #providers: FixtureProviders;
  readonly #workspaces = new Map<string, TerraformWorkspace>();
  readonly #owners = new Map<string, Owner>();

  readonly #fields: Readonly<Record<string, string>>;

  private constructor(
    tested: ProviderCase,
    fields: Readonly<Record<string, string>>,
    directory: string,
    providers: FixtureProviders,
  ) {
    this.tested = tested;
    this.#fields = fields;
    this.#directory = directory;
    this.#providers = providers;
  }

  /** `fields`: of every Secret, those that may be missing. */
  static async start(tested: ProviderCase, fields: Readonly<Record<string, string>> = {}): Promise<Fleet> {
    const providers = await startFixtureProviders(tested.fixtures);
    const directory = await mkdtemp(join(tmpdir(), `kubeloom-${tested.type}-`));
    // Modules that wait for a cloud wait for nothing here.
    await writeFile(join(directory, 'sleep'), '#!/bin/sh\n', { mode: 0o755 });
    return new Fleet(tested, fields, directory, providers);
  }

  async stop(): Promise<void> {
    await this.#providers.stop();
    await rm(this.#directory, { recursive: true, force: true });
  }

  get cloud(): SimulatedCloud {
    return this.#providers.cloud(this.tested.source);
  }

  /** Who pays for a provider instance. */
  own(instance: string, owner: Owner): void {
    this.#owners.set(instance, owner);
  }

  ownerOf(instance: string): Owner {
    const owner = this.#owners.get(instance);
    if (owner === undefined) throw new Error(`No account owns ${instance}.`);
    return owner;
  }

  /** The workspace of the machines of `instance` with its root written, as `state` wants it; null: nothing of it. */
  async machines(
    instance: string,
    state: ClusterState | null,
    setting: MachinesSetting = {},
  ): Promise<TerraformWorkspace> {
    const { generation = 1, before, peers = [], admins = ['0.0.0.0/0'] } = setting;
    const publicKeys = (state ?? before)?.pools.map(({ id }) => [id, keyOf(id)]) ?? [];
    const balancers =
      (state ?? before)?.loadBalancers.flatMap(({ pools }) => pools.map(({ id }) => [id, keyOf(id)])) ?? [];
    const root = renderMachinesRoot({
      ...cluster,
      generation,
      state,
      backend,
      others: before === undefined ? [] : [before],
      provider: this.#instance(instance),
      template: this.tested.template,
      modules: './modules',
      adminCidrs: admins,
      peerCidrs: peers,
      publicKeys: Object.fromEntries([...publicKeys, ...balancers]),
      extra: { network: {}, nodepool: {} },
    });
    const workspace = await this.#workspace(`machines-${instance}`, instance);
    await workspace.write(root);
    return workspace;
  }

  /** The workspace of the names of a load balancer in `instance`; null: they go. */
  async names(instance: string, names: Names | null, before?: Names): Promise<TerraformWorkspace> {
    const { zone, hostname, alternativeNames, addresses, healthCheckPort, generation = 1 } = names ?? before ?? noNames;
    const root = renderDnsRoot({
      ...cluster,
      generation,
      backend,
      addresses,
      healthCheckPort,
      dns: { zone, hostname, alternativeNames, provider: this.#instance(instance) },
      gone: names === null,
      template: this.tested.template,
      modules: './modules',
      extra: {},
    });
    const workspace = await this.#workspace(`dns-${instance}`, instance);
    await workspace.write(root);
    return workspace;
  }

  /** What `make` adds to the cloud. */
  async added(make: () => Promise<void>): Promise<readonly CloudObject[]> {
    const before = new Set(this.cloud.inventory.map(({ key }) => key));
    await make();
    return this.cloud.inventory.filter(({ key }) => !before.has(key));
  }

  #instance(name: string): ProviderInstance {
    return { name, type: this.tested.type, secret: `team/${name}`, templates: 'builtin@1' };
  }

  async #workspace(name: string, instance: string): Promise<TerraformWorkspace> {
    const known = this.#workspaces.get(name);
    if (known !== undefined) return known;
    const { type, template, modules } = this.tested;
    const workspace = await TerraformWorkspace.create({
      directory: join(this.#directory, name),
      modules,
      environment: {
        ...this.#providers.environment,
        ...credentialEnvironment(type, template, this.ownerOf(instance), this.#fields),
        PATH: `${this.#directory}:${process.env.PATH ?? ''}`,
      },
    });
    this.#workspaces.set(name, workspace);
    return workspace;
  }
}

const noNames: Names = {
  zone: 'example.com',
  hostname: 'none',
  alternativeNames: [],
  addresses: ['192.0.2.1'],
  healthCheckPort: null,
};

/** A key that only this pool has; no one can log in with it. */
function keyOf(pool: string): string {
  return `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${Buffer.from(pool).toString('base64url').padEnd(43, 'A').slice(0, 43)} ${pool}`;
}
