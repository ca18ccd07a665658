/** `kubeloom local user add|list|remove`: who else may use the platform on this machine. */
import type { Command } from 'commander';
import { CliError, exitCodes } from '../exit-codes.ts';
import { note, print, printJson, printTable } from '../output.ts';
import { kubeloomHome } from '../own-files.ts';
import { ago } from '../times.ts';

/** Loaded when it is needed: the CLI works without `local/`, against a Kubeloom elsewhere. */
const users = () => import('#local/users.ts');

interface UserOptions {
  readonly group?: readonly string[];
  readonly json?: boolean;
}

export function registerLocalUsers(local: Command): void {
  const user = local.command('user').description('who else may use the platform, each with a token of its own');
  user
    .command('add <name>')
    .description('create a user and print its token, once')
    .option('-g, --group <group...>', 'groups of the user, for RoleBindings')
    .option('--json', 'answer as JSON')
    .action(add);
  user.command('list').description('list the users with their groups').option('--json', 'answer as JSON').action(list);
  user
    .command('remove <name>')
    .description("revoke a user's token immediately")
    .option('--json', 'answer as JSON')
    .action(remove);
}

async function add(name: string, options: UserOptions): Promise<void> {
  const { addUser, subjectOf } = await users();
  const groups = options.group ?? [];
  const { user, token } = await addUser(kubeloomHome(), { name, groups, now: new Date() }).catch(asSentence);
  const subject = subjectOf(user.name);
  if (options.json) return printJson({ ...user, subject, token });
  print(token);
  note(`this is the token of ${name}, for KUBELOOM_TOKEN; it is not stored and cannot be shown again`);
  note(`in RoleBindings the user is \`user: ${subject}\`; without one it may do nothing`);
}

async function list(options: UserOptions): Promise<void> {
  const { listUsers, subjectOf } = await users();
  const found = (await listUsers(kubeloomHome()).catch(asSentence)).map((user) => ({
    ...user,
    subject: subjectOf(user.name),
  }));
  if (options.json) return printJson(found);
  if (found.length === 0) return print('no users apart from the owner');
  printTable(
    ['NAME', 'SUBJECT', 'GROUPS', 'ADDED'],
    found.map((user) => [user.name, user.subject, user.groups.join(', ') || '-', ago(user.createdAt)]),
  );
}

async function remove(name: string, options: UserOptions): Promise<void> {
  const { listUsers, removeUser } = await users();
  const known = (await listUsers(kubeloomHome()).catch(asSentence)).some((user) => user.name === name);
  if (!known)
    throw new CliError(
      `there is no user "${name}"; \`kubeloom local user list\` shows those there are`,
      exitCodes.notFound,
    );
  await removeUser(kubeloomHome(), name).catch(asSentence);
  if (options.json) printJson({ removed: name });
  else print(`user ${name} removed; RoleBindings that name it stay`);
}

/** Faults in a name or in the file of users are printed as they are. */
function asSentence(error: unknown): never {
  throw new CliError(error instanceof Error ? error.message : String(error), exitCodes.usage, { cause: error });
}
