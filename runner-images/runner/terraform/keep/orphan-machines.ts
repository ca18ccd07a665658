/** What a user orphans: Terraform forgets it, and it keeps running. */
import type { StageContext } from '../../stage-context.ts';
import { nodeOfAddress } from '../cli/addresses.ts';
import type { StateResource, TerraformCli } from '../cli/terraform-cli.ts';
import { type HookInput, hasHook, type ProviderFiles, runHook } from '../templates/provider-files.ts';

export interface OrphanRequest {
  readonly files: ProviderFiles;
  readonly hook: HookInput;
  /** True for resources to orphan. @default none */
  readonly isOrphaned?: ((resource: StateResource) => boolean) | undefined;
  /** What the state has. */
  readonly resources: readonly StateResource[];
}

/** Removes orphaned resources from the Terraform state; returns the resources that it has then. */
export async function orphan(
  context: StageContext,
  terraform: TerraformCli,
  { files, hook, isOrphaned = () => false, resources }: OrphanRequest,
): Promise<readonly StateResource[]> {
  const free = resources.filter(isOrphaned);
  if (free.length === 0) return resources;
  if (await hasHook(files, 'orphan')) await runHook(context, files, 'orphan', { ...hook, resources: free });
  await terraform.forget(free.map(({ address }) => address));
  const names = new Set(context.plan.stage === 'infrastructure' ? context.plan.work.orphan : []);
  const owners = Map.groupBy(free, ({ address }) => nodeOfAddress(address, names));
  for (const [node, its] of owners) {
    const addresses = its.map(({ address }) => address).join(', ');
    const what = node ?? `infrastructure of orphaned nodes in ${hook.provider}`;
    const message = `${what} is orphaned: it keeps running, Kubeloom no longer manages it (${addresses})`;
    context.emit({ kind: 'NodeOrphaned', message, ...(node === undefined ? {} : { node }) });
  }
  return resources.filter((resource) => !free.includes(resource));
}
