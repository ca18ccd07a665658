/** `kubeloom secrets | templates | roles`: stored documents apart from manifests; they are stored with `kubeloom apply`. */
import type { Command } from 'commander';
import { stringify } from 'yaml';
import type { RoleBinding } from '#domain/manifest/role-binding.ts';
import { cliClient } from '../connection/api-client.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { parseManifestName } from '../manifest-name.ts';
import { shortList } from '../print/layout.ts';
import { paint, print, printJson, printTable } from '../print/output.ts';
import { namespacesText } from './whoami.ts';

interface DocumentOptions {
  readonly namespace?: string;
  readonly json?: boolean;
}

export function registerDocuments(program: Command): void {
  const secrets = program
    .command('secrets')
    .description('names of stored Secrets, never values; store them with `kubeloom apply`');
  secrets
    .command('list')
    .description('list the names of the Secrets')
    .option('-n, --namespace <namespace>', 'only this namespace')
    .option('--json', 'answer as JSON')
    .action(async ({ namespace, json }: DocumentOptions) => {
      const { items } = await cliClient().listSecrets({ namespace });
      if (json) return printJson(items);
      if (items.length === 0) return print('no Secrets');
      printTable(
        ['NAMESPACE', 'NAME'],
        items.map((secret) => [secret.namespace, secret.name]),
      );
    });
  deletes(secrets, 'Secret', 'delete a Secret that no manifest needs any more');

  const templates = program
    .command('templates')
    .description('stored TemplateGitReferences; store them with `kubeloom apply`');
  templates
    .command('describe <name>')
    .description('print the document, as it can be applied again')
    .option('-n, --namespace <namespace>', 'namespace of NAME', 'default')
    .option('--json', 'as JSON instead of YAML')
    .action(async (name: string, { namespace, json }: DocumentOptions) => {
      const document = await cliClient().getTemplate(parseManifestName(name, namespace, 'a TemplateGitReference'));
      if (json) printJson(document);
      else process.stdout.write(stringify(document));
    });
  deletes(templates, 'TemplateGitReference', 'delete one that no manifest needs any more');

  const roles = program.command('roles').description('who has which role where; give them with `kubeloom apply`');
  roles
    .command('list')
    .description('list the RoleBindings')
    .option('--json', 'answer as JSON')
    .action(async ({ json }: DocumentOptions) => {
      const { items } = await cliClient().listRoles();
      if (json) printJson(items);
      else if (items.length === 0) print('no RoleBindings: only the first admins may do anything');
      else printTable(['NAME', 'ROLE', 'NAMESPACES', 'SUBJECTS'], items.map(roleRow));
    });
  roles
    .command('describe <name>')
    .description('one RoleBinding with all its subjects')
    .option('--json', 'answer as JSON')
    .action(describeRole);
  roles
    .command('delete <name>')
    .description('revoke a role; it has no effect anywhere after 5 s')
    .option('--json', 'answer as JSON')
    .action(async (name: string, { json }: DocumentOptions) => {
      await cliClient().deleteRole({ name });
      if (json) printJson({ deleted: name });
      else print(`RoleBinding ${name} deleted`);
    });
}

function deletes(command: Command, kind: 'Secret' | 'TemplateGitReference', description: string): void {
  command
    .command('delete <name>')
    .description(description)
    .option('-n, --namespace <namespace>', 'namespace of NAME', 'default')
    .option('--json', 'answer as JSON')
    .action(async (name: string, { namespace, json }: DocumentOptions) => {
      const key = parseManifestName(name, namespace, `a ${kind}`);
      const api = cliClient();
      await (kind === 'Secret' ? api.deleteSecret(key) : api.deleteTemplate(key));
      if (json) printJson({ deleted: key });
      else print(`${kind} ${key.namespace}/${key.name} deleted`);
    });
}

async function describeRole(name: string, { json }: DocumentOptions): Promise<void> {
  const found = (await cliClient().listRoles()).items.find(({ metadata }) => metadata.name === name);
  if (found === undefined) {
    const where = '`kubeloom roles list` shows those there are';
    throw new CliError(`there is no RoleBinding "${name}": ${where}`, exitCodes.notFound);
  }
  if (json) return printJson(found);
  const { role, namespaces, subjects } = found.spec;
  print(`${paint('bold', name)}  ${role} in ${namespacesText(namespaces)}`);
  for (const subject of subjects) print(`  ${subjectText(subject)}`);
}

function roleRow({ metadata, spec }: RoleBinding): string[] {
  return [metadata.name, spec.role, namespacesText(spec.namespaces), shortList(spec.subjects.map(subjectText))];
}

/** In the form in which an installation names its first admins. */
function subjectText(subject: RoleBinding['spec']['subjects'][number]): string {
  if ('iam' in subject) return `iam:${subject.iam}`;
  if ('user' in subject) return `user:${subject.user}`;
  return `claim:${subject.claim.name}=${subject.claim.value}`;
}
