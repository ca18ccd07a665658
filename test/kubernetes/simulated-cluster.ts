/** Simulated API servers on loopback, and the real kubectl that talks to them. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningApiServer, startApiServer } from '#local/kubeone/node/api-server.ts';
import type { HeartbeatAnswer } from '#local/kubeone/node/node-lifecycle.ts';
import type { StoreMember } from '#local/kubeone/node/object-store.ts';
import { freePort } from '#test/free-port.ts';

const kubectlPath = '/usr/bin/kubectl';
const pki = join(import.meta.dirname, '../../local/kubeone/node/pki.sh');

export interface Output {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export class SimulatedCluster {
  readonly directory = mkdtempSync(join(tmpdir(), 'kubeloom-api-'));
  readonly members: StoreMember[] = [];
  readonly #running = new Map<string, RunningApiServer>();

  /** Makes certificates and starts one API server for each name, in this order. */
  static async start(...names: readonly string[]): Promise<SimulatedCluster> {
    if (!existsSync(kubectlPath)) throw new Error(`these tests need the real kubectl at ${kubectlPath}; install it`);
    const cluster = new SimulatedCluster();
    execFileSync(pki, [cluster.directory, 'ca']);
    execFileSync(pki, [cluster.directory, 'server', 'test', 'DNS:localhost,IP:127.0.0.1']);
    for (const name of names) {
      cluster.members.push({ name, url: `https://127.0.0.1:${await freePort()}` });
    }
    for (const { name, url } of cluster.members) {
      // Written once: a kubectl that runs at the same time as another must not find a half-written one.
      execFileSync(pki, [cluster.directory, 'kubeconfig', 'test', url]);
      renameSync(join(cluster.directory, 'admin.conf'), join(cluster.directory, `${name}.conf`));
      await cluster.startServer(name);
    }
    return cluster;
  }

  async startServer(name: string, silenceMs = 60_000): Promise<void> {
    const self = this.member(name);
    const server = await startApiServer({
      self,
      seeds: this.members,
      listen: { host: '127.0.0.1', port: Number(new URL(self.url).port) },
      stateFile: join(this.directory, name, 'state.json'),
      kubernetesVersion: '1.34.1',
      certificate: { key: this.read('pki/apiserver.key'), cert: this.read('pki/apiserver.crt') },
      credentials: { ca: this.read('pki/ca.crt'), token: this.read('simulated/token').toString().trim() },
      silenceMs,
      trustMs: 0,
    });
    this.#running.set(name, server);
  }

  async stopServer(name: string): Promise<void> {
    await this.#running.get(name)?.close();
    this.#running.delete(name);
  }

  async stop(): Promise<void> {
    for (const name of [...this.#running.keys()]) await this.stopServer(name);
    rmSync(this.directory, { recursive: true });
  }

  /** kubectl with the kubeconfig of an administrator, talking to the named server. */
  kubectl(name: string, ...args: readonly string[]): Promise<Output> {
    return this.kubectlWith('', name, ...args);
  }

  kubectlWith(input: string, name: string, ...args: readonly string[]): Promise<Output> {
    const home = join(this.directory, 'home', name);
    mkdirSync(home, { recursive: true });
    const kubeconfig = join(this.directory, `${name}.conf`);
    return new Promise((resolve) => {
      const env = { ...process.env, HOME: home, KUBECONFIG: kubeconfig };
      const child = execFile(kubectlPath, args, { env, timeout: 20_000 }, (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, stdout, stderr });
      });
      child.stdin?.end(input);
    });
  }

  /** kubectl of someone who only has a token that the cluster never gave out. */
  kubectlOfStranger(name: string, ...args: readonly string[]): Promise<Output> {
    const ca = join(this.directory, 'pki/ca.crt');
    const stranger = ['--kubeconfig=/dev/null', `--server=${this.member(name).url}`, `--certificate-authority=${ca}`];
    return this.kubectl(name, ...stranger, '--token=wrong', ...args);
  }

  /** What the kubelet of a node sends. */
  heartbeat(server: string, node: string, fields: object = {}): Promise<HeartbeatAnswer> {
    const number = Number(node.replace(/\D/g, '')) || 1;
    return this.post(server, '/internal/heartbeat', {
      register: true,
      name: node,
      control: false,
      internalAddress: `192.168.2.${number}`,
      externalAddress: `198.18.0.${number}`,
      labels: {},
      annotations: {},
      taints: [],
      nodeInfo: { kubeletVersion: 'v1.34.1', architecture: 'amd64' },
      capacity: { cpu: '2', memory: '1024Ki', pods: '110' },
      ...fields,
    });
  }

  private post(server: string, path: string, body: object): Promise<HeartbeatAnswer> {
    const headers = { authorization: `Bearer ${this.read('simulated/token').toString().trim()}` };
    return new Promise((resolve, reject) => {
      const url = `${this.member(server).url}${path}`;
      const call = request(url, { method: 'POST', ca: this.read('pki/ca.crt'), headers, agent: false }, (response) => {
        let text = '';
        response.on('data', (part: Buffer) => {
          text += part;
        });
        response.on('end', () => (response.statusCode === 200 ? resolve(JSON.parse(text)) : reject(new Error(text))));
      });
      call.on('error', reject).end(JSON.stringify(body));
    });
  }

  private member(name: string): StoreMember {
    const found = this.members.find((member) => member.name === name);
    if (found === undefined) throw new Error(`no API server ${name} in this test`);
    return found;
  }

  private read(file: string): Buffer {
    return readFileSync(join(this.directory, file));
  }
}
