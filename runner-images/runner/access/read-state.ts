/** What Terraform knows of a cluster, for a person: read from the stored states, without Terraform, its plugins and any credentials. */
import type { ReadState, StateQuestion } from '#contracts/state-reading.ts';
import { workspaceStateKey } from '#rendering/terraform-names.ts';
import type { AnswerContext } from '../answer-question.ts';
import { StageFailure } from '../stage-failure.ts';
import { erroredKey } from '../terraform/state/errored-state.ts';
import { storedState } from '../terraform/state/stored-state.ts';

/** Throws `StageFailure` when a state cannot be read, or has no such resource. */
export async function readState(question: StateQuestion, { ports }: AnswerContext): Promise<ReadState> {
  const { address, workspaces } = question;
  const read = await Promise.all(
    workspaces.map(async (workspace) => {
      const place = { ...question, clusterId: question.cluster, workspace };
      const [state, waiting] = await Promise.all([
        storedState(ports, place),
        ports.artifacts.getText(erroredKey(workspaceStateKey(place))),
      ]);
      const resources = state?.rows(address) ?? [];
      return { workspace, serial: state?.serial ?? null, waits: waiting !== undefined, resources };
    }),
  );
  if (address === undefined) return { workspaces: read };
  const found = read.filter(({ resources }) => resources.length > 0);
  if (found.length === 0) throw unknownAddress(address);
  return { workspaces: found };
}

function unknownAddress(address: string): StageFailure {
  return new StageFailure({
    class: 'user',
    code: 'ResourceUnknown',
    message: `No Terraform state of the cluster has the resource ${address}.`,
    hint: '`kubeloom state list CLUSTER` shows their addresses.',
  });
}
