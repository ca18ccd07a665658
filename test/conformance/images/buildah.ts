/** Images without a Docker engine: buildah as root, its storage below one directory, nothing pulled. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** buildah, what makes the stand-in of a base image, and what signs the stand-in of a registry. */
const needed = ['buildah', 'mmdebstrap', 'gpg', 'zip'];

/** Programs that this machine lacks; images are made as root only. */
export function lackingForImages(): readonly string[] {
  const lacking = needed.filter((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0);
  return process.getuid?.() === 0 ? lacking : [...lacking, 'root'];
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface InContainer {
  readonly user?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
}

export class Buildah {
  readonly #storage: readonly string[];

  constructor(directory: string) {
    const root = join(directory, 'storage');
    mkdirSync(root, { recursive: true });
    this.#storage = ['--root', root, '--runroot', join(directory, 'run'), '--storage-driver', 'overlay'];
  }

  /** Throws with the end of what was printed. Returns its standard output. */
  async must(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.try(...args);
    if (code === 0) return stdout.trim();
    throw new Error(`buildah ${args.join(' ')} ended with ${code}:\n${(stdout + stderr).slice(-6000)}`);
  }

  try(...args: readonly string[]): Promise<Ran> {
    return run('buildah', [...this.#storage, ...args]);
  }

  /** Runs a command in a container as CodeBuild would: in what the image has, without more rights than its user has. */
  inside(container: string, command: readonly string[], options: InContainer = {}): Promise<Ran> {
    const { user = 'node', environment = {}, volumes = [] } = options;
    const words = [
      ...['--isolation', 'chroot', '--user', user],
      ...Object.entries(environment).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
      ...volumes.flatMap((volume) => ['--volume', volume]),
    ];
    return this.try('run', ...words, container, '--', ...command);
  }
}

export function run(program: string, args: readonly string[], cwd?: string): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...(cwd !== undefined && { cwd }) });
    const said = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => {
      said.stdout += chunk;
    });
    child.stderr.on('data', (chunk: Buffer) => {
      said.stderr += chunk;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, ...said }));
  });
}
