/** Runs a hook of a provider type for everything in a workspace: once for each version of templates in it. */
import type { ProviderInstance } from '#domain/cluster-state.ts';
import { poolModule, providerNameIn } from '#rendering/terraform-names.ts';
import type { SecretReader } from '../../stage-context.ts';
import { StageFailure } from '../../stage-failure.ts';
import type { StateResource } from '../cli/terraform-cli.ts';
import {
  type HookAnswer,
  type HookInput,
  type HookName,
  hasHook,
  type ProviderFiles,
  runHook,
  type VersionInUse,
  versionFiles,
} from './provider-files.ts';
import { secretEnvironment } from './provider-login.ts';

/** The part of a workspace that was created with one version of templates. */
export interface WorkspacePart extends VersionInUse {
  /** Pool ids. */
  readonly pools: readonly string[];
}

/** Whether any part has the hook. */
export async function anyHook(
  context: SecretReader,
  parts: readonly WorkspacePart[],
  hook: HookName,
): Promise<boolean> {
  for (const part of parts) if (await hasHook(await versionFiles(context, part), hook)) return true;
  return false;
}

/** Asks each part about its own resources; the answers are put together. Throws `StageFailure`. */
export async function askHooks(
  context: SecretReader,
  parts: readonly WorkspacePart[],
  { hook, input }: { readonly hook: HookName; readonly input: HookInput },
): Promise<HookAnswer> {
  const answers: HookAnswer[] = [];
  for (const part of parts) {
    const files = await versionFiles(context, part);
    if (!(await hasHook(files, hook))) continue;
    const resources = parts.length === 1 ? input.resources : input.resources.filter(isOf(part));
    const provider = providerNameIn(part.provider.name, part.provider.templates);
    const environment = await environmentOf(context, part.provider, files);
    answers.push(await runHook(context, files, hook, { ...input, provider, resources }, environment));
  }
  return {
    replace: answers.flatMap(({ replace }) => replace),
    removed: answers.flatMap(({ removed }) => removed),
    items: answers.flatMap(({ items }) => items),
  };
}

/** Without credentials the hook runs without them: what was never created needs none to be removed, all else is refused by the cloud. */
async function environmentOf(
  context: SecretReader,
  provider: ProviderInstance,
  { template }: ProviderFiles,
): Promise<Readonly<Record<string, string>>> {
  try {
    return await secretEnvironment(context, provider, template);
  } catch (error) {
    if (!(error instanceof StageFailure)) throw error;
    context.log.write('runner', `asking ${provider.name} without credentials: ${error.message}`);
    return secretEnvironment(context, { ...provider, secret: undefined }, template);
  }
}

const isOf =
  ({ pools }: WorkspacePart) =>
  ({ address }: StateResource): boolean =>
    pools.some(
      (pool) => address.startsWith(`module.${poolModule(pool)}.`) || address.startsWith(`module.${poolModule(pool)}[`),
    );
