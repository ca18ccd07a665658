/** `kubeloom local up|down|status|reset|user`: the whole of Kubeloom on this machine. */
import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { asSentence, CliError, exitCodes } from '../exit-codes.ts';
import { jsonOption } from '../options.ts';
import { kubeloomHome } from '../own-files.ts';
import { note, paint, print, printJson, printTable } from '../print/output.ts';
import { ago } from '../print/times.ts';

/** Loaded when it is needed: the CLI works without `local/`, against a Kubeloom elsewhere. */
const supervisor = () => import('#local/supervisor.ts');

interface UpOptions {
  readonly port: string;
  readonly runner?: 'real' | 'sim';
  readonly kubernetes?: 'real' | 'simulated';
  readonly acceptLoss?: boolean;
  readonly oidcIssuer?: string;
  readonly oidcAudience?: readonly string[];
}

export function registerLocal(program: Command): void {
  const local = program
    .command('local')
    .description('the local platform: all of Kubeloom on this machine, on 127.0.0.1');
  registerUp(local);
  local
    .command('down')
    .description('stop the platform; its hosts and data stay')
    .action(async () => {
      const { down } = await supervisor();
      print((await down(kubeloomHome()).catch(asSentence(exitCodes.fault))) ? 'down' : 'was not running');
    });
  local
    .command('status')
    .description('show whether it runs, where, and since when')
    .addOption(jsonOption())
    .action(async (options: { json?: boolean }) => {
      const { status, troubleOf } = await supervisor();
      const state = await status(kubeloomHome());
      const trouble = state && (await troubleOf(state));
      if (options.json) printJson(state ? { ...state, ...(trouble !== undefined && { trouble }) } : { running: false });
      else
        print(
          state ? `${paint('green', 'up')}  ${state.apiUrl}  runner ${state.runner}  process ${state.pid}` : 'down',
        );
      if (state?.metricsUrl !== undefined && !options.json) print(`metrics  ${state.metricsUrl}`);
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
          `this removes ${kubeloomHome()} and every host that the platform created: add --yes to confirm`,
          exitCodes.usage,
        );
      }
      const { resetInstallation } = await supervisor();
      await resetInstallation(kubeloomHome()).catch(asSentence(exitCodes.fault));
      print('reset: no hosts, no state');
    });
  registerLocalBackup(local);
  registerLocalUsers(local);
}

function registerUp(local: Command): void {
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
    .addOption(
      new Option(
        '--kubernetes <kind>',
        'control planes of local hosts; real ones need what `npm run kubernetes:build` makes, and are the default if that exists',
      ).choices(['real', 'simulated']),
    )
    .option('--accept-loss', 'start even if a store, or acknowledged data, is lost')
    .option('--oidc-issuer <url>', 'also accept tokens of this OIDC issuer')
    .option('--oidc-audience <audience...>', 'audiences that those tokens must have')
    .action(async (options: UpOptions) => {
      const runner = options.runner ?? (process.getuid?.() === 0 ? 'real' : 'sim');
      if (!options.runner && runner === 'sim') note('not root: the sim runner is used, nothing real will be created');
      const apiPort = portOf(options.port);
      const oidc = await oidcOf(options);
      // Read by the platform's process, which has this environment.
      if (options.kubernetes) process.env.KUBELOOM_KUBERNETES = options.kubernetes;
      const { up } = await supervisor();
      const platform = await up({
        dataDir: kubeloomHome(),
        apiPort,
        runner,
        acceptLoss: options.acceptLoss === true,
        ...oidc,
      }).catch(asSentence(exitCodes.fault));
      print(`${paint('green', 'up')}  ${platform.apiUrl}  runner ${platform.runner}  data ${kubeloomHome()}`);
    });
}

async function oidcOf({ oidcIssuer, oidcAudience }: UpOptions) {
  const { parseOidcOptions } = await import('#local/access/oidc-options.ts');
  try {
    return parseOidcOptions(oidcIssuer, oidcAudience?.join(','));
  } catch (error) {
    return asSentence(exitCodes.usage)(error);
  }
}

/** 0: any free port. */
function portOf(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new CliError(`--port ${text}: write a number from 0 (any) to 65535`, exitCodes.usage);
}

interface BackupFlags {
  readonly passphraseFile?: string;
}

const passphraseFlag = [
  '--passphrase-file <file>',
  'file with the passphrase in its first line; else KUBELOOM_BACKUP_PASSPHRASE',
] as const;

