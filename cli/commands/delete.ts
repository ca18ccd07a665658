/** `kubeloom delete NAME`: removes a manifest and everything it made, or lets go of what cannot be removed. */
import type { Command } from 'commander';
import { apiClient } from '../api-client.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { parseManifestName } from '../manifest-name.ts';
import { print, printJson } from '../output.ts';
import { tellLeft, waitForRun } from '../wait.ts';

interface DeleteOptions {
  readonly wait?: boolean;
  readonly namespace?: string;
  readonly orphan?: readonly string[];
  readonly json?: boolean;
}

export function registerDelete(program: Command): void {
  program
    .command('delete <name>')
    .description('delete a manifest: its clusters, machines and networks go')
    .option('-n, --namespace <namespace>', 'namespace of NAME', 'default')
    .option(
      '--orphan <node...>',
      'let go of these nodes instead of removing them; `all`: of everything, nothing is removed',
    )
    .option('--wait', 'show progress until all is gone; exit 6 when something could not be removed')
    .option('--json', 'answer as JSON')
    .action(async (name: string, options: DeleteOptions) => {
      process.exitCode = await remove(name, options);
    });
}

async function remove(name: string, options: DeleteOptions): Promise<number> {
  const api = apiClient();
  const key = parseManifestName(name, options.namespace);
  const json = options.json === true;
  const accepted = await api.deleteManifest(key, orphansOf(options.orphan));
  if (!json) {
    print(`${key.namespace}/${key.name} is being deleted: run ${accepted.runId}`);
    tellLeft(accepted.left);
  }
  if (!options.wait) {
    if (json) printJson({ accepted });
    return exitCodes.ok;
  }
  const { manifest, elapsedMs, code } = await waitForRun(api, key, accepted, { json, deleting: true });
  if (json) printJson({ accepted, deleted: manifest === undefined, manifest: manifest ?? null, elapsedMs });
  return code;
}

/** `--orphan a b`, `--orphan a,b` and `--orphan all`. */
export function orphansOf(words: readonly string[] = []): readonly string[] {
  const names = words.flatMap((word) => word.split(',')).filter(Boolean);
  if (names.includes('all') && names.length > 1) {
    throw new CliError('--orphan all lets go of everything: name no nodes beside it', exitCodes.usage);
  }
  return names;
}
