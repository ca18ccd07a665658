/** The built console: made from its sources when someone opens it for the first time, and again only when they changed. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const cache = join(root, 'node_modules', '.cache', 'kubeloom-console');

/** Longer than any build takes, also on a busy machine. */
const buildMs = 300_000;

/** Directory of the files that were built from these sources; undefined if they were not built. */
export async function foundConsole(): Promise<string | undefined> {
  const directory = join(cache, await digestOfSources());
  return existsSync(directory) ? directory : undefined;
}

/** The same; builds them if they are missing. Throws with the output of the build when it fails. */
export async function builtConsole(): Promise<string> {
  const directory = join(cache, await digestOfSources());
  if (existsSync(directory)) return directory;
  await mkdir(cache, { recursive: true });
  const made = await mkdtemp(join(cache, '.new-'));
  try {
    await buildInto(made);
    await rename(made, directory).catch((error: NodeJS.ErrnoException) => {
      // Another process was faster.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
    return directory;
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

/** In a process of its own: what a build leaves in memory is not kept by the platform. */
async function buildInto(directory: string): Promise<void> {
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const words = ['build', join(root, 'console'), '--outDir', directory, '--emptyOutDir', '--logLevel', 'warn'];
  const env = { ...process.env, NODE_ENV: 'production' };
  await run(process.execPath, [vite, ...words], { cwd: root, env, timeout: buildMs }).catch((cause: unknown) => {
    const { stderr = '', message } = cause as { readonly stderr?: string; readonly message: string };
    throw new Error(`the console cannot be built: ${stderr.trim() || message}`, { cause });
  });
}

/** Covers everything that is in the built files: our sources, and the exact versions of packages. */
async function digestOfSources(): Promise<string> {
  const sources = join(root, 'console');
  // What the editor completes.
  const schema = join(root, 'schema', 'input-manifest.schema.json');
  const names = (await readdir(sources, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const hash = createHash('sha256');
  for (const name of [...names, schema, join(root, 'package.json')])
    hash.update(`${name.slice(dirname(sources).length)}\n`).update(await readFile(name));
  return hash.digest('hex').slice(0, 16);
}
