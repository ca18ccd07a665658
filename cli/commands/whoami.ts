/** `kubeloom whoami`: who the API takes the caller for, and which roles that principal has. */
import type { Command } from 'commander';
import { cliClient } from '../connection/api-client.ts';
import { currentContextLine } from '../connection/connection.ts';
import { jsonOption } from '../options.ts';
import { paint, print, printJson, printTable } from '../print/output.ts';

export function registerWhoAmI(program: Command): void {
  program
    .command('whoami')
    .description('who you are for the API, and what you may do')
    .addOption(jsonOption())
    .action(async (options: { json?: boolean }) => {
      const me = await cliClient().whoAmI();
      if (options.json) return printJson(me);
      print(`${paint('bold', me.name)}  ${kinds[me.kind]}, from ${me.from}`);
      print(currentContextLine());
      if (me.grants.length === 0) return print('no roles: an admin can grant one with a RoleBinding');
      printTable(
        ['ROLE', 'NAMESPACES'],
        me.grants.map(({ role, namespaces }) => [role, namespacesText(namespaces)]),
      );
    });
}

const kinds = { iam: 'principal of AWS', token: 'by token', unknown: 'unknown' } as const;

/** `all`, or their names. */
export function namespacesText(namespaces: readonly string[]): string {
  return namespaces.includes('*') ? 'all' : namespaces.join(', ');
}
