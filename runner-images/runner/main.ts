/** The program inside the runner images: one job from its environment to its result; exit code 0 when it succeeded. */
import { fileURLToPath } from 'node:url';
import { exitWithoutCredentials } from '#contracts/build-credentials.ts';
import { jobOf } from '#contracts/job.ts';
import type { AllRunnerPorts } from '#functions/rights/runner-rights.ts';
import { portsOf, wire } from '#functions/wire.ts';
import { answers } from './answers.ts';
import { NoCredentials, openCredentials } from './build-credentials.ts';
import { openCredentialsDoor } from './credentials-door.ts';
import { runJob } from './run-job.ts';
import { stageTools } from './stage-tools.ts';
import { drift } from './tools/drift.ts';

const templatesDirectory = process.env.KUBELOOM_TEMPLATES ?? fileURLToPath(new URL('../../templates', import.meta.url));
const stop = new AbortController();
const crash = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error) => {
    crash.abort(error instanceof Error ? error : new Error(String(error)));
    stop.abort();
  });
}

// The reader of the output may be gone; the stage still has to finish.
process.stdout.on('error', () => undefined);

// Without this, a failure before the job begins would look like success.
const code = await work().catch((error: unknown) => {
  if (error instanceof NoCredentials) {
    process.stderr.write(`${error.message}\n`);
    return exitWithoutCredentials;
  }
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return 1;
});
process.exit(code);

/** The ports with the credentials of this build's job; without a place to ask for them, with those of the environment. */
async function portsOfBuild(): Promise<AllRunnerPorts> {
  const url = process.env.KUBELOOM_CREDENTIALS_URL ?? '';
  if (url === '') return wire();
  const source = await openCredentials(url, process.env);
  await openCredentialsDoor(source, process.env);
  const credentials = async () => {
    const { expiresAt, ...keys } = await source();
    return { ...keys, expiration: new Date(expiresAt) };
  };
  return portsOf(process.env, { credentials });
}

async function work(): Promise<number> {
  const job = jobOf(process.env);
  const ok = await runJob(job, await portsOfBuild(), {
    signal: stop.signal,
    crash: crash.signal,
    templatesDirectory,
    tools: stageTools,
    drift,
    answers,
    echo: (line) => process.stdout.write(`${line}\n`),
    ...(process.env.KUBELOOM_STAGE_MINUTES === undefined
      ? {}
      : { longestMinutes: Number(process.env.KUBELOOM_STAGE_MINUTES) }),
    ...(process.env.KUBELOOM_GRACE_MS === undefined ? {} : { graceMs: Number(process.env.KUBELOOM_GRACE_MS) }),
    ...(process.env.KUBELOOM_STOP_POLL_MS === undefined
      ? {}
      : { stopPollMs: Number(process.env.KUBELOOM_STOP_POLL_MS) }),
  });
  return ok ? 0 : 1;
}
