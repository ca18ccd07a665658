/** `kubeloom local up|down|status|reset|user`: the whole of Kubeloom on this machine. */
import { type Command, Option } from 'commander';
import { CliError, exitCodes } from '../exit-codes.ts';
import { note, paint, print, printJson } from '../output.ts';
import { kubeloomHome } from '../own-files.ts';
import { registerLocalBackup } from './local-backup.ts';
import { registerLocalUsers } from './local-users.ts';

/** Loaded when it is needed: the CLI works without `local/`, against a Kubeloom elsewhere. */
const supervisor = () => import('#local/supervisor.ts');

interface UpOptions {
  readonly port: string;
  readonly runner?: 'real' | 'sim';
  readonly acceptLoss?: boolean;
  readonly oidcIssuer?: string;
  readonly oidcAudience?: readonly string[];
}

export function registerLocal(program: Command): void {
  const local = program
    .command('local')
    .description('the local platform: all of Kubeloom on this machine, on 127.0.0.1');
  local
    .command('up')
    .description('start the platform in the background')
    .option('--port <port>', 'port of the API', '7700')
    .addOption(
      new Option('--runner <runner>', 'real: the tools run here; sim: nothing real is created').choices([
        'real',
        'sim',
      ]),
    )
    .option('--accept-loss', 'start although a store, or data that was acknowledged, is lost')
    .option('--oidc-issuer <url>', 'also accept tokens of this OIDC issuer')
    .option('--oidc-audience <audience...>', 'audiences that those tokens must have')
    .action(async (options: UpOptions) => {
      const runner = options.runner ?? (process.getuid?.() === 0 ? 'real' : 'sim');
      if (!options.runner && runner === 'sim') note('not root: the sim runner is used, nothing real will be created');
      const apiPort = portOf(options.port);
      const oidc = await oidcOf(options);
      const { up } = await supervisor();
      const platform = await up({
        ...{ dataDir: kubeloomHome(), apiPort, runner, acceptLoss: options.acceptLoss === true },
        ...oidc,
      }).catch(asSentence);
      print(`${paint('green', 'up')}  ${platform.apiUrl}  runner ${platform.runner}  data ${kubeloomHome()}`);
    });
  local
    .command('down')
    .description('stop the platform; its hosts and data stay')
    .action(async () => {
      const { down } = await supervisor();
      print((await down(kubeloomHome()).catch(asSentence)) ? 'down' : 'was not running');
    });
  local
    .command('status')
    .description('whether it runs, where, since when')
    .option('--json', 'answer as JSON')
    .action(async (options: { json?: boolean }) => {
      const { status, troubleOf } = await supervisor();
      const state = await status(kubeloomHome());
      const trouble = state && (await troubleOf(state));
      if (options.json) printJson(state ? { ...state, ...(trouble !== undefined && { trouble }) } : { running: false });
      else
        print(
          state ? `${paint('green', 'up')}  ${state.apiUrl}  runner ${state.runner}  process ${state.pid}` : 'down',
        );
      if (trouble !== undefined && !options.json) print(`${paint('red', 'trouble')}  ${trouble}`);
      if (!state || trouble !== undefined) process.exitCode = exitCodes.unreachable;
    });
  local
    .command('reset')
    .description('stop the platform, remove its hosts and delete its data')
    .option('--yes', 'really do it')
    .action(async (options: { yes?: boolean }) => {
      if (!options.yes) {
        throw new CliError(
          `this removes ${kubeloomHome()} and every host that the platform created: add --yes to do it`,
          exitCodes.usage,
        );
      }
      const { resetInstallation } = await supervisor();
      await resetInstallation(kubeloomHome()).catch(asSentence);
      print('reset: no hosts, no state');
    });
  registerLocalBackup(local);
  registerLocalUsers(local);
}

async function oidcOf({ oidcIssuer, oidcAudience }: UpOptions) {
  const { parseOidcOptions } = await import('#local/api-gateway/oidc-issuer.ts');
  try {
    return parseOidcOptions(oidcIssuer, oidcAudience?.join(','));
  } catch (error) {
    throw new CliError(error instanceof Error ? error.message : String(error), exitCodes.usage, { cause: error });
  }
}

/** 0: any free port. */
function portOf(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new CliError(`--port ${text}: write a number from 0 (any) to 65535`, exitCodes.usage);
}

/** Errors that keep a platform from starting or stopping are printed as they are. */
function asSentence(error: unknown): never {
  throw new CliError(error instanceof Error ? error.message : String(error), exitCodes.fault, { cause: error });
}
