/** Runs a hook of a provider type for everything in a workspace: once for each version of templates in it. */
import type { ProviderInstance } from '#domain/cluster-state.ts';
import { poolModule, providerNameIn } from '#rendering/terraform-names.ts';
import type { StageContext } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { type HookAnswer, type HookInput, type HookName, hasHook, providerFiles, runHook } from './provider-files.ts';
import type { StateResource } from './terraform-cli.ts';

/** What of a workspace was made with one version of templates. */
export interface WorkspacePart {
  readonly provider: ProviderInstance;
  /** Something of it is still wished for. */
  readonly wanted: boolean;
  /** Pool ids. */
  readonly pools: readonly string[];
}

/** Whether any part has the hook. */
export async function anyHook(
  context: StageContext,
  parts: readonly WorkspacePart[],
  hook: HookName,
): Promise<boolean> {
  for (const part of parts) if (await partHas(context, part, hook)) return true;
  return false;
}

/** Asks each part about its own resources; the answers are put together. Throws `StageFailure`. */
export async function askHooks(
  context: StageContext,
  parts: readonly WorkspacePart[],
  { hook, input }: { readonly hook: HookName; readonly input: HookInput },
): Promise<HookAnswer> {
  const answers: HookAnswer[] = [];
  for (const part of parts) {
    if (!(await partHas(context, part, hook))) continue;
    const files = await providerFiles(context, part.provider);
    const resources = parts.length === 1 ? input.resources : input.resources.filter(isOf(part));
    const provider = providerNameIn(part.provider.name, part.provider.templates);
    answers.push(await runHook(context, files, hook, { ...input, provider, resources }));
  }
  return {
    replace: answers.flatMap(({ replace }) => replace),
    removed: answers.flatMap(({ removed }) => removed),
  };
}

/** Templates that are lost have no hooks. */
async function partHas(context: StageContext, { provider, wanted }: WorkspacePart, hook: HookName): Promise<boolean> {
  try {
    return await hasHook(await providerFiles(context, provider), hook);
  } catch (error) {
    if (wanted || !(error instanceof StageFailure)) throw error;
    return false;
  }
}

const isOf =
  ({ pools }: WorkspacePart) =>
  ({ address }: StateResource): boolean =>
    pools.some(
      (pool) => address.startsWith(`module.${poolModule(pool)}.`) || address.startsWith(`module.${poolModule(pool)}[`),
    );
