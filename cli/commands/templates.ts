/** `kubeloom templates`: TemplateGitReferences as they are stored; they are stored with `kubeloom apply`. */
import type { Command } from 'commander';
import { stringify } from 'yaml';
import { apiClient } from '../api-client.ts';
import { parseManifestName } from '../manifest-name.ts';
import { print, printJson } from '../output.ts';

interface TemplatesOptions {
  readonly namespace: string;
  readonly json?: boolean;
}

export function registerTemplates(program: Command): void {
  const templates = program
    .command('templates')
    .description('stored TemplateGitReferences; store them with `kubeloom apply`');
  templates
    .command('describe <name>')
    .description('print the document, as it can be applied again')
    .option('-n, --namespace <namespace>', 'namespace of NAME', 'default')
    .option('--json', 'as JSON instead of YAML')
    .action(async (name: string, { namespace, json }: TemplatesOptions) => {
      const document = await apiClient().getTemplate(parseManifestName(name, namespace, 'a TemplateGitReference'));
      if (json) printJson(document);
      else process.stdout.write(stringify(document));
    });
  templates
    .command('delete <name>')
    .description('delete one that no manifest needs any more')
    .option('-n, --namespace <namespace>', 'namespace of NAME', 'default')
    .option('--json', 'answer as JSON')
    .action(async (name: string, { namespace, json }: TemplatesOptions) => {
      const key = parseManifestName(name, namespace, 'a TemplateGitReference');
      await apiClient().deleteTemplate(key);
      if (json) printJson({ deleted: key });
      else print(`TemplateGitReference ${key.namespace}/${key.name} deleted`);
    });
}
