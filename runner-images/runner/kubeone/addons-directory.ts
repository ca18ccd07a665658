/** Where a cluster's add-ons are on the machine of the runner. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobContext } from '../job-frame.ts';
import { StageFailure } from '../stage-failure.ts';

/** `name`: as the manifest has it. Looks into the directories of KUBELOOM_ADDONS, then into those that come with the templates. */
export async function findAddons(
  name: string,
  { runner, templatesDirectory }: Pick<JobContext, 'runner' | 'templatesDirectory'>,
): Promise<string> {
  for (const directory of [...runner.addons, join(templatesDirectory, 'addons')]) {
    const found = join(directory, name);
    if ((await readdir(found).catch(() => [])).length > 0) return found;
  }
  throw new StageFailure({
    class: 'user',
    code: 'AddonsMissing',
    message: `The runner has no directory of add-ons "${name}", or it is empty.`,
    hint: 'Put it below templates/addons and deploy again, or name its parent in KUBELOOM_ADDONS of the runner; or change addons.path of the cluster.',
  });
}
