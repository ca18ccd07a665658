/** A real kube-apiserver with an etcd of its own on 127.0.0.1, and nothing else: no controllers, no nodes. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { partsDirectory } from '#local/kubernetes/available.ts';
import { kubernetesVersions } from '#local/kubernetes/parts.ts';
import { newest } from '#local/kubernetes/versions.ts';
import { freePort } from '#test/free-port.ts';

export class BareApiServer {
  readonly directory = mkdtempSync(join(tmpdir(), 'kubeloom-bare-'));
  readonly kubectl = join(partsDirectory(), 'programs', `kubernetes-${newest}`, 'kubectl');
  readonly #children: ChildProcess[] = [];
  #port = 0;
  #api: ChildProcess | undefined;
  #startApi: (() => ChildProcess) | undefined;

  /** Answers once the API is ready. */
  static async start(): Promise<BareApiServer> {
    const server = new BareApiServer();
    try {
      await server.#start();
      return server;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  get url(): string {
    return `https://127.0.0.1:${this.#port}`;
  }

  /** Kubeconfig of an administrator, or of one who acts as someone else. */
  kubeconfig(as?: string): string {
    const { server, authority } = this.address();
    const encoded = (text: string): string => Buffer.from(text).toString('base64');
    const cluster = { server, 'certificate-authority-data': encoded(authority) };
    const [certificate, key] = ['admin.pem', 'admin.key'].map((name) =>
      encoded(readFileSync(join(this.directory, name), 'utf8')),
    );
    const admin = { 'client-certificate-data': certificate, 'client-key-data': key };
    return JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'bare',
      clusters: [{ name: 'bare', cluster }],
      contexts: [{ name: 'bare', context: { cluster: 'bare', user: 'admin' } }],
      users: [{ name: 'admin', user: as === undefined ? admin : { token: 'test-admin', as } }],
    });
  }

  async stop(): Promise<void> {
    for (const child of this.#children.reverse()) {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      if (child.exitCode === null && child.kill('SIGKILL')) await ended;
    }
    rmSync(this.directory, { recursive: true, force: true });
  }

  async #start(): Promise<void> {
    const [client, peer, port] = [await freePort(), await freePort(), await freePort()];
    this.#port = port;
    const at = (name: string) => join(this.directory, name);
    const { etcd } = kubernetesVersions.find(({ version }) => version === newest) ?? { etcd: '' };
    const own = `http://127.0.0.1:${peer}`;
    this.#run(join(partsDirectory(), 'programs', `etcd-${etcd.replace(/-\d+$/, '')}`, 'etcd'), [
      ...[`--data-dir=${at('etcd')}`, `--listen-client-urls=http://127.0.0.1:${client}`],
      ...[`--advertise-client-urls=http://127.0.0.1:${client}`, `--listen-peer-urls=${own}`],
      ...[`--initial-advertise-peer-urls=${own}`, `--initial-cluster=default=${own}`, '--log-level=error'],
    ]);
    execFileSync('openssl', ['genrsa', '-out', at('accounts.key'), '2048'], { stdio: 'ignore' });
    const subject = ['-subj', '/O=system:masters/CN=admin', '-keyout', at('admin.key'), '-out', at('admin.pem')];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject], { stdio: 'ignore' });
    writeFileSync(at('tokens.csv'), 'test-admin,admin,1,system:masters\n');
    this.#startApi = () =>
      this.#run(join(partsDirectory(), 'programs', `kubernetes-${newest}`, 'kube-apiserver'), [
        ...[`--etcd-servers=http://127.0.0.1:${client}`, '--bind-address=127.0.0.1', `--secure-port=${port}`],
        ...[
          '--advertise-address=127.0.0.1',
          `--cert-dir=${at('certificates')}`,
          `--token-auth-file=${at('tokens.csv')}`,
          `--client-ca-file=${at('admin.pem')}`,
        ],
        ...['--authorization-mode=Node,RBAC', '--service-cluster-ip-range=10.96.0.0/24', '--allow-privileged=true'],
        ...[
          '--service-account-issuer=https://kubernetes.default.svc',
          `--service-account-key-file=${at('accounts.key')}`,
        ],
        `--service-account-signing-key-file=${at('accounts.key')}`,
        '--disable-admission-plugins=ServiceAccount',
        // As kubeadm sets it.
        '--enable-admission-plugins=NodeRestriction',
      ]);
    this.#api = this.#startApi();
    await this.#ready();
  }

  /** The same API server again, with what etcd has; its clients lose their connections. `down` runs while the server is stopped. */
  async restartApi(down: () => Promise<void> = async () => {}): Promise<void> {
    const old = this.#api;
    if (old === undefined) throw new Error('there is no API server to restart');
    this.#children.splice(this.#children.indexOf(old), 1);
    const ended = new Promise((resolve) => old.once('exit', resolve));
    if (old.kill('SIGKILL')) await ended;
    await down();
    this.#api = this.#startApi?.();
    await this.#ready();
  }

  /** The address, and the authority that signed its certificate. */
  address(): { readonly server: string; readonly authority: string } {
    const authority = readFileSync(join(this.directory, 'certificates', 'apiserver.crt'), 'utf8');
    return { server: `https://127.0.0.1:${this.#port}`, authority };
  }

  async #ready(): Promise<void> {
    for (let tries = 0; tries < 600; tries += 1) {
      const ended = this.#children.find(({ exitCode }) => exitCode !== null);
      if (ended !== undefined) throw new Error(`${ended.spawnargs[3]} ended with ${ended.exitCode}`);
      if (await this.#isReady()) return;
      await pause(200);
    }
    throw new Error('kube-apiserver is not ready after two minutes');
  }

  /** Starts another program of the control plane by its name, or one by its path; it ends with this server. @param as @default an administrator */
  runNextToIt(program: string, args: readonly string[], as?: string): void {
    const file = program.includes('/') ? program : join(partsDirectory(), 'programs', `kubernetes-${newest}`, program);
    this.#run(file, [`--kubeconfig=${this.#kubeconfigFile(as)}`, ...args]);
  }

  /** Path of the administrator's kubeconfig. */
  adminFile(): string {
    return this.#kubeconfigFile();
  }

  /** Starts a program that is no part of Kubernetes; it ends with this server. */
  runProgram(program: string, args: readonly string[], environment: Readonly<Record<string, string>>): void {
    this.#run(program, args, environment);
  }

  #kubeconfigFile(as?: string): string {
    const file = join(this.directory, `${as?.replaceAll(/\W/g, '-') ?? 'admin'}.kubeconfig`);
    // Once: who reads it meanwhile would find it empty.
    if (!existsSync(file)) writeFileSync(file, this.kubeconfig(as));
    return file;
  }

  /** It dies with this process, however that ends. */
  #run(program: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}): ChildProcess {
    const env = { ...process.env, ...environment };
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', program, ...args], { stdio: 'ignore', env });
    this.#children.push(child);
    return child;
  }

  #isReady(): Promise<boolean> {
    return new Promise((resolve) => {
      const options = { host: '127.0.0.1', port: this.#port, path: '/readyz', rejectUnauthorized: false };
      const headers = { authorization: 'Bearer test-admin' };
      const call = request({ ...options, headers, agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      });
      call.on('error', () => resolve(false)).end();
    });
  }
}
