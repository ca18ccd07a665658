/**
 * A state that Terraform could not save. It leaves it as `errored.tfstate` in its directory, which is removed with the build: so it is kept
 * next to the state, and pushed before anything is planned again. Until then no one plans: a plan would create the same machines twice.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { parseJson } from '#domain/json.ts';
import { closedText } from '#domain/observed/closed-texts.ts';
import { printableText } from '#domain/observed/printable-text.ts';
import { sameValue } from '#domain/same-value.ts';
import { counted, listed } from '#domain/words.ts';
import type { StageContext } from '../../stage-context.ts';
import { StageFailure } from '../../stage-failure.ts';
import type { TerraformCli } from '../cli/terraform-cli.ts';

/** Name that Terraform gives it. */
const left = 'errored.tfstate';

/** Key of the state that waits to be pushed. */
export const erroredKey = (stateKey: string): string => `${stateKey}.errored`;

/** Where a workspace works. */
export interface StatePlace {
  readonly directory: string;
  readonly stateKey: string;
}

type Around = Pick<StageContext, 'ports' | 'log' | 'emit'>;

/** Whether anything is known of a workspace: a state, or one that waits to be pushed. */
export async function stateExists({ ports }: Pick<StageContext, 'ports'>, stateKey: string): Promise<boolean> {
  const found = await Promise.all([stateKey, erroredKey(stateKey)].map((key) => ports.artifacts.getText(key)));
  return found.some((text) => text !== undefined);
}

/** Pauses in ms between tries to keep it: whatever refused Terraform may refuse us as well, for a while. */
const usualPauses = [500, 1000, 2000, 4000, 8000];

/**
 * Runs what changes the state. Where Terraform could not save it, it is kept, and the stage fails with class `platform`: the bucket is the
 * installation's, and what was created is not undone for it. Where the stage was stopped, its failure stays.
 */
export async function savingState(
  context: Around,
  place: StatePlace & { readonly pauses?: readonly number[] },
  change: () => Promise<void>,
): Promise<void> {
  try {
    await change();
  } catch (failure) {
    throw await keepErroredState(context, { pauses: usualPauses, ...place }, failure);
  }
}

/** Returns the failure that the stage ends with. */
async function keepErroredState(
  context: Around,
  { directory, stateKey, pauses }: StatePlace & { readonly pauses: readonly number[] },
  failure: unknown,
): Promise<unknown> {
  const file = join(directory, left);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return failure;
  const refusal = await keep(context, { stateKey, text, pauses });
  if (refusal !== undefined) return notKept(stateKey, text, failure, refusal);
  await rm(file, { force: true });
  const message = `Terraform could not save the state ${stateKey}: it is kept as ${erroredKey(stateKey)}, and pushed before the next plan`;
  context.emit({ kind: 'StateKept', message });
  if (!(failure instanceof StageFailure) || stopped.has(failure.error.code)) return failure;
  return new StageFailure(
    {
      ...failure.error,
      class: 'platform',
      message: `${message}. ${failure.error.message}`,
      resource: stateKey,
      hint: 'Kubeloom continues automatically, and nothing is lost. If it happens again: see whether the bucket of the installation accepts what runners write (its key, its policy, its quota).',
      retryable: false,
    },
    { cause: failure },
  );
}

/** Codes of stages that were stopped: what follows is decided by them. */
const stopped: ReadonlySet<string> = new Set(['StageCancelled', 'StageTooLong']);

/** Undefined when it is kept; else why not. */
async function keep(
  { ports, log }: Around,
  { stateKey, text, pauses }: { readonly stateKey: string; readonly text: string; readonly pauses: readonly number[] },
): Promise<string | undefined> {
  for (const ms of [...pauses, undefined]) {
    try {
      await ports.artifacts.putText(erroredKey(stateKey), text, 'application/json');
      return undefined;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      log.write('runner', `the state ${stateKey} cannot be kept: ${why}`);
      if (ms === undefined) return why;
      await pause(ms);
    }
  }
  return undefined;
}

/**
 * Pushes the state that an earlier build kept, if there is one. Throws `StateNotPushed` when Terraform cannot save it now either, or when
 * someone has written another state meanwhile: which of the two counts, a person decides.
 */
