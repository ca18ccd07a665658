/** Where a workspace of Terraform is started: its directory, its login, its root module, its program. */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { requiredProviders } from '#rendering/root-module.ts';
import { modulesPath } from '#rendering/terraform-names.ts';
import { identityIn } from '../credentials-door.ts';
import { knownNodeNames, type SecretReader } from '../stage-context.ts';
import { configurationFile } from './cli/cli-configuration.ts';
import { findTerraform } from './cli/find-terraform.ts';
import { TerraformCli } from './cli/terraform-cli.ts';
import type { StatePlace } from './state/errored-state.ts';
import { stateKeyVariable } from './state/state-lock.ts';
import { logIn } from './templates/provider-login.ts';
import type { TemplatePart, WorkspaceTemplates } from './templates/read-templates.ts';
import { modulesLink, stateKeyOfJob, type WorkspaceJob, workspaceLabel } from './workspace-job.ts';

export interface StartedWorkspace {
  readonly terraform: TerraformCli;
  readonly place: StatePlace;
  /** Writes the root module again, without these nodes. */
  readonly render: (without: ReadonlySet<string>) => Promise<void>;
}

/** Its directory with the root module, initialised. Throws `StageFailure`. */
export async function startWorkspace(
  context: SecretReader,
  job: WorkspaceJob,
  { main, parts }: WorkspaceTemplates,
): Promise<StartedWorkspace> {
  const { runner } = context;
  const workspace = workspaceLabel(job);
  const stateKey = stateKeyOfJob(context, job);
  const directory = join(context.workDirectory, 'terraform', workspace);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const backend = {
    bucket: context.ports.config.KUBELOOM_BUCKET,
    region: runner.region,
    key: stateKey,
  };
  const login = await logIn(context, job.provider, main.files.template, { directory });
  await linkModules(directory, parts);
  const render = (without: ReadonlySet<string>): Promise<void> => {
    const root = job.root({ ...main.files, template: login.template }, backend, without);
    return writeFile(join(directory, 'main.tf.json'), JSON.stringify(root, null, 2), { mode: 0o600 });
  };
  await render(new Set());
  const environment = {
    [stateKeyVariable]: stateKey,
    // For its backend, which renews it.
    ...identityIn(runner.environment),
    ...(await configurationFile(directory, Object.values(requiredProviders(login.template)), runner)),
    ...login.environment,
  };
  const options = { directory, workspace, environment, nodes: knownNodeNames(context) };
  const terraform = new TerraformCli(context, options, await findTerraform(runner));
  await terraform.init();
  return { terraform, place: { directory, stateKey }, render };
}

/** Puts the modules of every version where the root finds them. */
async function linkModules(directory: string, parts: readonly TemplatePart[]): Promise<void> {
  for (const { provider, files } of parts) {
    // A workspace that is visited a second time has it.
    await symlink(files.directory, join(directory, modulesPath(modulesLink, provider.templates))).catch(ignoreExisting);
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
