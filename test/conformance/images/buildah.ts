/** Images without a Docker engine: buildah as root, its storage below one directory, nothing pulled. */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import requirements from '../../../requirements.json' with { type: 'json' };

/** What requirements.json lists, and what stands in for the programs of the images. */
const programs = [
  ...requirements.programs.filter((row) => row.for.includes('conformance')).map(({ program = '' }) => program),
  ...['terraform', 'kubectl'],
];

/** What this machine lacks: programs, root, a file system with overlays, or Debian's archive. Images are not made without. `directory`: where they would be stored. */
export function lackingForImages(directory: string): readonly string[] {
  const lacking = programs.filter((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0);
  if (process.getuid?.() !== 0) lacking.push('root');
  if (lacking.length > 0) return lacking;
  if (spawnSync('buildah', [...storageIn(directory), 'info']).status !== 0) lacking.push('overlays');
  // Reads the lists of packages, and downloads none.
  const archive = spawnSync('mmdebstrap', ['--dry-run', '--quiet', '--variant=minbase', 'bookworm', '/dev/null']);
  return archive.status === 0 ? lacking : [...lacking, "Debian's archive"];
}

/** In a container, the directory of what a command prints. */
const printedAt = '/srv/printed';

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
    this.#storage = storageIn(directory);
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

  /**
   * Runs a command in a container as CodeBuild would: in what the image has, without more rights than its user has. What it prints goes
   * to files: the end of a stream that buildah passes on is lost now and then.
   */
  async inside(container: string, command: readonly string[], options: InContainer = {}): Promise<Ran> {
    const { user = 'node', environment = {}, volumes = [] } = options;
    const printed = mkdtempSync(join(tmpdir(), 'kubeloom-printed-'));
    chmodSync(printed, 0o777);
    const words = [
      ...['--isolation', 'chroot', '--user', user],
      ...Object.entries(environment).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
      ...[...volumes, `${printed}:${printedAt}`].flatMap((volume) => ['--volume', volume]),
    ];
    const toFiles = `exec "$@" > ${printedAt}/stdout 2> ${printedAt}/stderr`;
    try {
      const { code, stderr } = await this.try('run', ...words, container, '--', 'sh', '-c', toFiles, 'sh', ...command);
      const read = (name: string): string => readFileSync(join(printed, name), 'utf8');
      return { code, stdout: read('stdout'), stderr: read('stderr') + stderr };
    } finally {
      rmSync(printed, { recursive: true, force: true });
    }
  }
}

function storageIn(directory: string): readonly string[] {
  const root = join(directory, 'storage');
  mkdirSync(root, { recursive: true });
  return ['--root', root, '--runroot', join(directory, 'run'), '--storage-driver', 'overlay'];
}

export function run(program: string, args: readonly string[], cwd?: string): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...(cwd !== undefined && { cwd }) });
    const output = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => {
      output.stdout += chunk;
    });
    child.stderr.on('data', (chunk: Buffer) => {
      output.stderr += chunk;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, ...output }));
  });
}
