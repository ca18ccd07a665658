/**
 * A real kube-apiserver with management planes on it: Cluster API's core, kubeadm bootstrap and control plane, and its docker provider, out
 * of their Go modules. No images can be had here, so nothing runs: that Deployments are available is `simulated`, and for cert-manager
 * there are the definitions alone.
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { type StageResult, waypointKeys } from '#contracts/stage.ts';
import { type ClusterFacts, type ClusterState, noFacts } from '#domain/cluster-state.ts';
import { DriftReport } from '#domain/drift.ts';
import { planeDocuments } from '#domain/plane-documents.ts';
import type { Component } from '#domain/planes/management-plane.ts';
import type { AvailabilityWait } from '#runner/documents/availability.ts';
import { checkComponents } from '#runner/documents/check-components.ts';
import { prepareDocuments } from '#runner/documents/prepare-documents.ts';
import { settleDocuments } from '#runner/documents/settle-documents.ts';
import { checkDocuments } from '#runner/drift/check-documents.ts';
import { Kubectl } from '#runner/kubernetes/kubectl.ts';
import type { Tool } from '#runner/stage-context.ts';
import { stateServedAt } from '#test/kubernetes/served-state.ts';
import { aPlane } from '#test/planes/planes.ts';
import { aCheck, aDocument, prefix, type StageWorld, stageWorld } from '#test/runner/stage-world.ts';
import { type FakeVault, startFakeVault } from '#test/vault/fake-vault.ts';
import { BareApiServer } from './bare-api-server.ts';
import { Releases } from './cluster-api.ts';

const run = promisify(execFile);
const login = `---
apiVersion: v1
kind: Secret
metadata: { name: docker-login, namespace: capd-system }
stringData: { password: "\${DOCKER_PASSWORD}" }
`;
const east: Component['secretRef'] = {
  vault: { mount: 'two', path: 'clouds/east', keys: { DOCKER_PASSWORD: 'password' } },
};
const documentsOf = (components: readonly Component[]) =>
  components.length === 0 ? [] : [...planeDocuments(aPlane(components))];

interface Deployment {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly generation: number };
  readonly status?: { readonly observedGeneration?: number };
}

export class PlaneCluster {
  readonly world: StageWorld;
  readonly vault: FakeVault;
  readonly releases: Releases;
  facts: ClusterFacts = noFacts;
  /** What was settled last. */
  installed: readonly Component[] = [];
  readonly #server: BareApiServer;
  readonly #stop = new AbortController();
  /** Names of Deployments that do not become available. */
  readonly broken = new Set<string>();
  private constructor(server: BareApiServer, world: StageWorld, vault: FakeVault) {
    this.#server = server;
    this.world = world;
    this.vault = vault;
    this.releases = new Releases({ directory: world.directory, kubectl: server.kubectl });
  }

  static async start(): Promise<PlaneCluster> {
    const server = await BareApiServer.start();
    const world = stageWorld();
    const vault = await startFakeVault();
    world.set('KUBELOOM_KUBECTL', server.kubectl);
    world.set('KUBELOOM_DOCUMENTS', world.directory);
    world.set('KUBELOOM_SECOND_LOOK_SECONDS', '0');
    await world.ports.artifacts.putText('kubeconfigs/team/shop/shop-1234567', server.kubeconfig());
    const { roleId, secretId } = await vault.appRole();
    await world.ports.secrets.put('user/team/vault', { address: vault.address, roleid: roleId, secretid: secretId });
    await vault.write('two', 'clouds/east', { password: 'of-east' });
    await world.ports.secrets.put('user/team/west', { DOCKER_PASSWORD: 'of-west' });
    const cluster = new PlaneCluster(server, world, vault);
    void cluster.#simulateControllers();
    return cluster;
  }

  #state(documents: NonNullable<ClusterState['documents']>): ClusterState {
    return stateServedAt(this.#server.kubeconfig(), { documents });
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.vault.close();
    this.world.close();
    await this.#server.stop();
  }

  async kubectl(...args: readonly string[]): Promise<string> {
    const words = [`--kubeconfig=${this.#server.adminFile()}`, ...args];
    const { stdout } = await run(this.#server.kubectl, words, { maxBuffer: 50_000_000 });
    return stdout.trim();
  }

  /** As a person does. */
  async create(object: object): Promise<void> {
    const file = join(this.world.directory, 'created.json');
    writeFileSync(file, JSON.stringify(object));
    await this.kubectl('create', '-f', file);
  }

  async definitions(): Promise<readonly string[]> {
    return (await this.kubectl('get', 'crd', '-o', 'name')).split('\n').filter(Boolean);
  }

  /** cert-manager, the core and kubeadm. */
  trio(module: 'before' | 'after', version: string): readonly Component[] {
    const { releases } = this;
    return [
      {
        kind: 'prerequisite',
        name: 'cert-manager',
        version: 'v1.18.2',
        values: {},
        source: releases.certificates(),
      },
      ...(['core', 'bootstrap', 'controlPlane'] as const).map(
        (kind): Component => ({
          kind,
          name: kind === 'core' ? 'cluster-api' : 'kubeadm',
          version,
          values: {},
          source: releases.components(module, kind),
          metadata: releases.metadata(module),
        }),
      ),
    ];
  }

  /** An instance of the docker provider with its login: of `east` in the Vault, of `west` in a Secret. */
  docker(instance: 'east' | 'west', change: Partial<Component> = {}): Component {
    return {
      kind: 'infrastructure',
      name: 'docker',
      instance,
      version: 'v1.11.1',
      values: {},
      watchNamespace: `clusters-${instance}`,
      source: this.releases.components('docker', 'infrastructure', login),
      metadata: this.releases.metadata('after'),
      secretRef: instance === 'east' ? east : { name: 'west', namespace: 'team' },
      ...change,
    };
  }

  /** That instance in release v1.13.7. */
  newerDocker(instance: 'east' | 'west'): Component {
    const metadata = this.releases.keep(
      'kind: Metadata\nreleaseSeries: [{ major: 1, minor: 13, contract: v1beta2 }]\n',
    );
    const source = this.releases.components('newerDocker', 'infrastructure', login);
    return this.docker(instance, { version: 'v1.13.7', metadata, source });
  }

  /** The nodes stage from the plane that is installed to this one; what is refused changes nothing. `wait`: @default as in the product */
  async settle(components: readonly Component[], wait?: AvailabilityWait): Promise<StageResult> {
    const [before, after] = [documentsOf(this.installed), documentsOf(components)];
    const work = {
      patch: [],
      remove: [],
      maxUnavailable: 1,
      documents: after.map(({ name, version }) => ({ name, version })),
      documentsRemoved: before.map(({ name }) => name).filter((name) => !after.some((one) => one.name === name)),
    };
    const states = { before: this.#state(before), target: this.#state(after) };
    const stages = [{ stage: 'nodes' as const, reasons: [], work }];
    await this.world.put(aDocument(stages, { direction: 'settle', ...states, facts: this.facts }), this.facts);
    const tool: Tool = async (context) => {
      const prepared = await prepareDocuments(context, after);
      const kubectl = new Kubectl(context, this.#server.adminFile());
      const contracts = await checkComponents(context, kubectl, prepared);
      return settleDocuments(context, kubectl, { prepared, contracts, removed: work.documentsRemoved }, wait);
    };
    const result = await this.world.run('nodes', wait === undefined ? {} : { tool });
    this.facts = await this.world.facts();
    if (result.ok) this.installed = components;
    return result;
  }

  /** What a check for drift says of the documents. */
  async drift(): Promise<readonly string[]> {
    const state = this.#state(documentsOf(this.installed));
    await this.world.put(aCheck(state, this.facts));
    const result = await this.world.checkDrift([checkDocuments]);
    expect(result.error).toBeUndefined();
    const text = await this.world.ports.artifacts.getText(waypointKeys.drift(prefix));
    const report = DriftReport.parse(JSON.parse(text ?? ''));
    expect(report.unchecked).toEqual([]);
    return report.items.map(({ message }) => message);
  }

  /** Simulated: every Deployment is available as soon as it exists. */
  async #simulateControllers(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const answer = await this.kubectl('get', 'deployments', '-A', '-o', 'json').catch(() => '{"items":[]}');
      const { items } = JSON.parse(answer) as { items: readonly Deployment[] };
      for (const { metadata, status } of items) {
        if (status?.observedGeneration === metadata.generation || this.broken.has(metadata.name)) continue;
        const counts = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
        const conditions = [{ type: 'Available', status: 'True', reason: 'Simulated' }];
        const body = JSON.stringify({ status: { observedGeneration: metadata.generation, ...counts, conditions } });
        const words = ['deployment', '--namespace', metadata.namespace, metadata.name, '--subresource=status'];
        await this.kubectl('patch', ...words, '--type=merge', '-p', body).catch(() => '');
      }
      await pause(300);
    }
  }
}
