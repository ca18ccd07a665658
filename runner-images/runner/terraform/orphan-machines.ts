/** What a user lets go: Terraform forgets it, and it goes on existing. */
import type { StageContext } from '../stage-context.ts';
import { nodeOfAddress } from './addresses.ts';
import { type HookInput, hasHook, type ProviderFiles, runHook } from './provider-files.ts';
import type { StateResource, TerraformCli } from './terraform-cli.ts';

export interface OrphanRequest {
  readonly files: ProviderFiles;
  readonly hook: HookInput;
  /** True for what is let go. @default nothing is */
  readonly isOrphaned?: ((resource: StateResource) => boolean) | undefined;
  /** What the state has. */
  readonly resources: readonly StateResource[];
}

/** Lets go of it; returns what the state has then. */
export async function orphan(
  context: StageContext,
  terraform: TerraformCli,
  { files, hook, isOrphaned = () => false, resources }: OrphanRequest,
): Promise<readonly StateResource[]> {
  const free = resources.filter(isOrphaned);
  if (free.length === 0) return resources;
  if (await hasHook(files, 'let-go')) await runHook(context, files, 'let-go', { ...hook, resources: free });
  await terraform.forget(free.map(({ address }) => address));
  const names = new Set(context.plan.stage === 'infrastructure' ? context.plan.work.orphan : []);
  const owners = Map.groupBy(free, ({ address }) => nodeOfAddress(address, names));
  for (const [node, its] of owners) {
    const addresses = its.map(({ address }) => address).join(', ');
    const what = node ?? `what nodes that are let go stand on in ${hook.provider}`;
    const message = `${what} is let go: it goes on existing, nobody looks after it any more (${addresses})`;
    context.emit({ kind: 'NodeLetGo', level: 'warning', message, ...(node === undefined ? {} : { node }) });
  }
  return resources.filter((resource) => !free.includes(resource));
}
