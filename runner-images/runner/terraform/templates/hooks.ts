/** The hooks of a workspace: each is run once for each version of templates in it that has it. */
import type { ProviderInstance } from '#domain/cluster-state.ts';
import { poolModule, providerNameIn } from '#rendering/terraform-names.ts';
import type { SecretReader } from '../../stage-context.ts';
import { StageFailure } from '../../stage-failure.ts';
import type { StateResource } from '../cli/terraform-cli.ts';
import { type HookAnswer, type HookInput, type HookName, type ProviderFiles, runHook } from './provider-files.ts';
import { secretEnvironment } from './provider-login.ts';
import type { TemplatePart, WorkspacePart } from './read-templates.ts';

export class Hooks {
  readonly parts: readonly TemplatePart[];
  readonly #context: SecretReader;

  constructor(context: SecretReader, parts: readonly TemplatePart[]) {
    this.#context = context;
    this.parts = parts;
  }

  /** Whether any part has it. */
  has(hook: HookName): boolean {
    return this.parts.some(({ hooks }) => hooks.has(hook));
  }

  /** Asks each part about its own resources; the answers are put together. Throws `StageFailure`. */
  async ask(hook: HookName, input: HookInput): Promise<HookAnswer> {
    const answers: HookAnswer[] = [];
    for (const part of this.parts) {
      if (!part.hooks.has(hook)) continue;
      const resources = this.parts.length === 1 ? input.resources : input.resources.filter(isOf(part));
      const provider = providerNameIn(part.provider.name, part.provider.templates);
      const environment = await environmentOf(this.#context, part.provider, part.files);
      answers.push(await runHook(this.#context, part.files, hook, { ...input, provider, resources }, environment));
    }
    return {
      replace: answers.flatMap(({ replace }) => replace),
      removed: answers.flatMap(({ removed }) => removed),
      items: answers.flatMap(({ items }) => items),
    };
  }

  /** Those of one part alone. */
  of(part: TemplatePart): Hooks {
    return new Hooks(this.#context, [part]);
  }
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
