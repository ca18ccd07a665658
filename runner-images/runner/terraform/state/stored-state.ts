/** A Terraform state as it is stored: its resources by their addresses, and of their values only what identifies them. */
import { z } from 'zod';
import { type ReadState, StateAddress, shownAttributes } from '#contracts/state-reading.ts';
import { closedText, observedLine } from '#domain/observed/closed-texts.ts';
import type { RunnerPorts } from '#functions/rights/runner-rights.ts';
import { workspaceStateKey } from '#rendering/terraform-names.ts';
import { readToolJson, readToolValue, type ToolAnswer } from '../../tool-answer.ts';

const Name = closedText(200, /^[\w-]+$/);
/** Only what is shown is read; of another form, it counts as not there. */
const Shown = z
  .union([observedLine(500).transform(asciiOnly), z.number().transform(String), z.boolean().transform(String)])
  .optional()
  .catch(undefined);
const Attributes = z.object(Object.fromEntries(shownAttributes.map((name) => [name, Shown])));
const Instance = z.object({
  index_key: z.union([z.int(), observedLine(500)]).optional(),
  status: Name.optional(),
  attributes: Attributes.nullish(),
});
/** Version 4, which Terraform has written since 0.12. */
const StateFile = z.object({
  version: z.literal(4),
  serial: z.int(),
  resources: z
    .array(
      z.object({
        module: StateAddress.optional(),
        mode: z.enum(['managed', 'data']),
        type: Name,
        name: Name,
        instances: z.array(Instance).default([]),
      }),
    )
    .default([]),
});
type StateFile = z.infer<typeof StateFile>;
type Row = ReadState['workspaces'][number]['resources'][number];

/** All resources of a state, or the one with its attributes. */
function rowsOf({ resources }: StateFile, wanted: string | undefined, about: ToolAnswer): Row[] {
  return resources.flatMap(({ module, mode, type, name, instances }) =>
    instances.flatMap(({ index_key: index, status, attributes }) => {
      const place = [module, mode === 'data' ? 'data' : undefined, type, name].filter((part) => part !== undefined);
      const key = index === undefined ? '' : `[${asciiOnly(JSON.stringify(index))}]`;
      const address = readToolValue(StateAddress, `${place.join('.')}${key}`, about);
      if (wanted !== undefined && wanted !== address) return [];
      const shown = shownOf(attributes ?? {});
      const id = shown.id;
      return [
        {
          address,
          ...(id !== undefined && { id }),
          ...(status === 'tainted' && { tainted: true }),
          ...(wanted !== undefined && { attributes: shown }),
        },
      ];
    }),
  );
}

export interface StoredState {
  readonly serial: number;
  /** All of its instances, or the one of this address with what identifies it. */
  rows(address?: string): Row[];
  readonly text: string;
}

/** Undefined without one. Throws `StageFailure` when it cannot be read. */
export async function storedState(
  { artifacts }: Pick<RunnerPorts, 'artifacts'>,
  place: Parameters<typeof workspaceStateKey>[0],
): Promise<StoredState | undefined> {
  const text = await artifacts.getText(workspaceStateKey(place));
  if (text === undefined) return undefined;
  const { workspace } = place;
  const about = { tool: 'terraform', what: `the state ${workspace}`, resource: workspace };
  const state = readToolJson(StateFile, text, about);
  return { serial: state.serial, rows: (address) => rowsOf(state, address, about), text };
}

function asciiOnly(text: string): string {
  return text.replaceAll(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function shownOf(attributes: z.infer<typeof Attributes>): NonNullable<Row['attributes']> {
  const pairs = shownAttributes.flatMap((name) => (attributes[name] ? [[name, attributes[name]] as const] : []));
  return Object.fromEntries(pairs);
}
