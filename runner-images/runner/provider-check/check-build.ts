/** A build that tries credentials: from the request that the API left to the result; no value of a Secret is in it. */
import { setTimeout as pause } from 'node:timers/promises';
import { CheckRequest, type CheckResult, checkKeys, checkLimitMs } from '#contracts/provider-check.ts';
import type { RunnerPorts } from '#functions/rights/runner-rights.ts';
import { runCheck } from './check-request.ts';
import { type CheckFinding, unreported } from './finding.ts';

type Ports = RunnerPorts<'secrets.get'>;
type Look = (request: CheckRequest) => Promise<readonly CheckFinding[]>;

export interface CheckBuildOptions {
  readonly signal: AbortSignal;
  /** `templates/` */
  readonly templatesDirectory: string;
  /** @default 5 min */
  readonly limitMs?: number;
}

/** Asks the cloud. Returns false, and leaves no result, when it was stopped. Throws without a request. */
export function runCheckBuild(prefix: string, ports: Ports, options: CheckBuildOptions): Promise<boolean> {
  const { templatesDirectory } = options;
  return leaveResult(prefix, ports, options, (request) =>
    runCheck(request, {
      ...{ secrets: ports.secrets, templatesDirectory },
      installation: ports.config.KUBELOOM_INSTALLATION,
    }),
  );
}

/** Asks nobody, and says so. */
export function simulateCheckBuild(prefix: string, ports: Ports, signal: AbortSignal): Promise<boolean> {
  const nothing: Look = async ({ type }) => [unreported('identity', type, 'simulated: nothing was asked')];
  return leaveResult(prefix, ports, { signal }, nothing);
}

async function leaveResult(
  prefix: string,
  { artifacts, clock }: Ports,
  { signal, limitMs = checkLimitMs }: Pick<CheckBuildOptions, 'signal' | 'limitMs'>,
  look: Look,
): Promise<boolean> {
  const startedAt = clock.now().toISOString();
  const text = await artifacts.getText(checkKeys.request(prefix));
  if (text === undefined)
    throw new Error(`there is no request under ${prefix}: was it removed while the build waited?`);
  const request = CheckRequest.parse(JSON.parse(text));
  const end = new AbortController();
  const found = await Promise.race([
    look(request),
    pause(limitMs, [tooLong(request, limitMs)], { signal: AbortSignal.any([signal, end.signal]) }).catch(
      () => undefined,
    ),
  ]).finally(() => end.abort());
  if (found === undefined) return false;
  const endedAt = clock.now().toISOString();
  const result: CheckResult = { schema: 1, startedAt, endedAt, findings: [...found] };
  await artifacts.putText(checkKeys.result(prefix), JSON.stringify(result), 'application/json');
  return true;
}

const tooLong = ({ type }: CheckRequest, limitMs: number): CheckFinding =>
  unreported('identity', type, `did not tell within ${Math.round(limitMs / 60_000)} minutes`);
