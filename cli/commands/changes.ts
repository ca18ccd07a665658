/** `kubeloom changes`: who changed Secrets, templates and roles, and from where. */
import type { Command } from 'commander';
import { cliClient, itemsOf } from '../connection/api-client.ts';
import { jsonOption } from '../options.ts';
import { paint, print, printWrapped } from '../print/output.ts';

interface ChangesOptions {
  readonly namespace?: string;
  readonly json?: boolean;
}

export function registerChanges(program: Command): void {
  program
    .command('changes')
    .description('show who changed Secrets and templates of a namespace, or roles; for manifests: `kubeloom events`')
    .option('-n, --namespace <namespace>', 'namespace; without it, only changes of roles are listed')
    .addOption(jsonOption('one JSON object a line'))
    .action(async (options: ChangesOptions) => {
      const api = cliClient();
      let count = 0;
      for await (const event of itemsOf((next) => api.listChanges({ namespace: options.namespace, next }))) {
        count += 1;
        if (options.json) print(JSON.stringify(event));
        else printWrapped(`${paint('dim', event.at)}  ${event.message}`, 26);
      }
      if (count === 0 && !options.json) printWrapped(nothing(options.namespace), 2);
    });
}

const nothing = (namespace: string | undefined): string =>
  namespace === undefined
    ? 'no changes of roles; -n NAMESPACE shows those of Secrets and templates'
    : `no changes of Secrets and templates in namespace "${namespace}"`;
