/** `kubeloom provider test DIR`: whether the modules of a provider type keep the contract. Exit 0, 1 or 3. */
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { CliError, exitCodes } from '../exit-codes.ts';
import type { TestOptions } from '../type-report.ts';

export function registerProviderTest(provider: Command): void {
  provider
    .command('test <dir>')
    .description('check the modules of a provider type against the contract of docs/write-a-provider.md')
    .option('--full', 'also validate and plan with Terraform and the real plugin; nothing is created')
    .option('--json', 'answer as JSON')
    .action(async (dir: string, options: TestOptions) => {
      const directory = resolve(dir);
      if (!(await isDirectory(directory))) throw new CliError(`${dir} is not a directory`, exitCodes.notFound);
      // The kit is not part of the npm package.
      const { testType } = await import('../type-report.ts');
      process.exitCode = await testType(directory, options);
    });
}

function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
