/** `kubeloom init [FILE]`: a manifest to begin with. */
import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { CliError, exitCodes } from '../exit-codes.ts';
import { note } from '../print/output.ts';

interface InitOptions {
  readonly provider: readonly string[];
  readonly name: string;
  readonly force?: boolean;
}

export function registerInit(program: Command): void {
  program
    .command('init [file]')
    .description('write a first manifest with comments and placeholders')
    .requiredOption(
      '--provider <types>',
      'provider types, separated by commas; the manifest gets one pool of each',
      (text) => text.split(',').filter(Boolean),
    )
    .option('--name <name>', 'name of the manifest and of its cluster', 'my-cluster')
    .option('--force', 'replace FILE')
    .action(init);
}

async function init(file: string | undefined, { provider, name, force = false }: InitOptions): Promise<void> {
  const { placeholder, scaffold } = await import('../scaffold/scaffold.ts');
  const text = scaffold(name, [...new Set(provider)]);
  if (file === undefined) {
    process.stdout.write(text);
    return;
  }
  // Credentials are about to be filled in.
  await writeFile(file, text, { mode: 0o600, flag: force ? 'w' : 'wx' }).catch((cause: NodeJS.ErrnoException) => {
    const why =
      cause.code === 'EEXIST' ? `${file} exists: add --force to replace it` : `cannot write ${file}: ${cause.message}`;
    throw new CliError(why, exitCodes.usage, { cause });
  });
  note(`written to ${file}: fill in every ${placeholder}, then kubeloom validate -f ${file}`);
}
