/** `kubeloom bundle RUN`: an archive of all that a maintainer needs to understand a run, without a secret. */
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Command } from 'commander';
import { collectRun } from '../bundle/collect-run.ts';
import { Shareable } from '../bundle/shareable.ts';
import { tarOf } from '../bundle/tar.ts';
import { isClone } from '../clone.ts';
import { cliClient } from '../connection/api-client.ts';
import { findConnection } from '../connection/connection.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { type NamedRunOptions, namedRun } from '../find/find-run.ts';
import { jsonOption, namespaceOf } from '../options.ts';
import { packageVersion } from '../own-files.ts';
import { print, printJson } from '../print/output.ts';

interface BundleOptions extends NamedRunOptions {
  readonly output?: string;
}

export function registerBundle(program: Command): void {
  program
    .command('bundle <run>')
    .description('everything about a run in one archive, without secrets: RUN is its id, or a name for its newest run')
    .option('--previous', 'with a name: the run before the newest')
    .option('-o, --output <file>', 'the archive (default: RUN.tar.gz); an existing file is never replaced')
    .addOption(namespaceOf('the manifest'))
    .addOption(jsonOption())
    .action(bundle);
}

async function bundle(name: string, options: BundleOptions): Promise<void> {
  const connection = findConnection();
  const api = cliClient(connection);
  const { key, run } = await namedRun(api, name, options);
  const file = options.output ?? `${run}.tar.gz`;
  // Reading logs leaves events: not for a file that cannot be written.
  if (existsSync(file)) throw exists(file);
  const versions = {
    kubeloom: packageVersion(),
    node: process.version,
    platform: process.platform,
    arch: process.arch,
  };
  // The package of the command line has no part that examines a machine.
  const checks = isClone() ? await (await import('../doctor/examine-machine.ts')).examineMachine() : undefined;
  const here = { versions, checks };
  const shareable = new Shareable([connection.token].filter((token) => token !== undefined));
  const files = await collectRun({ api, key, run, here, shareable });
  const folder = `kubeloom-${run}`;
  const inFolder = files.map(({ path, text }) => ({ path: `${folder}/${path}`, text }));
  await store(file, await promisify(gzip)(tarOf(inFolder, Date.now() / 1000)));
  const entries = files.map(({ path, text }) => ({ path, bytes: Buffer.byteLength(text) }));
  if (options.json) return printJson({ file, run, entries });
  print(`${file}: ${entries.length} files about the run ${run}; README.txt in it says which`);
}

/** Only its owner reads it. Leaves nothing when it cannot be written as a whole. */
async function store(file: string, content: Buffer): Promise<void> {
  try {
    await writeFile(file, content, { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EEXIST') throw exists(file);
    await rm(file, { force: true });
    throw new CliError(`${file} cannot be written: ${cause instanceof Error ? cause.message : cause}`, exitCodes.usage);
  }
}

const exists = (file: string): CliError =>
  new CliError(`${file} exists and is not replaced: remove it, or name another file with --output`, exitCodes.usage);
