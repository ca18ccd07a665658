/** `kubeloom sources`: repositories whose manifests the installation fetches itself; they are stored with `kubeloom apply`. */
import type { Command } from 'commander';
import { stringify } from 'yaml';
import type { GitSourceSummary, SourceStatus } from '#contracts/git-sources.ts';
import { cliClient } from '../connection/api-client.ts';
import { exitCodes } from '../exit-codes.ts';
import { parseManifestName } from '../manifest-name.ts';
import { note, paint, print, printJson, printTable } from '../print/output.ts';

interface SourceOptions {
  readonly namespace?: string;
  readonly json?: boolean;
}

export function registerSources(program: Command): void {
  const sources = program
    .command('sources')
    .description('GitSources: repositories that are submitted automatically; store them with `kubeloom apply`');
  sources
    .command('list')
    .description('list the GitSources with their commits; exit 1 when one is not Ready')
    .option('-n, --namespace <namespace>', 'only this namespace')
    .option('--json', 'answer as JSON')
    .action(list);
  const one = (words: string, description: string): Command =>
    sources
      .command(words)
      .description(description)
      .option('-n, --namespace <namespace>', 'namespace of NAME', 'default')
      .option('--json', 'answer as JSON');
  one('describe <name>', 'the document, what became of each manifest, and every fault with its file and line').action(
    describe,
  );
  one('sync <name>', 'ask the repository now, and submit its commit again even if it is known').action(
    async (name: string, { namespace, json }: SourceOptions) => {
      const found = await cliClient().syncGitSource(keyOf(name, namespace));
      if (json) printJson(found);
      else print(`GitSource ${found.namespace}/${found.name} is due; \`kubeloom sources describe ${name}\` shows it`);
    },
  );
  one('delete <name>', 'delete one; the manifests that it submitted stay').action(
    async (name: string, { namespace, json }: SourceOptions) => {
      const key = keyOf(name, namespace);
      await cliClient().deleteGitSource(key);
      if (json) printJson({ deleted: key });
      else print(`GitSource ${key.namespace}/${key.name} deleted`);
    },
  );
}

const keyOf = (name: string, namespace: string | undefined) =>
  parseManifestName(name, namespace ?? 'default', 'a GitSource');

async function list({ namespace, json }: SourceOptions): Promise<void> {
  const { items } = await cliClient().listGitSources({ namespace });
  if (items.some(({ status }) => !['Ready', 'Suspended'].includes(status.state))) process.exitCode = exitCodes.fault;
  if (json) return printJson(items);
  if (items.length === 0) return print('no GitSources');
  printTable(['NAMESPACE', 'NAME', 'STATE', 'COMMIT', 'REF', 'REPOSITORY', 'FAULTS'], items.map(rowOf));
}

function rowOf({ namespace, name, status, ref, url, path }: GitSourceSummary): string[] {
  const { state, commit = '', faults } = status;
  return [namespace, name, state, commit.slice(0, 12), ref, `${url}/${path}`, String(faults.length)];
}

async function describe(name: string, { namespace, json }: SourceOptions): Promise<void> {
  const { document, ...found } = await cliClient().getGitSource(keyOf(name, namespace));
  if (json) return printJson({ ...found, document });
  process.stdout.write(stringify(document));
  print('');
  const { state, commit = 'none', readAt = 'never', manifests, problem } = found.status;
  print(`${paint('bold', state)}  commit ${commit}, read ${readAt}, due ${found.nextAt}, applied by ${found.by}`);
  if (manifests.length > 0) {
    printTable(
      ['MANIFEST', 'STATE', 'FILE', 'RUN OR PLAN', ''],
      manifests.map((row) => [row.name, row.state, row.file, row.runId ?? row.plan ?? '', row.because ?? '']),
    );
  }
  if (problem) note(`${problem.reason}; ${problem.fix}`);
  for (const line of faultLinesOf(found.status)) note(line);
}

/** `clusters/a.yaml:4:9 spec.x: reason; fix` */
function faultLinesOf({ faults }: SourceStatus): readonly string[] {
  return faults.map(({ file, line, column, path, reason, fix }) => {
    const place = [file, ...(line === undefined ? [] : [line, column ?? 1])].join(':');
    return `${paint('red', place)} ${path === '' ? '' : `${path}: `}${reason}${fix === undefined ? '' : `; ${fix}`}`;
  });
}
