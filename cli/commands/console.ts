/** `kubeloom console`: the address under which a browser shows Kubeloom, for this caller, once. */
import type { Command } from 'commander';
import { z } from 'zod';
import { findConnection } from '../connection.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { note, print, printJson } from '../output.ts';

const Code = z.object({ code: z.string(), seconds: z.number() });

export function registerConsole(program: Command): void {
  program
    .command('console')
    .description('print an address at which a browser shows Kubeloom; it works once')
    .option('--json', 'answer as JSON')
    .action(async (options: { json?: boolean }) => {
      const { apiUrl, token } = findConnection();
      const { code, seconds } = await askForCode(apiUrl, token);
      const url = consoleAddress(apiUrl, code);
      if (options.json) return printJson({ url, seconds });
      print(url);
      note(`open it within ${Math.round(seconds / 60)} minutes; it works once, and signs in as you`);
    });
}

/** The code is behind `#`: a browser sends that to no server, and the console removes it from the address. */
export const consoleAddress = (apiUrl: string, code: string): string => `${apiUrl}/console/#sign-in=${code}`;

/** Throws `CliError`. */
export async function askForCode(apiUrl: string, token: string | undefined): Promise<z.infer<typeof Code>> {
  const { hostname } = new URL(apiUrl);
  if (token === undefined || (hostname !== '127.0.0.1' && hostname !== 'localhost')) {
    throw new CliError(
      `only the platform on this machine has a console so far, and the API is ${apiUrl}: use --context local`,
      exitCodes.usage,
    );
  }
  const response = await fetch(`${apiUrl}/console/codes`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  }).catch((cause: unknown) => {
    throw new CliError(
      `nothing answers at ${apiUrl}: start the platform with \`kubeloom local up\``,
      exitCodes.unreachable,
      {
        cause,
      },
    );
  });
  const answer: unknown = await response.json().catch(() => undefined);
  const code = Code.safeParse(answer);
  if (response.ok && code.success) return code.data;
  if (response.status === 404)
    throw new CliError(
      'the platform that runs has no console, as it was started by an older version: `kubeloom local down`, then `kubeloom local up`',
      exitCodes.fault,
    );
  const detail = z.object({ detail: z.string() }).safeParse(answer).data?.detail ?? `HTTP ${response.status}`;
  throw new CliError(detail, response.status === 401 ? exitCodes.forbidden : exitCodes.fault);
}
