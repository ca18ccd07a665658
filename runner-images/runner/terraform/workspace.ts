/** One Terraform workspace from its root module to its outputs; or to nothing. */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { allNodes, type ProviderInstance } from '#domain/cluster-state.ts';
import { credentialVariable } from '#rendering/provider-template.ts';
import type { RootModule, StateBackend } from '#rendering/root-module.ts';
import { stateKeyOf } from '#rendering/terraform-names.ts';
import { requiredField, userSecret } from '../credentials.ts';
import { knownStates, type StageContext } from '../stage-context.ts';
import { type ChangeCounts, ChangeTeller } from './change-teller.ts';
import { type HookInput, hasHook, type ProviderFiles, providerFiles, runHook } from './provider-files.ts';
import { removeState, selfInLocks, stateKeyVariable, takeOverState } from './state-lock.ts';
import { configurationFile, findTerraform, TerraformCli } from './terraform-cli.ts';

/** Name under which the root module finds the modules of its provider type. */
export const modulesLink = './modules';

export interface WorkspaceJob {
  readonly kind: 'machines' | 'dns';
  /** Provider instance, or load balancer id. */
  readonly name: string;
  readonly clusterId: string;
  readonly provider: ProviderInstance;
  /** Everything of it goes, its state as well. */
  readonly destroy: boolean;
  readonly root: (files: ProviderFiles, backend: StateBackend) => RootModule;
}

export interface WorkspaceOutcome {
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly counts: ChangeCounts;
}

/** Brings the workspace to its root module. Throws `StageFailure`. */
export async function applyWorkspace(context: StageContext, job: WorkspaceJob): Promise<WorkspaceOutcome> {
  const files = await providerFiles(context, job.provider);
  const { namespace, manifest } = context.document;
  const stateKey = stateKeyOf({ ...job, namespace, manifest });
  const hook: HookInput = {
    installation: context.ports.config.KUBELOOM_INSTALLATION,
    cluster: job.clusterId,
    provider: job.provider.name,
    kind: job.kind,
    destroy: job.destroy,
    resources: [],
  };
  const teller = new ChangeTeller(context, nodeNames(context));
  if (!job.destroy)
    return { outputs: await converge(context, job, files, stateKey, hook, teller), counts: teller.counts };
  try {
    // No state object: nothing was ever made, or all of it is gone already.
    if ((await context.ports.artifacts.getText(stateKey)) !== undefined) {
      await converge(context, job, files, stateKey, hook, teller);
      await removeState(context, stateKey);
    }
  } finally {
    // What the state did not know of goes here, also after a destroy that failed.
    if (!context.signal.aborted && (await hasHook(files, 'after-destroy'))) {
      await runHook(context, files, 'after-destroy', hook);
    }
  }
  return { outputs: {}, counts: teller.counts };
}

async function converge(
  context: StageContext,
  job: WorkspaceJob,
  files: ProviderFiles,
  stateKey: string,
  hook: HookInput,
  teller: ChangeTeller,
): Promise<Readonly<Record<string, unknown>>> {
  const label = `${job.kind}-${job.name}`;
  const directory = join(context.workDirectory, 'terraform', label);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const backend = {
    bucket: context.ports.config.KUBELOOM_BUCKET,
    region: process.env.AWS_REGION ?? 'us-east-1',
    key: stateKey,
  };
  await writeFile(join(directory, 'main.tf.json'), JSON.stringify(job.root(files, backend), null, 2), { mode: 0o600 });
  await symlink(files.directory, join(directory, modulesLink));
  const environment = {
    [stateKeyVariable]: stateKey,
    ...(await configurationFile(directory)),
    ...(await credentials(context, job.provider, files)),
  };
  const terraform = new TerraformCli(
    context,
    { directory, workspace: label, environment, nodes: nodeNames(context) },
    await findTerraform(),
  );
  await terraform.init();
  const owner = {
    who: selfInLocks(),
    waypoint: context.document.runId,
    build: process.env.CODEBUILD_BUILD_ID ?? `process ${process.pid}`,
  };
  await takeOverState(context, stateKey, owner, (id) => terraform.forceUnlock(id));
  const replace = (await hasHook(files, 'before-apply'))
    ? await runHook(context, files, 'before-apply', { ...hook, resources: await terraform.resources() })
    : [];
  const plan = await terraform.plan(replace);
  teller.planned(label, plan.messages);
  if (plan.changes) await terraform.apply((message) => teller.heard(message));
  return job.destroy ? {} : terraform.outputs();
}

async function credentials(
  context: StageContext,
  provider: ProviderInstance,
  { template }: ProviderFiles,
): Promise<Readonly<Record<string, string>>> {
  const fields = [...new Set(Object.values(template.provider?.credentials ?? {}))];
  const { secret } = provider;
  if (fields.length === 0 || secret === undefined) return {};
  const values = await userSecret(context, secret, `provider ${provider.name}`);
  return Object.fromEntries(
    fields.map((field) => [`TF_VAR_${credentialVariable(field)}`, requiredField(values, field, secret)]),
  );
}

function nodeNames(context: StageContext): ReadonlySet<string> {
  return new Set(knownStates(context).flatMap((state) => allNodes(state).map(({ node }) => node.name)));
}