function registerLocalBackup(local: Command): void {
  local
    .command('backup')
    .description('write the whole state of the platform into an encrypted file; stop the platform first')
    .argument('<file>', 'a new file')
    .option(...passphraseFlag)
    .action(async (file: string, flags: BackupFlags) => {
      const passphrase = await passphraseOf(flags);
      const { backUp } = await import('#local/backup/backup.ts');
      await backUp({ dataDir: kubeloomHome(), file, passphrase }).catch(asSentence(exitCodes.fault));
      print(`${paint('green', 'backed up')}  ${kubeloomHome()} → ${file}`);
      print('it contains secrets: without the passphrase no one can open it, not even you');
    });
  local
    .command('restore')
    .description('restore a backup into a data directory without a platform')
    .argument('<file>', 'a file that `local backup` wrote')
    .option(...passphraseFlag)
    .action(async (file: string, flags: BackupFlags) => {
      const passphrase = await passphraseOf(flags);
      const { restore } = await import('#local/backup/backup.ts');
      await restore({ dataDir: kubeloomHome(), file, passphrase }).catch(asSentence(exitCodes.fault));
      print(`${paint('green', 'restored')}  ${file} → ${kubeloomHome()}`);
      print(
        'next: kubeloom local up, then kubeloom plan NAMESPACE/NAME of every manifest: none should change anything',
      );
    });
}

const shortest = 12;

async function passphraseOf({ passphraseFile }: BackupFlags): Promise<string> {
  const text =
    passphraseFile === undefined
      ? process.env.KUBELOOM_BACKUP_PASSPHRASE
      : await readFile(passphraseFile, 'utf8').catch((cause: unknown) => {
          throw new CliError(`${passphraseFile} cannot be read`, exitCodes.usage, { cause });
        });
  const passphrase = text?.split('\n')[0]?.trim() ?? '';
  if (passphrase.length >= shortest) return passphrase;
  const what =
    passphrase === '' ? 'a backup needs a passphrase' : `the passphrase is shorter than ${shortest} characters`;
  throw new CliError(`${what}: set KUBELOOM_BACKUP_PASSPHRASE, or use --passphrase-file FILE`, exitCodes.usage);
}

/** Loaded when it is needed: the CLI works without `local/`, against a Kubeloom elsewhere. */
const users = () => import('#local/users.ts');

interface UserOptions {
  readonly group?: readonly string[];
  readonly json?: boolean;
}

function registerLocalUsers(local: Command): void {
  const user = local.command('user').description('further users of the platform, each with a token');
  user
    .command('add <name>')
    .description('create a user and print its token, once')
    .option('-g, --group <group...>', 'groups of the user, for RoleBindings')
    .addOption(jsonOption())
    .action(add);
  user.command('list').description('list the users with their groups').addOption(jsonOption()).action(list);
  user.command('remove <name>').description("revoke a user's token immediately").addOption(jsonOption()).action(remove);
}

async function add(name: string, options: UserOptions): Promise<void> {
  const { addUser, subjectOf } = await users();
  const groups = options.group ?? [];
  const { user, token } = await addUser(kubeloomHome(), { name, groups, now: new Date() }).catch(
    asSentence(exitCodes.usage),
  );
  const subject = subjectOf(user.name);
  if (options.json) return printJson({ ...user, subject, token });
  print(token);
  note(`this is the token of ${name}, for KUBELOOM_TOKEN; it is not stored and cannot be shown again`);
  note(`in RoleBindings the user is \`user: ${subject}\`; without a RoleBinding the user has no access`);
}

async function list(options: UserOptions): Promise<void> {
  const { listUsers, subjectOf } = await users();
  const found = (await listUsers(kubeloomHome()).catch(asSentence(exitCodes.usage))).map((user) => ({
    ...user,
    subject: subjectOf(user.name),
  }));
  if (options.json) return printJson(found);
  if (found.length === 0) return print('no users except the owner');
  printTable(
    ['NAME', 'SUBJECT', 'GROUPS', 'ADDED'],
    found.map((user) => [user.name, user.subject, user.groups.join(', ') || '-', ago(user.createdAt)]),
  );
}

async function remove(name: string, options: UserOptions): Promise<void> {
  const { listUsers, removeUser } = await users();
  const known = (await listUsers(kubeloomHome()).catch(asSentence(exitCodes.usage))).some((user) => user.name === name);
  if (!known)
    throw new CliError(`there is no user "${name}"; \`kubeloom local user list\` lists them`, exitCodes.notFound);
  await removeUser(kubeloomHome(), name).catch(asSentence(exitCodes.usage));
  if (options.json) printJson({ removed: name });
  else print(`user ${name} removed; RoleBindings that name it stay`);
}
