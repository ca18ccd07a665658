/** `kubeloom version | schema`: what this is, and the JSON Schema that editors complete manifests with. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { print, printJson } from '../output.ts';
import { ownFile } from '../own-files.ts';
import { packageVersion } from '../package-version.ts';

export function registerService(program: Command): void {
  program
    .command('version')
    .description('version of Kubeloom and of what runs it')
    .option('--json', 'answer as JSON')
    .action((options: { json?: boolean }) => {
      const facts = {
        kubeloom: packageVersion(),
        node: process.version,
        platform: process.platform,
        arch: process.arch,
      };
      if (options.json) printJson(facts);
      else print(`kubeloom ${facts.kubeloom} (node ${facts.node}, ${facts.platform} ${facts.arch})`);
    });
  program
    .command('schema')
    .description('JSON Schema of the manifest, for editors')
    .action(() => {
      process.stdout.write(readFileSync(ownFile('schema/input-manifest.schema.json'), 'utf8'));
    });
}
