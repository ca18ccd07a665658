/** `kubeloom delete NAME`: removes a manifest and everything it made. */
import type { Command } from 'commander';
import { apiClient } from '../api-client.ts';
import { describeManifest } from '../describe-manifest.ts';
import { parseManifestName } from '../manifest-name.ts';
import { duration, print, printJson } from '../output.ts';
import { exitCodeOfRun, follow } from '../watch.ts';

interface DeleteOptions {
  readonly wait?: boolean;
  readonly namespace?: string;
  readonly json?: boolean;
}

export function registerDelete(program: Command): void {
  program
    .command('delete <name>')
    .description('delete a manifest: its clusters, machines and networks go')
    .option('-n, --namespace <namespace>', 'namespace of NAME', 'default')
    .option('--wait', 'show progress until all is gone; exit 6 when something could not be removed')
    .option('--json', 'answer as JSON')
    .action(async (name: string, options: DeleteOptions) => {
      const api = apiClient();
      const key = parseManifestName(name, options.namespace);
      const accepted = await api.deleteManifest(key);
      if (!options.wait) {
        if (options.json) printJson(accepted);
        else print(`${key.namespace}/${key.name} is being deleted: run ${accepted.runId}`);
        return;
      }
      const followed = await follow(api, key, { runId: accepted.runId, quiet: options.json === true });
      if (options.json) printJson(followed.manifest ?? { deleted: true });
      else if (followed.manifest) print(`\n${describeManifest(followed.manifest)}`);
      else print(`\n${key.namespace}/${key.name} deleted after ${duration(followed.elapsedMs)}`);
      process.exitCode = exitCodeOfRun(followed, true);
    });
}
