/** The platform in the background: start, status, stop, reset. */
import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import type { OidcOptions } from 'aws-on-loopback/api-gateway/oidc-issuer.ts';
import { isAlive } from 'aws-on-loopback/codebuild/process-group.ts';
import { type PlatformFile, readPlatformFile } from './data-directory.ts';
import { removeAllHosts } from './hosts-helper.ts';
import type { RunnerKind } from './product.ts';

const server = fileURLToPath(new URL('server.ts', import.meta.url));

/** Collecting garbage sooner costs no time that can be measured and keeps a hundred runs at once at 300 MB instead of 400. */
const platformNodeOptions = ['--max-semi-space-size=4', '--heap-growing-percent=100'] as const;

export interface UpOptions {
  readonly dataDir: string;
  /** 0: any. @default 7700 */
  readonly apiPort?: number;
  readonly runner: RunnerKind;
  readonly tickSeconds?: number;
  /** Starts although a store is lost. @default false */
  readonly acceptLoss?: boolean;
  /** Issuer whose tokens are accepted in addition to the platform's own. */
  readonly oidc?: OidcOptions;
}

/** Starts it, or finds it running; returns when its API answers. Throws with its error when it does not start. */
export async function up(options: UpOptions): Promise<PlatformFile> {
  const running = await answering(options.dataDir);
  if (running && running.runner !== options.runner)
    throw new Error(`the platform runs with the ${running.runner} runner; stop it first: kubeloom local down`);
  if (running && options.oidc && !isDeepStrictEqual(running.oidc, options.oidc))
    throw new Error('the platform runs with another OIDC issuer or audience; stop it first: kubeloom local down');
  if (running) return running;
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  const logFile = join(options.dataDir, 'platform.log');
  const log = await open(logFile, 'a', 0o600);
  const child = fork(
    server,
    [
      ...['--data-dir', resolve(options.dataDir), '--runner', options.runner],
      ...(options.acceptLoss ? ['--accept-loss'] : []),
      ...(options.oidc ? ['--oidc-issuer', options.oidc.issuer] : []),
      ...(options.oidc ? ['--oidc-audience', options.oidc.audiences.join(',')] : []),
      ...['--api-port', String(options.apiPort ?? 7700), '--tick-seconds', String(options.tickSeconds ?? 300)],
    ],
    {
      detached: true,
      stdio: ['ignore', log.fd, log.fd, 'ipc'],
      execArgv: [...platformNodeOptions],
    },
  );
  const fault = await new Promise<string | undefined>((done) => {
    child.once('message', (message: { failed?: string }) => done(message.failed));
    child.once('error', (error) => done(error.message));
    child.once('exit', (code) => done(`it ended with code ${code}; see ${logFile}`));
  });
  await log.close();
  if (child.connected) child.disconnect();
  child.unref();
  const started = await status(options.dataDir);
  if (fault !== undefined || !started) throw new Error(`the platform did not start: ${fault ?? `see ${logFile}`}`);
  return started;
}

/**
 * The platform of a directory that answers. One that was just killed still has its process for a moment: it is waited for
 * until it is gone.
 */
async function answering(dataDir: string, limitMs = 15_000): Promise<PlatformFile | undefined> {
  for (const end = performance.now() + limitMs; ; await pause(25)) {
    const running = await status(dataDir);
    if (!running) return undefined;
    const signal = AbortSignal.timeout(Math.max(1, Math.ceil(end - performance.now())));
    const answer = await fetch(`${running.apiUrl}/v1/health`, { signal }).catch(() => undefined);
    if (answer) return running;
    if (performance.now() >= end)
      throw new Error(
        `the platform has process ${running.pid} but does not answer at ${running.apiUrl}; end that process`,
      );
  }
}

/** The platform of that directory; undefined when none is running. */
export function status(dataDir: string): Promise<PlatformFile | undefined> {
  return readPlatformFile(dataDir);
}

/** The problem of the platform as a sentence; undefined when the platform is healthy. */
export async function troubleOf({ apiUrl }: PlatformFile): Promise<string | undefined> {
  const answer = await fetch(`${apiUrl}/v1/health`, { signal: AbortSignal.timeout(10_000) }).catch(() => undefined);
  if (answer?.ok) return undefined;
  if (!answer) return `it does not answer at ${apiUrl}`;
  const { detail } = (await answer.json().catch(() => ({}))) as { readonly detail?: string };
  return detail ?? `it answers ${answer.status}`;
}

/** Stops it and waits until it is gone; false when none was running. Builds get their grace. */
export async function down(dataDir: string, limitMs = 45_000): Promise<boolean> {
  const running = await status(dataDir);
  if (!running) return false;
  process.kill(running.pid, 'SIGTERM');
  const end = performance.now() + limitMs;
  while (isAlive(running) && performance.now() < end) await pause(25);
  if (isAlive(running)) {
    process.kill(running.pid, 'SIGKILL');
    while (isAlive(running)) await pause(25);
  }
  return true;
}

/** Stops it, removes the hosts that it created, then all its data. Throws for a directory that is not one of a platform. */
export async function resetInstallation(dataDir: string): Promise<void> {
  await down(dataDir);
  if (!existsSync(dataDir)) return;
  if (!existsSync(join(dataDir, 'token')) && !existsSync(join(dataDir, 'lock')))
    throw new Error(`${dataDir} is not the directory of a platform; nothing was removed`);
  await removeAllHosts(process.env.KUBELOOM_HOSTS_DIR ?? join(dataDir, 'hosts'));
  await rm(dataDir, { recursive: true, force: true });
}