export async function pushErroredState(
  context: StageContext<'artifacts.remove'>,
  { directory, stateKey }: StatePlace,
  terraform: Pick<TerraformCli, 'push'>,
): Promise<void> {
  const { artifacts } = context.ports;
  const kept = await artifacts.getText(erroredKey(stateKey));
  if (kept === undefined) return;
  const decision = pushDecision(await artifacts.getText(stateKey), kept);
  if (decision === 'forked') throw forked(stateKey);
  if (decision === 'push') {
    const file = join(directory, 'kept.tfstate');
    await writeFile(file, kept, { mode: 0o600 });
    const { code, stderr } = await terraform.push(file);
    await rm(file, { force: true });
    if (code !== 0) throw notPushed(stateKey, stderr);
    context.emit({
      kind: 'StatePushed',
      message: `the state ${stateKey}, which an earlier build kept, is saved again`,
    });
  }
  await artifacts.remove(erroredKey(stateKey));
}

/** Throws `StateNotPushed` where one is kept: for those who may not write, and must not compare with a state that is too old. */
export async function refuseErroredState({ ports }: Pick<StageContext, 'ports'>, stateKey: string): Promise<void> {
  if ((await ports.artifacts.getText(erroredKey(stateKey))) === undefined) return;
  throw new StageFailure({
    class: 'platform',
    code: 'StateNotPushed',
    message: `The Terraform state ${stateKey} is older than what exists: a newer one waits as ${erroredKey(stateKey)}.`,
    resource: stateKey,
    hint: 'The next run of the manifest saves it: `kubeloom retry NAME`.',
  });
}

/** The part of a state that says which one is newer. */
const StateHead = z.object({ serial: z.number().int(), lineage: closedText(200, /^[\w-]*$/) });

/**
 * What happens to a kept state: it is pushed onto an older one of the same lineage, or onto nothing; it is done with where it was saved all
 * the same; else two states exist. One that cannot be read is Terraform's to judge.
 */
export function pushDecision(stored: string | undefined, kept: string): 'push' | 'saved' | 'forked' {
  if (stored === undefined) return 'push';
  const [there, ours] = [parseJson(stored), parseJson(kept)];
  if (sameValue(there, ours)) return 'saved';
  const [newest, mine] = [StateHead.safeParse(there), StateHead.safeParse(ours)];
  if (!newest.success || !mine.success) return 'push';
  return newest.data.lineage === mine.data.lineage && newest.data.serial < mine.data.serial ? 'push' : 'forked';
}

function notPushed(stateKey: string, stderr: string): StageFailure {
  const words = stderr.split('\n').map((line) => line.replace(/^[│╷╵\s]+/, '').trim());
  const cause = printableText(words.find(Boolean) ?? 'it printed nothing', 500);
  return new StageFailure({
    class: 'platform',
    code: 'StateNotPushed',
    message: `The Terraform state ${stateKey} of an earlier build, kept as ${erroredKey(stateKey)}, cannot be saved yet: ${cause}`,
    resource: stateKey,
    hint: 'Nothing is planned before that. See whether the bucket of the installation accepts what runners write (its key, its policy, its quota).',
  });
}

function forked(stateKey: string): StageFailure {
  const kept = erroredKey(stateKey);
  return new StageFailure({
    class: 'conflict',
    code: 'StateNotPushed',
    message: `Two Terraform states exist: ${stateKey}, which someone has written meanwhile, and ${kept}, which a build of Kubeloom could not save.`,
    resource: stateKey,
    hint: `Nothing is planned before you decide. Compare the resources of both objects. If ${kept} has what exists, copy it over ${stateKey}; if not, keep ${stateKey}. Then delete ${kept}, and retry.`,
  });
}

const Word = closedText(200, /^[\w-]+$/);

/** The resources by type and name, which are no secret: someone has to find them. */
const Resources = z.object({
  resources: z.array(z.object({ mode: Word.optional(), type: Word, name: Word })).max(10_000),
});

function notKept(stateKey: string, text: string, failure: unknown, refusal: string): StageFailure {
  const read = Resources.safeParse(parseJson(text));
  const managed = read.success ? read.data.resources.filter(({ mode }) => mode === 'managed') : [];
  const named = [...new Set(managed.map(({ type, name }) => `${type}.${name}`))];
  const what = named.length === 0 ? '' : ` It has ${counted(managed.length, 'resource')}: ${listed(named, 10)}.`;
  const first = failure instanceof Error ? failure.message : String(failure);
  return new StageFailure(
    {
      class: 'platform',
      code: 'StateNotKept',
      message: `Terraform could not save the state ${stateKey}, and the bucket refused to keep it for later: ${refusal}.${what} ${first}`,
      resource: stateKey,
      hint: 'What this build created is in no state. Correct the access of runners to the bucket of the installation, then run `kubeloom drift NAME`: it finds machines that no state knows.',
      retryable: false,
    },
    { cause: failure },
  );
}
