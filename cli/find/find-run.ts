/** Finding the run that a person means: by its id, or the newest one of a manifest or cluster. */
import type { CliClient, ManifestName } from '../connection/api-client.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { isRunId, manifestOfRun, parseManifestName, shortName } from '../manifest-name.ts';
import { note, paint } from '../print/output.ts';
import { ofManifest } from './find-manifest.ts';

export interface NamedRunOptions {
  readonly previous?: boolean;
  readonly namespace?: string;
  readonly json?: boolean;
}

export interface NamedRun {
  readonly key: ManifestName;
  readonly run: string;
  /** When it was named by one. */
  readonly cluster?: string;
}

/** The run of that id, or the newest one of what has that name. Throws `CliError`. */
export async function namedRun(api: CliClient, name: string, options: NamedRunOptions): Promise<NamedRun> {
  const { namespace, previous = false } = options;
  if (isRunId(name)) {
    if (previous)
      throw new CliError(
        '--previous needs the name of a manifest, because a run id already names the run',
        exitCodes.usage,
      );
    return { key: manifestOfRun(name, namespace), run: name };
  }
  return ofManifest(api, { name, namespace }, async (key) => {
    const run = (await api.listRuns(key)).items[previous ? 1 : 0];
    if (!run) throw new CliError(`${shortName(key)} has no ${previous ? 'earlier ' : ''}run`, exitCodes.notFound);
    if (!options.json) note(paint('dim', `run ${run.runId}: ${run.reason}, ${run.status}`));
    const asked = parseManifestName(name, namespace).name;
    return { key, run: run.runId, ...(asked !== key.name && { cluster: asked }) };
  });
}
