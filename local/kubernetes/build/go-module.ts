/** Builds the programs of a Go module with nothing but the `go` command and its checksum database. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { GoPart } from '../parts.ts';

const run = promisify(execFile);
const maxBuffer = 64 << 20;

export interface Downloaded {
  /** File of its go.mod, and directory of its sources, in Go's module cache. */
  readonly GoMod: string;
  readonly Dir: string;
}

/** Throws with the words of `go` when the module cannot be had or its checksum is not the one of the database. */
export async function download(module: string, version: string): Promise<Downloaded> {
  // Outside of every module: a go.mod that is only half written would be read first.
  const { stdout } = await go(['mod', 'download', '-json', `${module}@${version}`], '/');
  return JSON.parse(stdout);
}

/** Writes the programs that are not there yet to `out`, calling `built` after each. `work` keeps the module between calls. */
export async function buildGoPart(
  part: GoPart,
  { work, out, built }: { work: string; out: string; built: (program: string) => void },
): Promise<void> {
  const missing = Object.entries(part.programs).filter(([, program]) => !existsSync(join(out, program)));
  if (missing.length === 0) return;
  await writeModule(part, work);
  await mkdir(out, { recursive: true });
  for (const [name, program] of missing) {
    const flags = ['-mod=mod', '-trimpath', '-buildvcs=false', '-tags', (part.tags ?? []).join(',')];
    const target = join(out, `${program}.new`);
    const toolchain = toolchainOf(name, part.version);
    await go(
      ['build', ...flags, '-ldflags', ['-s', '-w', ...(part.ldflags ?? [])].join(' '), '-o', target, name],
      work,
      { CGO_ENABLED: part.cgo ? '1' : '0', ...(toolchain === undefined ? {} : { GOTOOLCHAIN: toolchain }) },
    );
    await rename(target, join(out, program));
    built(program);
  }
}

/**
 * The Go that its release was built with, where a newer one makes the program fail: kubeadm before 1.34 asks for `https://[10.96.0.1]:1234/`,
 * which net/url refuses from Go 1.25.2 on, so that `kubeadm init` stops in its preflight checks. Only KubeOne runs them all.
 */
export function toolchainOf(program: string, version: string): string | undefined {
  return program === 'k8s.io/kubernetes/cmd/kubeadm' && version.startsWith('v1.33.') ? 'go1.24.5' : undefined;
}

/** A module of our own that requires the part: what its go.mod replaces or excludes holds only in that module, so it is repeated. */
async function writeModule(part: GoPart, work: string): Promise<void> {
  if (existsSync(join(work, 'ready'))) return;
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  const { GoMod, Dir } = await download(part.module, part.version);
  const own = await readFile(GoMod, 'utf8');
  await writeFile(join(work, 'go.mod'), goModOf(part, own));
  // What the module was released with; the checksum database vouches for the file, and for modules that it does not name.
  if (existsSync(join(Dir, 'go.sum'))) await writeFile(join(work, 'go.sum'), await readFile(join(Dir, 'go.sum')));
  const imports = Object.keys(part.programs).map((name) => `import _ "${name}"`);
  await writeFile(join(work, 'tools.go'), ['//go:build tools', 'package tools', ...imports, ''].join('\n'));
  // -e: tests of dependencies may import what is not published; the build itself would say so.
  await go(['mod', 'tidy', '-e'], work);
  await writeFile(join(work, 'ready'), '');
}

/** go.mod of a module that builds `part`, whose own go.mod is `own`. */
export function goModOf(part: GoPart, own: string): string {
  const blocks = [...own.matchAll(/^(replace|exclude|godebug) \(\n([\s\S]*?)^\)/gm)].flatMap(([, word, lines = '']) =>
    lines.split('\n').flatMap((line) => (line.trim() ? [`${word} ${line.trim()}`] : [])),
  );
  const directives = [...blocks, ...(own.match(/^(replace|exclude|godebug) [^(\n]+$/gm) ?? [])];
  const staging = [...own.matchAll(/^\t?(?:require )?(k8s\.io\/\S+) v0\.0\.0(?![-\w])/gm)].map(
    ([, module]) => `replace ${module} => ${module} ${part.stagingVersion}`,
  );
  return [
    'module kubeloom.local/build',
    ...(own.match(/^go .*$/m) ?? []),
    `require ${part.module} ${part.version}`,
    ...(part.requires ?? []).map((entry) => `require ${entry.replace('@', ' ')}`),
    ...directives.filter((line) => !/=> \.\.?\//.test(line)),
    ...(part.stagingVersion === undefined ? [] : staging),
    ...Object.entries(part.replaced ?? {}).map(
      ([module, directory]) => `replace ${module} => ${join(import.meta.dirname, directory)}`,
    ),
    '',
  ].join('\n');
}

async function go(args: readonly string[], cwd: string, environment: Readonly<Record<string, string>> = {}) {
  try {
    return await run('go', args, { cwd, maxBuffer, env: { ...process.env, ...environment } });
  } catch (cause) {
    const { stdout = '', stderr = '' } = cause as { stdout?: string; stderr?: string };
    const words = `${stderr}\n${/"Error": "(.*)"/.exec(stdout)?.[1] ?? ''}`.trim().split('\n').slice(-6).join('\n');
    throw new Error(`go ${args.slice(0, 2).join(' ')} failed in ${cwd}:\n${words}`, { cause });
  }
}
