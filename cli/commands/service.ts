/** `kubeloom version | schema`: what this is, and the JSON Schema that editors complete manifests with. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';

const here = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** Version in package.json. */
export function packageVersion(): string {
  const { version } = JSON.parse(here('package.json')) as { version: string };
  return version;
}

export function registerService(program: Command): void {
  program
    .command('version')
    .description('version of Kubeloom and of what runs it')
    .action(() => {
      process.stdout.write(
        `kubeloom ${packageVersion()} (node ${process.version}, ${process.platform} ${process.arch})\n`,
      );
    });
  program
    .command('schema')
    .description('JSON Schema of the manifest, for editors')
    .action(() => {
      process.stdout.write(here('schema/input-manifest.schema.json'));
    });
}
