/** Real hosts of one small cluster, and the playbooks of templates/ansible run against them. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readMachineFacts } from '#domain/observed/machine-facts.ts';
import { partsDirectory } from '#local/kubernetes/available.ts';
import { type BalancedRole, balancerFiles } from '#rendering/balancer-files.ts';
import type { ProxySettings } from '#rendering/no-proxy.ts';
import { type MachineReport, readMachineReport } from '#runner/machines/machine-report.ts';
import { machineScript, readScriptFiles } from '#runner/machines/machine-script.ts';
import { dynamicPool, twoProviderState } from '#test/rendering/states.ts';
import { HostWorkshop, outcomeOf } from './host-workshop.ts';

/** Those of another version can be measured next to ours (bench/bare-nodes.ts). */
const templates = () => join(process.env.KUBELOOM_TEMPLATES ?? join(import.meta.dirname, '../../templates'), 'ansible');

export interface FleetNode {
  readonly name: string;
  readonly kind: 'control' | 'compute' | 'loadbalancers';
  readonly provider: string;
  readonly reachability?: 'dynamic' | 'static';
}

export interface PlaybookRun {
  readonly code: number | null;
  /** Hosts on which something changed, with what. */
  readonly changed: Readonly<Record<string, readonly string[]>>;
  readonly facts: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly troubles: readonly { readonly event: string; readonly host: string; readonly message: string }[];
  readonly stdout: string;
  readonly milliseconds: number;
}

export interface Work {
  /** All nodes of the cluster, visited or not. @default every node of the fleet */
  readonly mesh?: readonly string[];
  readonly install?: readonly string[];
  readonly peers?: readonly string[];
  readonly proxy?: readonly string[];
  readonly uninstall?: readonly string[];
  readonly balance?: readonly string[];
  readonly disks?: readonly string[];
  readonly roles?: readonly BalancedRole[];
  readonly proxyEndpoint?: string;
  readonly noProxy?: string;
  /** By node: more variables of its host. */
  readonly variables?: Readonly<Record<string, object>>;
  /** Known from earlier runs. */
  readonly keys?: Readonly<Record<string, string>>;
}

export class NodesFleet {
  readonly workshop = new HostWorkshop();
  readonly directory = mkdtempSync(join(tmpdir(), 'kf-'));
  readonly nodes: readonly FleetNode[];
  readonly addresses = new Map<string, string>();

  readonly #parts: string;

  /** `kubernetes`: what its hosts are prepared for. */
  constructor(nodes: readonly FleetNode[], kubernetes: 'real' | 'simulated' = 'simulated') {
    this.nodes = nodes;
    this.#parts = kubernetes === 'real' ? partsDirectory() : '';
  }

  get keyFile(): string {
    return join(this.workshop.directory, 'key');
  }

