/**
 * A lock that a dead runner left on a Terraform state.
 *
 * Only one runner at a time may work on a cluster: the run's lease is fenced, and builds that no one waits for have ended
 * before the next one starts. So a lock found at the start of a stage is a dead one, if it is ours at all: the runner
 * notes next to the state whose lock it is going to be, and the lock is left alone while that build still runs, or may: of a
 * build that CodeBuild does not know, as after a restore elsewhere, until no build can have run for so long. A person's
 * lock is never touched. On the machine where it was taken the owner's Terraform may have outlived its runner (kill -9):
 * it is interrupted first.
 */
import { readdir, readFile, readlink } from 'node:fs/promises';
import { hostname, userInfo } from 'node:os';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { closedText, observedWords } from '#domain/observed/closed-texts.ts';
import type { StageContext } from '../../stage-context.ts';
import { StageFailure } from '../../stage-failure.ts';
import { readToolJson } from '../../tool-answer.ts';

const LockRecord = z.object({
  ID: closedText(100, /^\w[\w-]*$/),
  Who: observedWords(500).default(''),
  Created: z.coerce.date().optional(),
});
type LockRecord = z.infer<typeof LockRecord>;
const OwnerRecord = z.object({ who: observedWords(500), waypoint: observedWords(1000), build: observedWords(300) });
export type OwnerRecord = z.infer<typeof OwnerRecord>;

/** Terraform processes carry it in their environment, so that a later runner on this machine finds them. */
export const stateKeyVariable = 'KUBELOOM_STATE_KEY';

/** A build may wait 90 minutes for its turn and run for two hours. */
const longestBuildHours = 3.5;

type Around = Pick<StageContext<'builds.status'>, 'ports' | 'log' | 'signal'>;

/** As Terraform names itself in `Who`: without a user where the system knows none, as for ids that a platform makes up. */
export function selfInLocks(user: () => { readonly username: string } = userInfo): string {
  return `${userName(user)}@${hostname()}`;
}

function userName(user: () => { readonly username: string }): string {
  try {
    return user().username;
  } catch {
    return '';
  }
}

/** True when the lock was taken by a runner of ours, according to the note next to the state. */
function isOurLock(lock: { readonly Who: string }, owner: OwnerRecord | undefined): boolean {
  return owner !== undefined && lock.Who === owner.who;
}

/**
 * Frees the state of a lock of ours whose owner is dead, and notes that the next lock is this runner's. A note is not replaced while its
 * build runs: the lock of that one would look foreign.
 */
export async function takeOverState(
  around: Around,
  stateKey: string,
  owner: OwnerRecord,
  forceUnlock: (id: string) => Promise<void>,
): Promise<void> {
  const { artifacts } = around.ports;
  const [lock, previous] = await Promise.all([
    documentAt(around, `${stateKey}.tflock`, LockRecord),
    documentAt(around, `${stateKey}.owner`, OwnerRecord),
  ]);
  if (lock && !isOurLock(lock, previous)) throw foreignLock(stateKey, lock);
  if (previous && previous.build !== owner.build && isBuildId(previous.build))
    await refuseInUse(around, stateKey, { build: previous.build, lock });
  if (lock) {
    await stopSurvivors(around, stateKey);
    if ((await artifacts.getText(`${stateKey}.tflock`)) !== undefined) {
      around.log.write(
        'runner',
        `freeing the lock ${lock.ID} that the dead build ${previous?.build} left on ${stateKey}`,
      );
      await forceUnlock(lock.ID);
    }
  }
  await artifacts.putText(`${stateKey}.owner`, JSON.stringify(owner), 'application/json');
}

/** Throws `StateInUse` unless the build is known to be dead, or has left no lock and is not known. */
async function refuseInUse(
  { ports: { builds, clock } }: Around,
  stateKey: string,
  { build, lock }: { readonly build: string; readonly lock: LockRecord | undefined },
): Promise<void> {
  const status = await builds.status(build).catch((cause: unknown) => {
    throw unseenBuild(stateKey, build, cause);
  });
  if (status === 'running') throw stateInUse(stateKey, build);
  if (!lock || status === 'ended') return;
  const age = clock.now().getTime() - (lock.Created?.getTime() ?? Number.POSITIVE_INFINITY);
  if (age < longestBuildHours * 3_600_000) throw lockOfUnknown(stateKey, build, lock.ID);
}

async function documentAt<Schema extends z.ZodType>(
  { ports }: Around,
  key: string,
  schema: Schema,
): Promise<z.infer<Schema> | undefined> {
  const text = await ports.artifacts.getText(key);
  return text === undefined ? undefined : readToolJson(schema, text, { tool: 'terraform', what: `the note ${key}` });
}

/** Names who holds the lock that Terraform could not get; a lock that no one holds is reported as what it is. */
export async function explainingLock<Result>(
  around: Around,
  stateKey: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (failure) {
    throw await explained(around, stateKey, failure);
  }
}

