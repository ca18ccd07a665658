/** `kubeloom secrets | templates | roles`: stored documents apart from manifests; they are stored with `kubeloom apply`. */
import type { Command } from 'commander';
import type { RoleBinding } from '#domain/manifest/role-binding.ts';
import type { CliClient } from '../connection/api-client.ts';
import { addDocumentCommands } from '../document-commands.ts';
import { shortList } from '../print/layout.ts';
import { paint, print } from '../print/output.ts';
import { namespacesText } from './whoami.ts';

export function registerDocuments(program: Command): void {
  const secrets = program
    .command('secrets')
    .description('names of stored Secrets, never values; store them with `kubeloom apply`');
  addDocumentCommands(secrets, {
    kind: 'Secret',
    within: 'namespaces',
    list: {
      description: 'list the names of the Secrets',
      rows: async (api, namespace) => (await api.listSecrets({ namespace })).items,
      ...names,
    },
    remove: {
      description: 'delete a Secret that no manifest needs',
      act: (api, key) => api.deleteSecret(key),
    },
  });

  const templates = program
    .command('templates')
    .description('stored TemplateGitReferences; store them with `kubeloom apply`');
  addDocumentCommands(templates, {
    kind: 'TemplateGitReference',
    within: 'namespace',
    list: {
      description: 'list the names of the TemplateGitReferences of a namespace',
      rows: async (api, namespace = 'default') => (await api.listTemplates({ namespace })).items,
      ...names,
    },
    document: (api, key) => api.getTemplate(key),
    remove: {
      description: 'delete a TemplateGitReference that no manifest needs',
      act: (api, key) => api.deleteTemplate(key),
    },
  });

  const roles = program
    .command('roles')
    .description('who has which role in which namespaces; grant roles with `kubeloom apply`');
  const named = async (api: CliClient, { name }: { readonly name: string }) =>
    (await api.listRoles()).items.find(({ metadata }) => metadata.name === name);
  addDocumentCommands(roles, {
    kind: 'RoleBinding',
    within: 'installation',
    list: {
      description: 'list the RoleBindings',
      rows: async (api) => (await api.listRoles()).items,
      titles: ['NAME', 'ROLE', 'NAMESPACES', 'SUBJECTS'],
      cells: roleRow,
      none: 'only the first admins have access',
    },
    describe: { description: 'one RoleBinding with all its subjects', read: named, print: describeRole },
    document: named,
    remove: {
      description: 'delete a RoleBinding; takes effect everywhere within 5 s',
      act: (api, { name }) => api.deleteRole({ name }),
    },
  });
}

const names = {
  titles: ['NAMESPACE', 'NAME'],
  cells: ({ namespace, name }: { readonly namespace: string; readonly name: string }) => [namespace, name],
};

function describeRole({ metadata, spec: { role, namespaces, subjects } }: RoleBinding): void {
  print(`${paint('bold', metadata.name)}  ${role} in ${namespacesText(namespaces)}`);
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
