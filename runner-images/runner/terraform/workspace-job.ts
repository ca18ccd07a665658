/** What a workspace of Terraform is opened for, and its names. */
import type { ProviderInstance } from '#domain/cluster-state.ts';
import type { RootModule, StateBackend } from '#rendering/root-module.ts';
import { stateKeyOf } from '#rendering/terraform-names.ts';
import type { ClusterContext } from '../stage-context.ts';
import type { StateResource } from './cli/terraform-cli.ts';
import type { HookInput, ProviderFiles } from './templates/provider-files.ts';
import type { WorkspacePart } from './templates/read-templates.ts';

/** Name under which the root module finds the modules of its provider type. */
export const modulesLink = './modules';

export interface WorkspaceJob {
  readonly kind: 'machines' | 'dns';
  /** Provider instance, or `dnsWorkspace`. */
  readonly name: string;
  readonly clusterId: string;
  readonly provider: ProviderInstance;
  /** Everything of it is deleted, its state as well. */
  readonly destroy: boolean;
  /** What is in it, by version of templates. @default all of it with those of `provider` */
  readonly parts?: readonly WorkspacePart[];
  /** `without`: nodes that it leaves out. */
  readonly root: (files: ProviderFiles, backend: StateBackend, without: ReadonlySet<string>) => RootModule;
  /** True for resources that are forgotten instead of destroyed. @default none */
  readonly isOrphaned?: (resource: StateResource) => boolean;
  /** The only addresses that are changed; no hook is asked then. @default everything is */
  readonly only?: readonly string[];
}

/** Its name for people, in the log, and as a directory. */
export function workspaceLabel({ kind, name }: Pick<WorkspaceJob, 'kind' | 'name'>): string {
  return `${kind}-${name}`;
}

export function stateKeyOfJob({ document }: Pick<ClusterContext, 'document'>, job: WorkspaceJob): string {
  return stateKeyOf({ ...job, namespace: document.namespace, manifest: document.manifest });
}

/** What its hooks read, without the resources of its state. */
export function hookInputOf({ ports }: Pick<ClusterContext, 'ports'>, job: WorkspaceJob): HookInput {
  return {
    installation: ports.config.KUBELOOM_INSTALLATION,
    cluster: job.clusterId,
    provider: job.provider.name,
    kind: job.kind,
    destroy: job.destroy,
    resources: [],
  };
}
