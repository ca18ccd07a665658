/** `kubeloom console`: prints a one-time link that opens the web console as this caller. */
import { spawn } from 'node:child_process';
import type { Command } from 'commander';
import { z } from 'zod';
import { findConnection } from '../connection/connection.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { jsonOption } from '../options.ts';
import { note, print, printJson } from '../print/output.ts';

const Code = z.object({ code: z.string(), seconds: z.number() });

export function registerConsole(program: Command): void {
  program
    .command('console')
    .description('print a one-time link to the web console')
    .option('--open', 'open it in the browser of this machine')
    .option('--port <port>', 'port on this machine, for an installation elsewhere', '0')
    .addOption(jsonOption())
    .action(async (options: { port: string; open?: boolean; json?: boolean }) => {
      const { apiUrl, token } = findConnection();
      const say = ({ code, seconds }: z.infer<typeof Code>, origin: string, more = ''): void => {
        const url = consoleAddress(origin, code);
        if (options.json) printJson({ url, seconds });
        else print(url);
        if (options.open) openInBrowser(url);
        if (!options.json)
          note(`open it within ${Math.round(seconds / 60)} minutes; it works once, and signs in as you${more}`);
      };
      if (token !== undefined && isLoopback(apiUrl)) return say(await askForCode(apiUrl, token), apiUrl);
      const { consoleHere } = await import('../console-here.ts');
      const { url, code, seconds, ended } = await consoleHere(Number(options.port));
      say({ code, seconds }, url, '. Your credentials stay in this process: Ctrl-C ends it and the sessions');
      await ended;
    });
}

/** Without a browser the link stays on the terminal. */
function openInBrowser(url: string): void {
  const programs = { darwin: ['open'], win32: ['cmd', '/c', 'start', '""'] } as Readonly<
    Record<string, readonly string[]>
  >;
  const [program = '', ...args] = programs[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', () => note(`${program} is not here to open a browser: open the link yourself`));
  child.unref();
}

const isLoopback = (url: string): boolean => ['127.0.0.1', 'localhost'].includes(new URL(url).hostname);

/** The code is in the fragment, after `#`: a browser sends that to no server, and the console removes it from the address. */
export const consoleAddress = (origin: string, code: string): string =>
  `${underOwnName(origin)}/console/#sign-in=${code}`;

/** The console is only at 127.0.0.1: `localhost` also leads to [::1], where another program may listen. */
const underOwnName = (url: string): string => url.replace(/^http:\/\/localhost(?=[:/]|$)/, 'http://127.0.0.1');

/** Throws `CliError`. */
export async function askForCode(apiUrl: string, token: string): Promise<z.infer<typeof Code>> {
  const response = await fetch(`${underOwnName(apiUrl)}/console/codes`, {
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
      'the running platform has no console, because an older version started it: `kubeloom local down`, then `kubeloom local up`',
      exitCodes.fault,
    );
  const detail = z.object({ detail: z.string() }).safeParse(answer).data?.detail ?? `HTTP ${response.status}`;
  throw new CliError(detail, response.status === 401 ? exitCodes.forbidden : exitCodes.fault);
}
