/** Runs terraform or tofu for a trial, in a directory of its own. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RootModule } from '#rendering/root-module.ts';

interface Ran {
  readonly ok: boolean;
  readonly stdout: string;
  /** What is reported when it failed. */
  readonly words: readonly string[];
}

export interface TerraformProgram {
  readonly name: string;
  readonly run: (directory: string, args: readonly string[]) => Promise<Ran>;
}

const pluginDirectory = 'plugins';
const longestMs = 15 * 60_000;

/** `KUBELOOM_TERRAFORM`, else tofu or terraform of the PATH; undefined when none is installed. */
export async function findTerraformProgram(): Promise<TerraformProgram | undefined> {
  const named = process.env.KUBELOOM_TERRAFORM;
  for (const name of named ? [named] : ['tofu', 'terraform']) {
    const run = (directory: string, args: readonly string[]) => execute(name, directory, args);
    if ((await run(tmpdir(), ['version'])).ok) return { name, run };
  }
  return undefined;
}

/** Gives `use` a directory with these roots, one below each name, each with the modules of `directory`; removes it after. */
export async function withRoots<Result>(
  roots: Readonly<Record<string, { readonly root: RootModule; readonly files?: Readonly<Record<string, string>> }>>,
  directory: string,
  use: (place: (name: string) => string) => Promise<Result>,
): Promise<Result> {
  const base = await mkdtemp(join(tmpdir(), 'kubeloom-provider-test-'));
  try {
    await mkdir(join(base, pluginDirectory));
    for (const [name, { root, files = {} }] of Object.entries(roots)) {
      const place = join(base, name);
      await mkdir(place);
      await symlink(directory, join(place, 'modules'));
      await writeFile(join(place, 'main.tf.json'), JSON.stringify(root, null, 2));
      for (const [file, text] of Object.entries(files)) await writeFile(join(place, file), text);
    }
    return await use((name) => join(base, name));
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}

function execute(program: string, cwd: string, args: readonly string[]): Promise<Ran> {
  const env = { ...sharedPlugins(join(cwd, '..')), ...process.env, ...quiet };
  return new Promise((done) => {
    execFile(program, [...args], { cwd, env, timeout: longestMs, maxBuffer: 256 << 20 }, (error, stdout, stderr) => {
      done({ ok: error === null, stdout, words: wordsOf(stderr || stdout || (error?.message ?? '')) });
    });
  });
}

const quiet = { TF_IN_AUTOMATION: '1', TF_INPUT: '0', CHECKPOINT_DISABLE: '1' };

/** All roots of a trial have one copy of each plugin, unless the user's own settings say where they are kept. */
function sharedPlugins(base: string): Readonly<Record<string, string>> {
  const directory = join(base, pluginDirectory);
  if (!existsSync(directory)) return {};
  return { TF_PLUGIN_CACHE_DIR: directory, TF_PLUGIN_CACHE_MAY_BREAK_DEPENDENCY_LOCK_FILE: '1' };
}

/** Without the frame that Terraform draws, and without warnings before the first error. */
function wordsOf(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.replaceAll(/[│╷╵]/g, '').trim());
  const start = Math.max(
    0,
    lines.findIndex((line) => line.startsWith('Error: ')),
  );
  return lines.slice(start).filter(Boolean).slice(0, 12);
}