  async start(): Promise<void> {
    const more = { KUBELOOM_HOST_NODE: process.execPath, KUBELOOM_HOST_KUBERNETES: this.#parts };
    await this.workshop.must(['base-build'], '', more);
    for (const provider of new Set(this.nodes.map((node) => node.provider))) {
      await this.workshop.must(['site-up', ...this.workshop.site(provider), '--region', 'north']);
    }
    await Promise.all(
      this.nodes.map(({ name, provider }) => {
        const site = this.workshop.site(provider);
        return this.workshop.must(['up', ...site, '--host', name, '--id', name, '--region', 'north'], '', more);
      }),
    );
    for (const { host, address } of await this.workshop.status()) this.addresses.set(host, address);
  }

  async power(command: 'kill' | 'start', name: string): Promise<void> {
    await this.workshop.must([command, ...this.workshop.site(this.#node(name).provider), '--host', name]);
  }

  async stop(): Promise<void> {
    await this.workshop.close();
    rmSync(this.directory, { recursive: true, force: true });
  }

  ssh(name: string, command: string): Promise<string> {
    return this.workshop.ssh(name, command, this.addresses.get(name));
  }

  privateAddress(name: string): string {
    return `10.99.16.${this.nodes.indexOf(this.#node(name)) + 1}`;
  }

  address(name: string): string {
    return this.addresses.get(name) ?? '';
  }

  /** As the runner does it: keys that nodes report go into the inventory of the playbook that sets lists of peers. */
  async play(playbook: string, work: Work): Promise<PlaybookRun> {
    const { mesh = this.nodes.map(({ name }) => name), install = [], peers = [], keys = {} } = work;
    const unkeyed = peers.filter((name) => keys[name] === undefined && !install.includes(name));
    const prepares = playbook === 'configure' && existsSync(join(templates(), 'prepare.yml'));
    if (!prepares || install.length + unkeyed.length === 0) return this.#play(playbook, work, []);
    const prepared = await this.#play('prepare', work, unkeyed);
    const reported = Object.entries(prepared.facts).flatMap(([name, { wireguardPublicKey: key }]) =>
      typeof key === 'string' ? [[name, key] as const] : [],
    );
    const known = { ...keys, ...Object.fromEntries(reported) };
    if (mesh.some((name) => known[name] === undefined)) return { ...prepared, code: prepared.code || 1 };
    return joined(prepared, await this.#play(playbook, { ...work, keys: known }, []));
  }

  async #play(playbook: string, work: Work, unkeyed: readonly string[]): Promise<PlaybookRun> {
    writeFileSync(join(this.directory, 'inventory.json'), JSON.stringify(this.#inventory(work, unkeyed)));
    const started = performance.now();
    const child = spawn('ansible-playbook', [join(templates(), `${playbook}.yml`), '-i', 'inventory.json'], {
      cwd: this.directory,
      env: {
        ...process.env,
        ANSIBLE_CONFIG: join(templates(), 'ansible.cfg'),
        ANSIBLE_SSH_CONTROL_PATH_DIR: join(this.directory, 'cp'),
      },
    });
    const { code, stdout, stderr } = await outcomeOf(child);
    return read(code, `${stdout}${stderr}`, performance.now() - started);
  }

  /** What a check for drift asks these nodes, one after the other. Throws when that changes one of them. */
  async verify(
    names: readonly string[],
    proxy?: ProxySettings,
  ): Promise<Readonly<Record<string, MachineReport | undefined>>> {
    const nodes = this.nodes.map(({ name }) => ({ name, privateAddress: this.privateAddress(name) }));
    const pool = dynamicPool({ id: 'fleet-aaaaaaa', nodes });
    const state = { ...twoProviderState(), pools: [pool], loadBalancers: [] };
    const files = await readScriptFiles(join(templates(), '..'));
    const reports: Record<string, MachineReport | undefined> = {};
    for (const node of nodes.filter(({ name }) => names.includes(name))) {
      const output = await this.ssh(node.name, machineScript(state, { node, pool, ...(proxy && { proxy }) }, files));
      if (/^changed: /m.test(output)) throw new Error(`a check has changed ${node.name}: ${output}`);
      reports[node.name] = readMachineReport([{ lines: output.split('\n'), whole: true }]).report;
    }
    return reports;
  }

  #node(name: string): FleetNode {
    const found = this.nodes.find((node) => node.name === name);
    if (found === undefined) throw new Error(`no node ${name} in this fleet`);
    return found;
  }

  #inventory(work: Work, unkeyed: readonly string[]): object {
    const all = this.nodes.map(({ name }) => name);
    const {
      mesh = all,
      install = [],
      peers = [],
      proxy = [],
      uninstall = [],
      balance = [],
      keys = {},
      disks = [],
    } = work;
    const visited = new Set([...install, ...peers, ...proxy, ...uninstall, ...balance, ...disks]);
    const host = (name: string) => ({ ...this.#host(name, work), ...work.variables?.[name] });
    const group = (names: readonly string[]) => ({
      hosts: Object.fromEntries(names.filter((name) => visited.has(name)).map((name) => [name, host(name)])),
    });
    const named = (belongs: (node: FleetNode) => boolean) => group(this.nodes.filter(belongs).map(({ name }) => name));
    return {
      all: {
        vars: {
          kubeloom_network: '10.99.16.0/20',
          kubeloom_mesh: mesh.map((name) => ({
            name,
            private_address: this.privateAddress(name),
            public_address: this.address(name),
            port: 51820,
            reachability: this.#node(name).reachability ?? 'dynamic',
            ...(name in keys ? { public_key: keys[name] } : {}),
          })),
          kubeloom_proxy: {
            enabled: work.proxyEndpoint !== undefined,
            endpoint: work.proxyEndpoint ?? '',
            no_proxy: work.noProxy ?? 'localhost,svc',
          },
        },
        children: {
          control: named(({ kind }) => kind === 'control'),
          compute: named(({ kind }) => kind === 'compute'),
          loadbalancers: named(({ kind }) => kind === 'loadbalancers'),
          dynamic: named(({ reachability }) => reachability !== 'static'),
          static: named(({ reachability }) => reachability === 'static'),
          install: group(install),
          peers: group(peers),
          unkeyed: group(unkeyed),
          proxy: group(proxy),
          uninstall: group(uninstall),
          balance: group(balance),
          disks: group(disks),
        },
      },
    };
  }

  #host(name: string, { roles = [] }: Work): object {
    const address = this.privateAddress(name);
    return {
      ansible_host: this.address(name),
      ansible_port: 22,
      ansible_user: 'root',
      ansible_ssh_private_key_file: this.keyFile,
      kubeloom_private_address: address,
      kubeloom_wireguard_port: 51820,
      ...(this.#node(name).kind === 'loadbalancers' && { kubeloom_balancer: balancerFiles(roles, address) }),
    };
  }
}

/** Two runs as one. */
function joined(one: PlaybookRun, other: PlaybookRun): PlaybookRun {
  const changed = { ...one.changed };
  for (const [name, what] of Object.entries(other.changed)) changed[name] = [...(changed[name] ?? []), ...what];
  return {
    code: one.code || other.code,
    changed,
    facts: { ...one.facts, ...other.facts },
    troubles: [...one.troubles, ...other.troubles],
    stdout: one.stdout + other.stdout,
    milliseconds: one.milliseconds + other.milliseconds,
  };
}

function read(code: number | null, stdout: string, milliseconds: number): PlaybookRun {
  const changed: Record<string, string[]> = {};
  const facts: Record<string, Record<string, unknown>> = {};
  const troubles: PlaybookRun['troubles'][number][] = [];
  for (const line of stdout.split('\n').filter((text) => text.startsWith('{'))) {
    const { event, time: _, ...rest } = JSON.parse(line);
    if (event === 'ok' && rest.changed) changed[rest.host] = [...(changed[rest.host] ?? []), ...rest.what];
    if (event === 'facts')
      facts[rest.host] = { ...facts[rest.host], ...(rest.lines ? readMachineFacts(rest.lines).facts : rest) };
    if (event === 'failed' || event === 'unreachable') troubles.push({ event, host: rest.host, message: rest.message });
  }
  return { code, changed, facts, troubles, stdout, milliseconds };
}
