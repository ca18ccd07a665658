/** The console of an installation elsewhere, served on this machine with the credentials of the caller. */

import { signerFor } from '#client/send-request.ts';
import type { AsCaller } from '#local/console/console-proxy.ts';
import { isClone, needsClone } from './clone.ts';
import { cliClient } from './connection/api-client.ts';
import { forPerson } from './connection/api-problem.ts';
import { type CliConnection, currentContextLine, findConnection, usedContext } from './connection/connection.ts';
import { asSentence, CliError, exitCodes } from './exit-codes.ts';
import { whenInterrupted } from './interrupt.ts';
import { note } from './print/output.ts';

export interface ConsoleHere {
  readonly url: string;
  readonly code: string;
  /** For which the code works. */
  readonly seconds: number;
  /** Until Ctrl-C. */
  readonly ended: Promise<void>;
}

/** Throws `CliError`: wrong credentials, no answer, a port that is taken. */
export async function consoleHere(port: number): Promise<ConsoleHere> {
  if (!(Number.isInteger(port) && port >= 0 && port < 65_536))
    throw new CliError('--port is a number from 0 (any) to 65535', exitCodes.usage);
  const { apiUrl } = findConnection();
  if (!isClone()) throw needsClone('console');
  // Report problems here and not in a browser.
  await cliClient().whoAmI();
  const [{ startConsoleProxy }, { codeSeconds }, { builtConsole }] = await Promise.all([
    import('#local/console/console-proxy.ts'),
    import('#local/console/sessions.ts'),
    import('#local/console/built-console.ts'),
  ]);
  const proxy = await startConsoleProxy({
    apiUrl,
    port,
    ...consoleCaller(apiUrl),
    context: usedContext(),
    build: builtConsole,
    logger: { info: () => {}, warn: (what, { cause } = {}) => note(`${what}: ${cause}`), error: (what) => note(what) },
  }).catch(asSentence(exitCodes.fault));
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  whenInterrupted(async () => {
    await proxy.close();
    resolve();
  });
  return { url: proxy.url, code: proxy.code(), seconds: codeSeconds, ended };
}

/**
 * The credentials as they are, found again once the API refused them: a token of a context, or those of AWS. Those of another installation,
 * to which the context was switched meanwhile, are not shown to this one.
 */
export function consoleCaller(apiUrl: string): { readonly asCaller: AsCaller; readonly renew: () => void } {
  let connection: CliConnection | undefined;
  let sign: ReturnType<typeof signerFor> | undefined;
  const asCaller: AsCaller = async (method, url, headers, body) => {
    connection ??= connectionTo(apiUrl);
    sign ??= signerFor(connection);
    const { token } = connection;
    const shown = token === undefined ? headers : { ...headers, authorization: `Bearer ${token}` };
    try {
      return await sign(method, url, shown, body);
    } catch (error) {
      // Asked for again by the next request: someone may have signed in.
      sign = undefined;
      throw forPerson(error, connection);
    }
  };
  const renew = (): void => {
    connection = undefined;
    sign = undefined;
  };
  return { asCaller, renew };
}

function connectionTo(apiUrl: string): CliConnection {
  const connection = findConnection();
  if (connection.apiUrl === apiUrl) return connection;
  const now = currentContextLine();
  throw new CliError(
    `this console is of ${apiUrl}, and the command line now uses another installation (${now}): start \`kubeloom console\` again, or switch back`,
    exitCodes.usage,
  );
}
