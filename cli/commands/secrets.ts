/** `kubeloom secrets`: which Secrets are stored, by name; they are stored with `kubeloom apply`. */
import type { Command } from 'commander';
import { apiClient } from '../api-client.ts';
import { parseManifestName } from '../manifest-name.ts';
import { print, printJson, printTable } from '../output.ts';

interface SecretsOptions {
  readonly namespace?: string;
  readonly json?: boolean;
}

export function registerSecrets(program: Command): void {
  const secrets = program
    .command('secrets')
    .description('names of stored Secrets, never values; store them with `kubeloom apply`');
  secrets
    .command('list')
    .description('list the names of the Secrets')
    .option('-n, --namespace <namespace>', 'only this namespace')
    .option('--json', 'answer as JSON')
    .action(async ({ namespace, json }: SecretsOptions) => {
      const { items } = await apiClient().listSecrets({ namespace });
      if (json) return printJson(items);
      if (items.length === 0) return print('no Secrets');
      printTable(
        ['NAMESPACE', 'NAME'],
        items.map((secret) => [secret.namespace, secret.name]),
      );
    });
  secrets
    .command('delete <name>')
    .description('delete a Secret that no manifest needs any more')
    .option('-n, --namespace <namespace>', 'namespace of NAME', 'default')
    .option('--json', 'answer as JSON')
    .action(async (name: string, { namespace, json }: SecretsOptions) => {
      const key = parseManifestName(name, namespace, 'a Secret');
      await apiClient().deleteSecret(key);
      if (json) printJson({ deleted: key });
      else print(`Secret ${key.namespace}/${key.name} deleted`);
    });
}
