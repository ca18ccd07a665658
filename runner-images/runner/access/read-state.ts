/** What Terraform knows of a cluster, for a person: read from the stored states, without Terraform, its plugins and any credentials. */
import { z } from 'zod';
import { type ReadState, StateAddress, type StateQuestion, shownAttributes } from '#contracts/state-reading.ts';
import { closedText, observedLine } from '#domain/observed/closed-texts.ts';
import { workspaceStateKey } from '#rendering/terraform-names.ts';
import type { AnswerContext } from '../answer-question.ts';
import { StageFailure } from '../stage-failure.ts';
import { erroredKey } from '../terraform/state/errored-state.ts';
import { readToolJson, readToolValue, type ToolAnswer } from '../tool-answer.ts';

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
export const StateFile = z.object({
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

/** Throws `StageFailure` when a state cannot be read, or has no such resource. */
export async function readState(question: StateQuestion, { ports }: AnswerContext): Promise<ReadState> {
  const { address, workspaces } = question;
  const read = await Promise.all(
    workspaces.map(async (workspace) => {
      const key = workspaceStateKey({ ...question, clusterId: question.cluster, workspace });
      const [text, waiting] = await Promise.all([key, erroredKey(key)].map((one) => ports.artifacts.getText(one)));
      const about = { tool: 'terraform', what: `the state ${workspace}`, resource: workspace };
      const state = text === undefined ? undefined : readToolJson(StateFile, text, about);
      const resources = state === undefined ? [] : rowsOf(state, address, about);
      return { workspace, serial: state?.serial ?? null, waits: waiting !== undefined, resources };
    }),
  );
  if (address === undefined) return { workspaces: read };
  const found = read.filter(({ resources }) => resources.length > 0);
  if (found.length === 0) throw unknownAddress(address);
  return { workspaces: found };
}

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

function asciiOnly(text: string): string {
  return text.replaceAll(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function shownOf(attributes: z.infer<typeof Attributes>): NonNullable<Row['attributes']> {
  const pairs = shownAttributes.flatMap((name) => (attributes[name] ? [[name, attributes[name]] as const] : []));
  return Object.fromEntries(pairs);
}

function unknownAddress(address: string): StageFailure {
  return new StageFailure({
    class: 'user',
    code: 'ResourceUnknown',
    message: `No Terraform state of the cluster has the resource ${address}.`,
    hint: '`kubeloom state list CLUSTER` shows their addresses.',
  });
}
