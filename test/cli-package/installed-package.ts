/** The npm package of the command line, packed and installed somewhere else, as a person without a clone has it. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface InstalledPackage {
  readonly directory: string;
  readonly packed: { readonly file: string; readonly size: number };
  run(args: readonly string[], environment?: Readonly<Record<string, string>>): Promise<Ended>;
  remove(): void;
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Packs with `npm run pack:cli` and installs from the file alone. */
export function installPackage(): InstalledPackage {
  const directory = mkdtempSync(join(tmpdir(), 'kubeloom-installed-'));
  const packed = JSON.parse(
    execFileSync(process.execPath, [join(root, 'scripts/pack-cli.ts'), directory], { encoding: 'utf8', stdio: 'pipe' }),
  );
  const install = ['install', '--global', '--offline', '--no-audit', '--no-fund', '--prefix', directory, packed.file];
  execFileSync('npm', install, { cwd: directory, stdio: 'pipe' });
  const program = join(directory, 'bin/kubeloom');
  return {
    directory,
    packed,
    run: (args, environment = {}) =>
      new Promise((resolve) => {
        const env = { PATH: process.env.PATH ?? '', HOME: directory, NO_COLOR: '1', ...environment };
        execFile(process.execPath, [program, ...args], { cwd: directory, env }, (error, stdout, stderr) =>
          resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
        );
      }),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
