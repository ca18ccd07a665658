/** `kubeloom version | schema`: versions, and the JSON Schema with which editors complete manifests. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { exitCodes } from '../exit-codes.ts';
import { jsonOption } from '../options.ts';
import { ownFile, packageVersion } from '../own-files.ts';
import { note, print, printJson } from '../print/output.ts';

export function registerService(program: Command): void {
  program
    .command('version')
    .description('version of Kubeloom, of Node and of the platform')
    .option('--check', 'compare with the installation; exit 1 when the versions differ')
    .addOption(jsonOption())
    .action(async (options: { check?: boolean; json?: boolean }) => {
      const facts = {
        kubeloom: packageVersion(),
        node: process.version,
        platform: process.platform,
        arch: process.arch,
      };
      const installation = options.check ? await versionOfInstallation() : undefined;
      if (options.json) printJson({ ...facts, ...(installation !== undefined && { installation }) });
      else print(`kubeloom ${facts.kubeloom} (node ${facts.node}, ${facts.platform} ${facts.arch})`);
      if (installation === undefined) return;
      if (!options.json) print(`installation ${installation}`);
      if (installation === facts.kubeloom) return;
      note('the versions differ: use the command line of the version of the installation');
      process.exitCode = exitCodes.fault;
    });
  program
    .command('schema')
    .description('JSON Schema of the manifest, for editors')
    .action(() => {
      process.stdout.write(readFileSync(ownFile('schema/input-manifest.schema.json'), 'utf8'));
    });
}

async function versionOfInstallation(): Promise<string> {
  const { cliClient } = await import('../connection/api-client.ts');
  return (await cliClient().getVersion()).version;
}
