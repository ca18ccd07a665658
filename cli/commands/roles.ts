/** `kubeloom roles`: who has which role where; they are given with `kubeloom apply`. */
import type { Command } from 'commander';
import type { RoleBinding } from '#domain/manifest/role-binding.ts';
import { type ApiClient, apiClient } from '../api-client.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { listed } from '../layout.ts';
import { paint, print, printJson, printTable } from '../output.ts';
import { namespacesText } from './whoami.ts';

interface RolesOptions {
  readonly json?: boolean;
}

export function registerRoles(program: Command): void {
  const roles = program.command('roles').description('who has which role where; give them with `kubeloom apply`');
  roles
    .command('list')
    .description('list the RoleBindings')
    .option('--json', 'answer as JSON')
    .action(async (options: RolesOptions) => {
      const { items } = await apiClient().listRoles();
      if (options.json) printJson(items);
      else if (items.length === 0) print('no RoleBindings: only the first admins may do anything');
      else printTable(['NAME', 'ROLE', 'NAMESPACES', 'SUBJECTS'], items.map(row));
    });
  roles
    .command('describe <name>')
    .description('one RoleBinding with all its subjects')
    .option('--json', 'answer as JSON')
    .action(async (name: string, options: RolesOptions) => {
      const binding = await find(apiClient(), name);
      if (options.json) return printJson(binding);
      const { role, namespaces, subjects } = binding.spec;
      print(`${paint('bold', name)}  ${role} in ${namespacesText(namespaces)}`);
      for (const subject of subjects) print(`  ${subjectText(subject)}`);
    });
  roles
    .command('delete <name>')
    .description('revoke a role; it has no effect anywhere after 5 s')
    .option('--json', 'answer as JSON')
    .action(async (name: string, options: RolesOptions) => {
      await apiClient().deleteRole({ name });
      if (options.json) printJson({ deleted: name });
      else print(`RoleBinding ${name} deleted`);
    });
}

async function find(api: ApiClient, name: string): Promise<RoleBinding> {
  const found = (await api.listRoles()).items.find(({ metadata }) => metadata.name === name);
  if (found) return found;
  throw new CliError(
    `there is no RoleBinding "${name}": \`kubeloom roles list\` shows those there are`,
    exitCodes.notFound,
  );
}

function row({ metadata, spec }: RoleBinding): string[] {
  return [metadata.name, spec.role, namespacesText(spec.namespaces), listed(spec.subjects.map(subjectText))];
}

/** In the form in which an installation names its first admins. */
function subjectText(subject: RoleBinding['spec']['subjects'][number]): string {
  if ('iam' in subject) return `iam:${subject.iam}`;
  if ('user' in subject) return `user:${subject.user}`;
  return `claim:${subject.claim.name}=${subject.claim.value}`;
}
