/** Errors that our own program throws and that are not its fault: the machine that it runs on, and services of the installation. Pure. */
import { isPipelineError } from '#domain/errors.ts';
import type { Meaning } from './cause-row.ts';

const exhausted = new Set(['ENOSPC', 'EDQUOT', 'ENOMEM', 'EMFILE', 'ENFILE', 'EROFS', 'EIO']);
const unreachable = new Set([
  ...['ECONNRESET', 'ECONNREFUSED', 'ECONNABORTED', 'ETIMEDOUT', 'EAI_AGAIN', 'ENOTFOUND', 'EPIPE', 'ENETUNREACH'],
  ...['EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'],
]);
/** Causes of causes that are looked into. */
const deepest = 5;

/** What it means; undefined for everything else, which is a fault of Kubeloom. */
export function runnerMeaning(thrown: unknown): (Meaning & { readonly code: string }) | undefined {
  let error = thrown;
  for (let depth = 0; depth < deepest && error instanceof Error; depth += 1) {
    const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
    if (exhausted.has(code)) {
      return {
        class: 'platform',
        code: 'RunnerExhausted',
        hint: 'The machine that runs the stage has no disk, memory or open files left: give the runner more. The cluster is not the cause.',
      };
    }
    const status = statusOf(error);
    if (unreachable.has(code) || status >= 500 || status === 429 || isPipelineError(error, 'ServiceUnavailable')) {
      return {
        class: 'platform',
        code: 'ServiceUnreachable',
        hint: 'A service that Kubeloom itself runs on did not answer the runner. Kubeloom continues after a pause; if it stays, check the network of the runner and the state of the service.',
      };
    }
    error = error.cause;
  }
  return undefined;
}

/** As the SDK of AWS throws it; 0 for other errors. */
function statusOf(error: Error & { readonly $metadata?: { readonly httpStatusCode?: unknown } }): number {
  return Number(error.$metadata?.httpStatusCode ?? 0);
}
