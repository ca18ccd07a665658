/** The program inside the runner images: one stage, check of credentials or question to a repository, from its environment to its result; exit code 0 when it succeeded. */
import { fileURLToPath } from 'node:url';
import { CheckEnvironment } from '#contracts/provider-check.ts';
import { StageEnvironment } from '#contracts/stage.ts';
import { LookupEnvironment } from '#contracts/template-lookup.ts';
import { wire } from '#functions/wire.ts';
import { runStage } from './run-stage.ts';
import { stageTools } from './stage-tools.ts';

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

// Whoever read along may be gone; that is no reason to leave a stage half done.
process.stdout.on('error', () => undefined);

// Without this, a failure before the stage begins would be heard by nobody and look like success.
const check = CheckEnvironment.safeParse(process.env).data;
const lookup = LookupEnvironment.safeParse(process.env).data;
const ok = await work().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return false;
});
process.exit(ok ? 0 : 1);

function work(): Promise<boolean> {
  if (check !== undefined) return tryCredentials(check.KUBELOOM_CHECK);
  return lookup === undefined ? stage() : askRepository(lookup.KUBELOOM_LOOKUP);
}

async function askRepository(prefix: string): Promise<boolean> {
  const { lookUpCommit } = await import('./terraform/git-lookup.ts');
  return lookUpCommit(prefix, wire());
}

async function tryCredentials(prefix: string): Promise<boolean> {
  const { runCheckBuild } = await import('./provider-check/check-build.ts');
  return runCheckBuild(prefix, wire(), { signal: stop.signal, templatesDirectory });
}

async function stage(): Promise<boolean> {
  const { ok } = await runStage(StageEnvironment.parse(process.env), wire(), {
    signal: stop.signal,
    crash: crash.signal,
    templatesDirectory,
    tools: stageTools,
    echo: (line) => process.stdout.write(`${line}\n`),
    ...(process.env.KUBELOOM_STAGE_MINUTES === undefined
      ? {}
      : { longestMinutes: Number(process.env.KUBELOOM_STAGE_MINUTES) }),
    ...(process.env.KUBELOOM_GRACE_MS === undefined ? {} : { graceMs: Number(process.env.KUBELOOM_GRACE_MS) }),
  });
  return ok;
}
