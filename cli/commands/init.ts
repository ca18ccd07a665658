/** `kubeloom init [FILE]`: a manifest to begin with. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { guessText, nearest } from '#domain/nearest.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { ownFile } from '../own-files.ts';
import { note } from '../print/output.ts';

interface InitOptions {
  readonly provider?: string;
  readonly name: string;
  readonly lb?: boolean;
  readonly dns?: string;
  readonly example?: string;
  readonly force?: boolean;
}

export function registerInit(program: Command): void {
  program
    .command('init [file]')
    .description('write a first manifest with comments; on a terminal it asks what you leave out')
    .option(
      '--provider <types>',
      'provider types, separated by commas, and static for machines that exist; the manifest gets one pool of each',
    )
    .option('--name <name>', 'name of the manifest and of its cluster', 'my-cluster')
    .option('--lb', 'with a load balancer of the API, which has machines and a name of its own')
    .option('--dns <type>', 'with such a load balancer, and this provider type for its name')
    .option('--example <name>', 'write one of the examples of Kubeloom instead, as sim-minimal')
    .option('--force', 'replace FILE')
    .action(init);
}

async function init(file: string | undefined, options: InitOptions): Promise<void> {
  const text = options.example === undefined ? await firstManifest(options) : await example(options.example);
  if (file === undefined) {
    process.stdout.write(text);
    return;
  }
  // Credentials are about to be filled in.
  await writeFile(file, text, { mode: 0o600, flag: options.force ? 'w' : 'wx' }).catch(
    (cause: NodeJS.ErrnoException) => {
      const why =
        cause.code === 'EEXIST'
          ? `${file} exists: add --force to replace it`
          : `cannot write ${file}: ${cause.message}`;
      throw new CliError(why, exitCodes.usage, { cause });
    },
  );
  const { placeholder } = await import('../scaffold/scaffold.ts');
  const fill = text.includes(`: ${placeholder}`) ? `fill in every ${placeholder}, then ` : '';
  note(`written to ${file}`);
  note(`next: ${fill}kubeloom validate -f ${file}`);
}

async function firstManifest({ provider, name, lb = false, dns }: InitOptions): Promise<string> {
  const { nodeTypes, scaffold } = await import('../scaffold/scaffold.ts');
  const { askFirstManifest, listOfTypes } = await import('../scaffold/ask-first-manifest.ts');
  if (provider !== undefined) return scaffold({ name, types: listOfTypes(provider), balanced: lb, dns });
  if (process.stdin.isTTY && !lb && dns === undefined) return scaffold(await askFirstManifest(name));
  throw new CliError(`add --provider with one or more of ${nodeTypes.join(', ')}`, exitCodes.usage);
}

async function example(name: string): Promise<string> {
  const files = await readdir(ownFile('examples'));
  const names = files.flatMap((file) => (file.endsWith('.yaml') ? file.slice(0, -'.yaml'.length) : []));
  if (names.includes(name)) return readFile(ownFile(`examples/${name}.yaml`), 'utf8');
  throw new CliError(
    `there is no example "${name}"${guessText(nearest(name, names))}; there are ${names.join(', ')}`,
    exitCodes.notFound,
  );
}
