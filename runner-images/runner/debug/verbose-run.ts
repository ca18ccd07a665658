/**
 * How tools are run for `retry --debug`: with more words in the log, and with the same words for all that reads them. The levels are the highest
 * at which a tool prints no request, answer or state as a whole: those have values that no mask knows, such as a password that a cloud has just
 * made. So it is not TF_LOG=DEBUG (values of sensitive variables and the state, in clear), not -vvvv, and not -v=8 of kubectl (bodies).
 */
import { randomBytes } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobContext } from '../job-frame.ts';
import type { Command, CommandResult, VerboseTool } from '../process.ts';
import { ownWordsOfAnsible, ownWordsOfKubectl, ownWordsOfKubeOne } from './own-words.ts';

type Frame = Pick<JobContext, 'run' | 'log' | 'workDirectory'>;
type Run = JobContext['run'];

const options = {
  ansible: { flag: '-vvv', ownWords: ownWordsOfAnsible },
  kubeone: { flag: '--verbose', ownWords: ownWordsOfKubeOne },
  kubectl: { flag: '-v=6', ownWords: ownWordsOfKubectl },
} as const satisfies Record<Exclude<VerboseTool, 'terraform'>, unknown>;

/** Bytes of Terraform's log that are read: more than a log of a stage keeps. */
const longestLog = 4_000_000;

/** Runs a command of a tool that says more; all other commands as ever. */
export function verboseRun(frame: Frame): Run {
  return (command) => {
    if (command.tool === undefined) return frame.run(command);
    if (command.tool === 'terraform') return withLogFile(frame, command);
    return withFlag(frame, command, options[command.tool]);
  };
}

async function withFlag(
  { run }: Frame,
  command: Command,
  { flag, ownWords }: (typeof options)[keyof typeof options],
): Promise<CommandResult> {
  // After `--` it would be an option of a command on another machine.
  const end = command.args.indexOf('--');
  const args = command.args.toSpliced(end < 0 ? command.args.length : end, 0, flag);
  const result = await run({ ...command, args });
  return { ...result, stdout: ownWords(result.stdout), stderr: ownWords(result.stderr) };
}

/** A file of its own keeps Terraform's log apart from what it says. It is logged when the command ends, also if that was stopped. */
async function withLogFile({ run, log, workDirectory }: Frame, command: Command): Promise<CommandResult> {
  const file = join(workDirectory, `terraform-${randomBytes(8).toString('hex')}.log`);
  try {
    const environment = { ...command.environment, TF_LOG: 'INFO', TF_LOG_PATH: file };
    return await run({ ...command, environment });
  } finally {
    for (const line of (await endOf(file)).split('\n')) if (line !== '') log.write(`${command.label} log`, line);
    await rm(file, { force: true });
  }
}

/** Whole lines at the end of a file, as much as is read of it; '' when there is no file. */
async function endOf(file: string): Promise<string> {
  const handle = await open(file).catch(() => undefined);
  if (handle === undefined) return '';
  try {
    const { size } = await handle.stat();
    const from = Math.max(0, size - longestLog);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - from), 0, size - from, from);
    const text = buffer.toString('utf8', 0, bytesRead);
    // A part of a line may end inside of a secret, which no mask knows then.
    return from === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } finally {
    await handle.close();
  }
}
