/** What a provider has with the tags of a cluster: machines that no one knows, and what a deletion left. */
import type { ProviderInstance } from '#domain/cluster-state.ts';
import type { StrayAction } from '#domain/drift.ts';
import { poolsOf } from '#rendering/machines-root.ts';
import { isListed, listCluster, type NotKnown } from '../listing/list-cluster.ts';
import { type ClusterContext, knownNodes, knownStates, type SecretReader } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { anyHook, askHooks, type WorkspacePart } from './ask-hooks.ts';
import { type HookAnswer, type HookInput, providerFiles } from './provider-files.ts';
import { secretValues } from './provider-login.ts';

type Listed = HookAnswer['items'][number];

export type Strays =
  | {
      readonly found: readonly Listed[];
      /** The type can delete them, and stop them. */
      readonly removable: boolean;
      readonly stoppable: boolean;
    }
  /** Then nothing is a stray. */
  | NotKnown;

/**
 * Listed machines that neither a state of the cluster nor Terraform's knows. None where one of the two is empty: a state that
 * was lost would make strays of all machines.
 */
export async function straysOf(
  context: SecretReader & Pick<ClusterContext, 'target' | 'others'>,
  parts: readonly WorkspacePart[],
  input: HookInput,
): Promise<Strays> {
  const can = {
    removable: await anyHook(context, parts, 'remove'),
    stoppable: await anyHook(context, parts, 'stop'),
  };
  const nodes = knownNodes(context);
  if (nodes.size === 0 || input.resources.length === 0) return { found: [], ...can };
  const known = new Set([...nodes, ...input.resources.map(({ index }) => String(index))]);
  const listed = await listMachines(context, parts, input);
  return 'failed' in listed
    ? listed
    : { found: listed.items.filter(({ name, kind }) => kind === 'machine' && !known.has(name)), ...can };
}

export interface StrayWork {
  readonly action: StrayAction;
  readonly names: readonly string[];
}

/**
 * Stops or deletes those of the machines that still are strays; returns their names. Each version of a type is asked about what
 * it lists. Throws `StageFailure`, also when the listing fails.
 */
export async function actOnStrays(
  context: SecretReader,
  { parts, input }: { readonly parts: readonly WorkspacePart[]; readonly input: HookInput },
  { action, names }: StrayWork,
): Promise<readonly string[]> {
  const hook = action === 'delete' ? 'remove' : 'stop';
  const done = new Map<string, string>();
  for (const part of parts) {
    const strays = await straysOf(context, [part], input);
    if ('failed' in strays)
      throw new StageFailure({
        ...{ class: 'transient', code: 'StraysNotListed', resource: input.provider },
        message: `What ${input.provider} has could not be listed, so nothing of it is stopped or deleted: ${strays.failed}`,
        hint: 'Kubeloom retries automatically.',
      });
    const able = action === 'delete' ? strays.removable : strays.stoppable;
    const machines = strays.found
      .filter(({ id, name, stopped }) => names.includes(name) && !done.has(id) && !(action === 'quarantine' && stopped))
      .map(({ id, name }) => ({ id, name }));
    if (!able || machines.length === 0) continue;
    await askHooks(context, [part], { hook, input: { ...input, machines } });
    for (const { id, name } of machines) done.set(id, name);
  }
  return [...done.values()];
}

/**
 * The receipt of a deletion: which machines were removed, and whether anything with our tags is left.
 */
export async function reportDeletion(
  context: SecretReader,
  { parts, input, removed, others, shared }: Deletion,
): Promise<void> {
  const title = input.provider;
  const what = removed.length === 0 ? 'no machine' : removed.join(', ');
  const said = `${title}: removed ${what}`;
  if (!(await canList(context, parts))) {
    const message = `${said}; its type cannot list what is left`;
    context.emit({ kind: 'DeletionReceipt', message });
    return;
  }
  const listed = await listMachines(context, parts, input);
  if ('failed' in listed) {
    const message = `${said}; what is left could not be listed: ${listed.failed}`;
    context.emit({ kind: 'DeletionReceipt', level: 'warning', message });
    return;
  }
  const left = listed.items.filter(({ name, kind }) => !others.has(name) && (kind === 'machine' || !shared));
  if (left.length === 0) {
    context.emit({ kind: 'DeletionReceipt', message: `${said}; nothing with the tags of the cluster is left` });
    return;
  }
  const names = left.map(({ name, id }) => `${name} (${id})`).join(', ');
  const message = `${said}; it still has ${names}: remove it there`.slice(0, 1000);
  context.emit({ kind: 'DeletionReceipt', level: 'warning', message });
}

export interface Deletion {
  readonly parts: readonly WorkspacePart[];
  readonly input: HookInput;
  /** Names of the nodes that existed. */
  readonly removed: readonly string[];
  /** Names of nodes that were to stay, and of other instances: one account may have several. */
  readonly others: ReadonlySet<string>;
  /** What is no machine may be of another instance of the type, or of a machine that was to stay. */
  readonly shared: boolean;
}

/** Whether any part can be listed, by its hook or here. */
export async function canList(context: SecretReader, parts: readonly WorkspacePart[]): Promise<boolean> {
  return parts.some(({ provider }) => isListed(provider)) || (await anyHook(context, parts, 'list'));
}

async function listMachines(
  context: SecretReader,
  parts: readonly WorkspacePart[],
  input: HookInput,
): Promise<{ readonly items: readonly Listed[] } | NotKnown> {
  try {
    const items: Listed[] = [...(await askHooks(context, parts, { hook: 'list', input })).items];
    for (const { provider } of parts.filter((part) => isListed(part.provider))) {
      const listed = await listHere(context, provider, input);
      if ('failed' in listed) return listed;
      items.push(...listed.items);
    }
    // Each version of a type lists all that has the tags.
    const each = new Map(items.map((item) => [JSON.stringify([item.kind, item.id, item.name]), item]));
    return { items: [...each.values()] };
  } catch (thrown) {
    if (!(thrown instanceof StageFailure)) throw thrown;
    return { failed: thrown.error.message };
  }
}

/** In the account of the Secret, in the regions that the cluster has there or had. */
async function listHere(
  context: SecretReader,
  provider: ProviderInstance,
  { cluster, provider: name }: HookInput,
): Promise<{ readonly items: readonly Listed[] } | NotKnown> {
  const { template } = await providerFiles(context, provider);
  const fields =
    provider.secret === undefined ? {} : await secretValues(context, { provider, template }, provider.secret);
  const regions = knownStates(context).flatMap((state) => poolsOf(state, name).map(({ source }) => source.region));
  const listed = await listCluster(provider.type, { fields, cluster, regions: [...new Set(regions)], bases: {} });
  return 'failed' in listed ? listed : { items: listed.items.map((item) => ({ ...item, stopped: false })) };
}
