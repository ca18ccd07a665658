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
import { EnvironmentFaulty, limitsIn, type RunnerConfig, runnerConfig } from './runner-config.ts';
import { stageTools } from './stage-tools.ts';
import { drift } from './tools/drift.ts';

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
  if (error instanceof EnvironmentFaulty) {
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return 1;
});
process.exit(code);

/** The ports with the credentials of this build's job; without a place to ask for them, with those of the environment. */
async function portsOfBuild({ credentialsUrl: url }: RunnerConfig): Promise<AllRunnerPorts> {
  if (url === undefined) return wire();
  const source = await openCredentials(url, process.env);
  await openCredentialsDoor(source, process.env);
  const credentials = async () => {
    const { expiresAt, ...keys } = await source();
    return { ...keys, expiration: new Date(expiresAt) };
  };
  return portsOf(process.env, { credentials });
}

async function work(): Promise<number> {
  const runner = runnerConfig(process.env);
  const job = jobOf(process.env);
  const ok = await runJob(job, await portsOfBuild(runner), {
    ...limitsIn(runner),
    runner,
    signal: stop.signal,
    crash: crash.signal,
    templatesDirectory: runner.templates ?? fileURLToPath(new URL('../../templates', import.meta.url)),
    tools: stageTools,
    drift,
    answers,
    echo: (line) => process.stdout.write(`${line}\n`),
  });
  return ok ? 0 : 1;
}
