/** A Terraform state that is gone although its machines are known: a destroy would succeed, but they would keep running and cost money. */
import { z } from 'zod';
import { allNodes } from '#domain/cluster-state.ts';
import { observedWords } from '#domain/observed/closed-texts.ts';
import { counted, listed } from '#domain/words.ts';
import { knownStates, type StageContext } from '../../stage-context.ts';
import { StageFailure } from '../../stage-failure.ts';
import { readToolJson } from '../../tool-answer.ts';

/** The workspace in question: of machines or of DNS records, and the provider instance it is of. */
interface LostWorkspace {
  readonly kind: 'machines' | 'dns';
  readonly name: string;
}

const Destroyed = z.object({ nodes: z.array(observedWords(253)) });

/** Where it is noted which machines of a state were destroyed; below `runs/`, where notes expire. */
const noteOf = (stateKey: string): string => `runs/destroyed/${stateKey}.json`;

/** Throws `StateLost` unless all machines that are known were destroyed with the state, or are orphaned. */
export async function refuseLostState(context: StageContext, job: LostWorkspace, stateKey: string): Promise<void> {
  const note = await context.ports.artifacts.getText(noteOf(stateKey));
  const settled = new Set([
    ...(note === undefined
      ? []
      : readToolJson(Destroyed, note, { tool: 'the runner', what: `its note ${noteOf(stateKey)}` }).nodes),
    ...(context.plan.stage === 'infrastructure' ? (context.plan.work.orphan ?? []) : []),
  ]);
  const { nodes } = context.facts.current;
  const machines = nodesOf(context, job).filter(
    (name) => nodes[name]?.publicAddress !== undefined && !settled.has(name),
  );
  if (machines.length === 0) return;
  const found = machines.map((name) => `${name} (${nodes[name]?.publicAddress})`);
  throw new StageFailure({
    class: 'user',
    code: 'StateLost',
    message:
      `The Terraform state ${stateKey} is gone, but ${counted(machines.length, 'machine')} of provider ${job.name} ` +
      `${machines.length === 1 ? 'is' : 'are'} known: ${listed(found, 20)}. Without the state Terraform cannot delete them.`,
    hint:
      'Restore that object from a backup or from an earlier version of the bucket, then retry. Or delete the machines ' +
      'yourself and make Kubeloom forget them: delete the manifest with `--orphan` and their names, or `--orphan all`.',
  });
}

/** Notes, before the state is removed, that its machines are gone: an attempt that is repeated finds no state. */
export async function noteDestroyed(context: StageContext, job: LostWorkspace, stateKey: string): Promise<void> {
  const note = JSON.stringify({ nodes: nodesOf(context, job) });
  await context.ports.artifacts.putText(noteOf(stateKey), note, 'application/json');
}

/** Names of all machines that the workspace may have. */
function nodesOf(context: StageContext, { kind, name }: LostWorkspace): readonly string[] {
  if (kind !== 'machines') return [];
  const all = knownStates(context).flatMap(allNodes);
  const own = all.filter(({ pool: { source } }) => source.kind === 'dynamic' && source.provider.name === name);
  return [...new Set(own.map(({ node }) => node.name))];
}
