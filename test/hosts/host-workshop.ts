/** A state directory of its own for each test file, the helper run in it, and what the machine shows of it. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const helperPath = fileURLToPath(new URL('../../local/hosts/kubeloom-host', import.meta.url));
export const isRoot = process.getuid?.() === 0;

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface HostStatus {
  readonly host: string;
  readonly id: string;
  readonly provider: string;
  readonly state: 'running' | 'dead' | 'half-made';
  readonly address: string;
  readonly unit: string;
  readonly pid: number | null;
}

export class HostWorkshop {
  readonly directory = mkdtempSync(join(tmpdir(), 'kubeloom-hosts-'));
  readonly stateDirectory = join(this.directory, 'state');
  readonly publicKey: string;

  constructor() {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(this.directory, 'key')]);
    this.publicKey = readFileSync(join(this.directory, 'key.pub'), 'utf8').trim();
  }

  get environment(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      KUBELOOM_HOSTS_DIR: this.stateDirectory,
      KUBELOOM_SSH_PUBLIC_KEY: this.publicKey,
      KUBELOOM_HOST_HELPER: helperPath,
    };
  }

  /** Options that name a site of this workshop's one cluster. */
  site(provider: string): readonly string[] {
    return ['--installation', 'test', '--cluster', 'shop-abc1234', '--provider', provider];
  }

  start(args: readonly string[], more: NodeJS.ProcessEnv = {}): ChildProcess {
    return spawn(helperPath, [...args], { env: { ...this.environment, ...more }, stdio: ['pipe', 'pipe', 'pipe'] });
  }

  async run(args: readonly string[], stdin = '', more: NodeJS.ProcessEnv = {}): Promise<Outcome> {
    const child = this.start(args, more);
    child.stdin?.end(stdin);
    return await outcomeOf(child);
  }

  /** As `run`, but throws with the helper's own words when it fails. */
  async must(args: readonly string[], stdin = '', more: NodeJS.ProcessEnv = {}): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, stdin, more);
    if (code !== 0) throw new Error(`kubeloom-host ${args.join(' ')} ended with ${code}: ${stderr}`);
    return stdout;
  }

  async up(provider: string, host: string, id = `id-${host}`): Promise<Outcome> {
    return await this.run(['up', ...this.site(provider), '--host', host, '--id', id, '--region', 'north']);
  }

  async status(): Promise<readonly HostStatus[]> {
    return JSON.parse(await this.must(['status']));
  }

  async host(name: string): Promise<HostStatus> {
    const found = (await this.status()).find((status) => status.host === name);
    if (found === undefined) throw new Error(`no host ${name}`);
    return found;
  }

  /** @param known its address, where the caller has it: the helper takes a while to say it. */
  async ssh(name: string, command: string, known?: string, key = join(this.directory, 'key')): Promise<string> {
    const address = known ?? (await this.host(name)).address;
    const options = [
      'StrictHostKeyChecking=no',
      'UserKnownHostsFile=/dev/null',
      'LogLevel=ERROR',
      'ConnectTimeout=5',
      'BatchMode=yes',
      'IdentitiesOnly=yes',
    ];
    const child = spawn('ssh', ['-i', key, ...options.flatMap((option) => ['-o', option]), `root@${address}`, command]);
    const { code, stdout, stderr } = await outcomeOf(child);
    if (code !== 0) throw new Error(`ssh ${name}: ${command} ended with ${code}: ${stderr}`);
    return stdout.trim();
  }

  /** First letters of all names that this state directory gives out, as the helper computes them. */
  get prefix(): string {
    const script = '. "$1/lib/common.sh"; . "$1/lib/names.sh"; all_unit';
    return execFileSync('bash', ['-c', script, '-', join(helperPath, '..')], { env: this.environment })
      .toString()
      .trim();
  }

  /** Everything on the machine that stems from this workshop; empty when nothing was left behind. */
  leftovers(): readonly string[] {
    const prefix = this.prefix;
    const named = (directory: string) =>
      existsSync(directory) ? readdirSync(directory).filter((name) => name.startsWith(prefix)) : [];
    const groups = ['', '/systemd', '/unified', '/pids'].map((kind) => `/sys/fs/cgroup${kind}`);
    const processes = readdirSync('/proc')
      .filter((pid) => /^\d+$/.test(pid) && pid !== String(process.pid))
      .filter((pid) => processLooksLike(pid, [this.stateDirectory, `--machine=${prefix}`]));
    const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
    const directories = existsSync(this.stateDirectory) ? readdirSync(this.stateDirectory) : [];
    return [
      ...['/run/netns', '/sys/class/net', '/run/systemd/nspawn/propagate', ...groups].flatMap((directory) =>
        named(directory).map((name) => `${directory}/${name}`),
      ),
      ...processes.map((pid) => `process ${pid}`),
      ...mounts.filter((line) => line.includes(prefix) || line.includes(this.stateDirectory)),
      ...directories.filter((name) => name !== 'faults').map((name) => join(this.stateDirectory, name)),
    ];
  }

  /** Removes whatever a test has left, also a failed one. */
  async close(): Promise<void> {
    await this.must(['gc', '--all']);
    rmSync(this.directory, { recursive: true, force: true });
  }
}

export async function outcomeOf(child: ChildProcess): Promise<Outcome> {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  return await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** Polls until it is true; a bound, so that a wrong expectation ends in words. */
export async function eventually(what: string, isTrue: () => boolean | Promise<boolean>, seconds = 30): Promise<void> {
  const end = Date.now() + seconds * 1000;
  while (!(await isTrue())) {
    if (Date.now() > end) throw new Error(`not within ${seconds} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function processLooksLike(pid: string, texts: readonly string[]): boolean {
  try {
    const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return texts.some((text) => line.includes(text));
  } catch {
    return false;
  }
}