async function explained(around: Around, stateKey: string, failure: unknown): Promise<unknown> {
  if (!(failure instanceof StageFailure) || !/acquiring the state lock/i.test(failure.error.message)) return failure;
  // Not readable: what Terraform said is all that is known.
  const unknown = Symbol('unknown');
  const lock = await documentAt(around, `${stateKey}.tflock`, LockRecord).catch(() => unknown);
  if (typeof lock === 'symbol') return failure;
  if (lock !== undefined) return lock.Who === selfInLocks() ? failure : foreignLock(stateKey, lock);
  // It was held when Terraform asked, and is free by now.
  return /lock info:/i.test(failure.error.message) ? failure : lockRefused(stateKey, failure);
}

function lockRefused(stateKey: string, failure: StageFailure): StageFailure {
  const [words = ''] = failure.error.message.split(/Terraform acquires a (?:state )?lock/);
  return new StageFailure(
    {
      class: 'platform',
      code: failure.error.code,
      message: `No one holds the lock of the Terraform state ${stateKey}: the bucket of the installation did not take it. ${words.trim()}`,
      resource: stateKey,
      hint: 'There is no lock to free. The bucket has to accept what runners write below terraform/ (conditional writes, its policy, its key).',
      retryable: false,
    },
    { cause: failure },
  );
}

/** Removes state, lock and note of a workspace that has nothing left. */
export async function removeState(
  { ports }: Pick<StageContext<'artifacts.remove'>, 'ports'>,
  stateKey: string,
): Promise<void> {
  for (const key of [stateKey, `${stateKey}.tflock`, `${stateKey}.owner`]) await ports.artifacts.remove(key);
}

/** Id of the CodeBuild build: project and number. A runner that was started by hand has no id. */
function isBuildId(build: string): boolean {
  return /^[\w-]+:[\w-]+$/.test(build);
}

function stateInUse(stateKey: string, build: string): StageFailure {
  return new StageFailure({
    class: 'conflict',
    code: 'StateInUse',
    message: `The build ${build} of Kubeloom, which still runs, works on the Terraform state ${stateKey}.`,
    hint: 'If that build never ends, stop it in CodeBuild, then retry.',
  });
}

function unseenBuild(stateKey: string, build: string, cause: unknown): StageFailure {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new StageFailure(
    {
      class: 'conflict',
      code: 'StateInUse',
      message: `CodeBuild did not say whether the build ${build} still works on the Terraform state ${stateKey}: ${why}`,
      hint: 'If it stays, check whether CodeBuild works in this region.',
    },
    { cause },
  );
}

function lockOfUnknown(stateKey: string, build: string, lock: string): StageFailure {
  return new StageFailure({
    class: 'conflict',
    code: 'StateInUse',
    message: `The Terraform state ${stateKey} is locked by the build ${build} of Kubeloom, which CodeBuild does not know here: it may run in another account or region.`,
    hint: `Kubeloom frees the lock ${longestBuildHours} hours after it was taken. If nothing works on the state, free it with \`terraform force-unlock ${lock}\`, then retry.`,
  });
}

function foreignLock(stateKey: string, lock: LockRecord): StageFailure {
  return new StageFailure({
    class: 'conflict',
    code: 'StateLocked',
    message: `The Terraform state ${stateKey} is locked by ${lock.Who || 'someone'} (lock ${lock.ID}), which is not a build of Kubeloom.`,
    hint: 'Wait until they are done. If no one works on it, free the lock with `force-unlock`, then retry.',
  });
}

/** Interrupts Terraform processes of this state that lost their runner; kills their group when they do not end. */
async function stopSurvivors({ log, signal }: Around, stateKey: string): Promise<void> {
  const survivors = await terraformProcessesOf(stateKey);
  if (survivors.length === 0) return;
  log.write(
    'runner',
    `Terraform of a dead build still works on ${stateKey} (${survivors.join(', ')}): interrupting it`,
  );
  for (const pid of survivors) send(pid, 'SIGINT');
  for (let waited = 0; waited < 60 && !signal.aborted; waited += 1) {
    if ((await terraformProcessesOf(stateKey)).length === 0) return;
    await pause(500);
  }
  for (const pid of await terraformProcessesOf(stateKey)) send(-pid, 'SIGKILL');
}

async function terraformProcessesOf(stateKey: string): Promise<readonly number[]> {
  const pids = (await readdir('/proc').catch(() => [])).map(Number).filter(Number.isInteger);
  const found: number[] = [];
  for (const pid of pids) {
    const program = basename(await readlink(`/proc/${pid}/exe`).catch(() => ''));
    if (!/^(terraform|tofu)/.test(program)) continue;
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
    if (environment.split('\0').includes(`${stateKeyVariable}=${stateKey}`)) found.push(pid);
  }
  return found;
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}
