/** What a provider has with the tags of a cluster: machines that no one knows, and what a deletion left. */
import { dynamicPoolsOf } from '#rendering/machines-root.ts';
import type { DeletedMachines } from '#rendering/machines-workspace.ts';
import { isListed, listCluster, type NotKnown, orNotKnown } from '../../listing/list-cluster.ts';
import type { ListedThing, ListInput } from '../../listing/listing.ts';
import { canAct, readMachines } from '../../listing/machine-acts.ts';
import { type ClusterContext, knownNodeNames, knownStates, type SecretReader } from '../../stage-context.ts';
import { StageFailure } from '../../stage-failure.ts';
import type { Hooks } from '../templates/hooks.ts';
import type { HookAnswer, HookInput } from '../templates/provider-files.ts';
import { loginValues } from '../templates/provider-login.ts';
import type { TemplatePart } from '../templates/read-templates.ts';
import { strayMachines } from './stray-machines.ts';

type Listed = HookAnswer['items'][number] &
  Pick<ListedThing, 'place' | 'stateId'> & {
    /** The part whose type is listed by the runner itself. */
    readonly part?: TemplatePart;
  };

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
  hooks: Hooks,
  input: HookInput,
): Promise<Strays> {
  const acts = hooks.parts.some(({ provider }) => canAct(provider));
  const can = { removable: acts || hooks.has('remove'), stoppable: acts || hooks.has('stop') };
  const nodes = knownNodeNames(context);
  if (nodes.size === 0 || input.resources.length === 0) return { found: [], ...can };
  const listed = await listMachines(context, hooks, input);
  if ('failed' in listed) return listed;
  const strays = strayMachines(listed.items, { nodes, resources: input.resources });
  const found = await nowOf(context, strays, input);
  return 'failed' in found ? found : { found: found.items, ...can };
}

/** Without those that are gone, or lost their tag, since they were listed. */
async function nowOf(
  context: SecretReader,
  strays: readonly Listed[],
  input: HookInput,
): Promise<{ readonly items: readonly Listed[] } | NotKnown> {
  const byPart = Map.groupBy(strays, ({ part }) => (part !== undefined && canAct(part.provider) ? part : undefined));
  const items = [...(byPart.get(undefined) ?? [])];
  for (const [part, machines] of byPart) {
    if (part === undefined) continue;
    const asked = await listInputOf(context, part, input);
    const now = await orNotKnown(() => readMachines(part.provider.type, asked, machines));
    if ('failed' in now) return now;
    items.push(...now);
  }
  return { items };
}

/**
 * The receipt of a deletion: which machines were removed, and whether anything with our tags is left.
 */
export async function reportDeletion(
  context: SecretReader,
  { hooks, input, removed, others, shared }: Deletion,
): Promise<void> {
  const title = input.provider;
  const what = removed.length === 0 ? 'no machine' : removed.join(', ');
  const removal = `${title}: removed ${what}`;
  if (!canList(hooks)) {
    const message = `${removal}; its type cannot list what is left`;
    context.emit({ kind: 'DeletionReceipt', message });
    return;
  }
  const listed = await listMachines(context, hooks, input);
  if ('failed' in listed) {
    const message = `${removal}; what is left could not be listed: ${listed.failed}`;
    context.emit({ kind: 'DeletionReceipt', level: 'warning', message });
    return;
  }
  const left = listed.items.filter(({ name, kind }) => !others.has(name) && (kind === 'machine' || !shared));
  if (left.length === 0) {
    context.emit({ kind: 'DeletionReceipt', message: `${removal}; nothing with the tags of the cluster is left` });
    return;
  }
  const names = left.map(({ name, id }) => `${name} (${id})`).join(', ');
  const message = `${removal}; it still has ${names}: remove it there`.slice(0, 1000);
  context.emit({ kind: 'DeletionReceipt', level: 'warning', message });
}

interface Deletion extends DeletedMachines {
  readonly hooks: Hooks;
  readonly input: HookInput;
}

/** Whether any part can be listed, by its hook or else here. */
export function canList(hooks: Hooks): boolean {
  return hooks.has('list') || hooks.parts.some(({ provider }) => isListed(provider));
}

async function listMachines(
  context: SecretReader,
  hooks: Hooks,
  input: HookInput,
): Promise<{ readonly items: readonly Listed[] } | NotKnown> {
  try {
    const items: Listed[] = [...(await hooks.ask('list', input)).items];
    for (const part of hooks.parts) {
      if (!isListed(part.provider) || part.hooks.has('list')) continue;
      const asked = await listInputOf(context, part, input);
      const listed = await listCluster(part.provider.type, asked);
      if ('failed' in listed) return listed;
      items.push(...listed.items.map((item) => ({ ...item, stopped: false, part })));
    }
    // Each version of a type lists all that has the tags.
    const each = new Map(items.map((item) => [JSON.stringify([item.kind, item.id, item.name]), item]));
    return { items: [...each.values()] };
  } catch (thrown) {
    if (!(thrown instanceof StageFailure)) throw thrown;
    const { message: failed, class: kind } = thrown.error;
    return { failed, ...(kind === 'credentials' && { needs: kind }) };
  }
}

/** In the account of the Secret, in the regions that the cluster has there or had. Throws `StageFailure`. */
export async function listInputOf(
  context: SecretReader,
  { provider, files: { template } }: TemplatePart,
  { cluster, provider: name }: HookInput,
): Promise<ListInput> {
  const fields =
    provider.secret === undefined ? {} : await loginValues(context, { provider, template }, provider.secret);
  const regions = knownStates(context).flatMap((state) =>
    dynamicPoolsOf(state, name).map(({ source }) => source.region),
  );
  return { fields, cluster, regions: [...new Set(regions)], bases: {} };
}
