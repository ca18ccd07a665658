/** `kubeloom sources`: repositories whose manifests the installation fetches itself; they are stored with `kubeloom apply`. */
import type { Command } from 'commander';
import type { GitSourceDescription, GitSourceSummary, SourceStatus } from '#contracts/git-sources.ts';
import { cliClient } from '../connection/api-client.ts';
import { addDocumentCommands } from '../document-commands.ts';
import { exitCodes } from '../exit-codes.ts';
import { parseManifestName } from '../manifest-name.ts';
import { jsonOption, namespaceOf } from '../options.ts';
import { note, paint, print, printJson, printTable } from '../print/output.ts';
import { sourceIsDue } from '../print/source-lines.ts';

export function registerSources(program: Command): void {
  const sources = program
    .command('sources')
    .description('GitSources: repositories that are submitted automatically; store them with `kubeloom apply`');
  addDocumentCommands(sources, {
    kind: 'GitSource',
    within: 'namespaces',
    list: {
      description: 'list the GitSources with their commits; exit 1 when one is not Ready',
      rows: async (api, namespace) => {
        const { items } = await api.listGitSources({ namespace });
        const isFine = ({ status }: GitSourceSummary): boolean => ['Ready', 'Suspended'].includes(status.state);
        if (!items.every(isFine)) process.exitCode = exitCodes.fault;
        return items;
      },
      titles: ['NAMESPACE', 'NAME', 'STATE', 'COMMIT', 'REF', 'REPOSITORY', 'FAULTS'],
      cells: rowOf,
    },
    describe: {
      description: 'its state, the result for each manifest, and every fault with its file and line',
      read: (api, key) => api.getGitSource(key),
      print: describe,
    },
    document: async (api, key) => (await api.getGitSource(key)).document,
    remove: {
      description: 'delete a GitSource; the manifests that it submitted stay',
      act: (api, key) => api.deleteGitSource(key),
    },
  });
  sources
    .command('sync <name>')
    .description(
      'read the repository at the next check of the schedule, and submit its commit again even if it is known',
    )
    .addOption(namespaceOf())
    .addOption(jsonOption())
    .action(async (name: string, { namespace, json }: { readonly namespace: string; readonly json?: boolean }) => {
      const found = await cliClient().syncGitSource(parseManifestName(name, namespace, 'a GitSource'));
      if (json) printJson(found);
      else print(`GitSource ${found.namespace}/${found.name}: ${sourceIsDue(found)}`);
    });
}

function rowOf({ namespace, name, status, ref, url, path }: GitSourceSummary): string[] {
  const { state, commit = '', faults } = status;
  return [namespace, name, state, commit.slice(0, 12), ref, `${url}/${path}`, String(faults.length)];
}

function describe({ namespace, name, url, path, ref, status, nextAt, by }: GitSourceDescription): void {
  const { state, commit = 'none', readAt = 'never', manifests, problem } = status;
  print(`${paint('bold', `${namespace}/${name}`)}  ${url}/${path} at ${ref}`);
  print(`${paint('bold', state)}  commit ${commit}, read ${readAt}, due ${nextAt}, applied by ${by}`);
  if (manifests.length > 0) {
    printTable(
      ['MANIFEST', 'STATE', 'FILE', 'RUN OR PLAN', ''],
      manifests.map((row) => [row.name, row.state, row.file, row.runId ?? row.plan ?? '', row.because ?? '']),
    );
  }
  if (problem) note(`${problem.reason}; ${problem.fix}`);
  for (const line of faultLinesOf(status)) note(line);
}

/** `clusters/a.yaml:4:9 spec.x: reason; fix` */
function faultLinesOf({ faults }: SourceStatus): readonly string[] {
  return faults.map(({ file, line, column, path, reason, fix }) => {
    const place = [file, ...(line === undefined ? [] : [line, column ?? 1])].join(':');
    return `${paint('red', place)} ${path === '' ? '' : `${path}: `}${reason}${fix === undefined ? '' : `; ${fix}`}`;
  });
}
