/** `kubeloom explain`: what a field of a kind means, or who set each value of a stored manifest. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { parseJson } from '#domain/json.ts';
import { cliClient } from '../connection/api-client.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { ofManifest } from '../find/find-manifest.ts';
import { parseManifestName } from '../manifest-name.ts';
import { jsonOption, namespaceOf } from '../options.ts';
import { ownFile } from '../own-files.ts';
import { explainedLines } from '../print/inventory-lines.ts';
import { note, print, printJson } from '../print/output.ts';
import { kindIn, schemaLines } from '../print/schema-lines.ts';

interface ExplainOptions {
  readonly namespace: string;
  readonly json?: boolean;
}

export function registerExplain(program: Command): void {
  program
    .command('explain <name> [path]')
    .description(
      'show what a field means, as KIND.path; or who set each value of the manifest NAME, and what it overrode',
    )
    .addOption(namespaceOf())
    .addOption(jsonOption())
    .action((name: string, path: string | undefined, options: ExplainOptions) => {
      const schema = parseJson(readFileSync(ownFile('schema/input-manifest.schema.json'), 'utf8'));
      const kind = kindIn(schema, name);
      if (kind === undefined) return explainManifest(name, path, options);
      const field = [...name.split('.').slice(1), ...(path === undefined ? [] : [path])].join('.');
      const lines = schemaLines(schema, kind, field);
      if (options.json)
        throw new CliError('`kubeloom schema` prints what kinds have, as JSON: leave --json out', exitCodes.usage);
      for (const line of lines) print(line);
    });
}

async function explainManifest(
  name: string,
  path: string | undefined,
  { namespace, json }: ExplainOptions,
): Promise<void> {
  const api = cliClient();
  const answer = await ofManifest(api, { name, namespace }, (key) => api.explainManifest(key, { path }));
  if (json) return printJson(answer);
  if (answer.behind) {
    note(
      `${answer.name} is behind its inventory: these values are those of the inventory, \`kubeloom inventory apply ${answer.name}\` submits them`,
    );
  }
  if (answer.values.length === 0) {
    const where = `\`kubeloom explain ${answer.name}\` shows all`;
    throw new CliError(
      `${parseManifestName(name, namespace).name} has no value at ${path}: ${where}`,
      exitCodes.notFound,
    );
  }
  for (const line of explainedLines(answer)) print(line);
}
