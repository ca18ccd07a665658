/** `kubeloom provider check NAME [-f FILE]`: tries the credentials of a provider instance. Exit 0, 1, 3 or 4. */
import { type Command, Option } from 'commander';
import type { CheckFinding } from '#contracts/job.ts';
import { apiClient } from '../api-client.ts';
import { reportCheck } from '../check-report.ts';

interface CheckOptions {
  readonly file?: readonly string[];
  readonly namespace: string;
  readonly manifest?: string;
  readonly json?: boolean;
}

export function registerProviderCheck(provider: Command): void {
  provider
    .command('check <name>')
    .description('try the credentials of a provider instance: identity, each permission, quotas; nothing is changed')
    .option('-f, --file <file...>', 'files with the manifest and its Secrets, - for standard input: checked from here')
    .option('-n, --namespace <namespace>', 'namespace of the stored manifest', 'default')
    .addOption(
      new Option('--manifest <name>', 'the stored manifest, where several have such an instance').conflicts('file'),
    )
    .option('--json', 'answer as JSON')
    .action(async (name: string, { json = false, ...options }: CheckOptions) => {
      reportCheck({ provider: name, findings: await check(name, options) }, json);
    });
}

async function check(name: string, { file, namespace, manifest }: CheckOptions): Promise<readonly CheckFinding[]> {
  if (file !== undefined) return (await import('../check-files.ts')).checkFiles(name, file);
  const { checkStored } = await import('../stored-check.ts');
  return checkStored(apiClient(), { provider: name, namespace, ...(manifest && { manifest }) });
}
