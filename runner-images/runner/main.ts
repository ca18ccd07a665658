/** The program inside the runner images: one job from its environment to its result; exit code 0 when it succeeded. */
import { fileURLToPath } from 'node:url';
import { jobOf } from '#contracts/job.ts';
import { wire } from '#functions/wire.ts';
import { answers } from './answers.ts';
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
const ok = await work().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return false;
});
process.exit(ok ? 0 : 1);

async function work(): Promise<boolean> {
  return runJob(jobOf(process.env), wire(), {
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
}
