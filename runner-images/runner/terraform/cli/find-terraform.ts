/** Which Terraform or OpenTofu is run. */
import { join } from 'node:path';
import { exists } from '../../exists.ts';
import type { RunnerConfig } from '../../runner-config.ts';
import { StageFailure } from '../../stage-failure.ts';

/** The program to use: KUBELOOM_TERRAFORM, else `tofu` or `terraform` of the PATH. */
export async function findTerraform({ terraform, path }: Pick<RunnerConfig, 'terraform' | 'path'>): Promise<string> {
  if (terraform !== undefined) return terraform;
  for (const name of ['tofu', 'terraform']) {
    for (const directory of path) {
      if (await exists(join(directory, name))) return join(directory, name);
    }
  }
  throw new StageFailure({
    class: 'user',
    code: 'ToolMissing',
    message: 'Neither tofu nor terraform is installed on the machine of the runner.',
    hint: 'Install OpenTofu or Terraform (1.11 or newer), or name the program in KUBELOOM_TERRAFORM.',
  });
}
