/** Every command and its options; `main.ts` runs it, tests compare it with docs/cli.md. */
import { type Argument, Command } from 'commander';
import { refuseOutsideClone } from './clone.ts';
import commandList from './command-list.json' with { type: 'json' };
import { addExamples } from './examples.ts';
import { packageVersion } from './own-files.ts';
import { verbs } from './verbs.ts';

type Register = (program: Command) => void;

/** Words of commands, and what registers them: loaded when one of the words is used. */
type Module = readonly [words: readonly string[], load: () => Promise<Register>];

/** By the group of the help that shows them, in its order. */
const modules: Readonly<Record<string, readonly Module[]>> = {
  'Begin:': [
    [['apply'], async () => (await import('./commands/apply.ts')).registerApply],
    [['init'], async () => (await import('./commands/init.ts')).registerInit],
    [['adopt'], async () => (await import('./commands/adopt.ts')).registerAdopt],
    [['validate'], async () => (await import('./commands/validate.ts')).registerValidate],
    [['plan'], async () => (await import('./commands/plan.ts')).registerPlan],
    [['simulate'], async () => (await import('./commands/simulate.ts')).registerSimulate],
  ],
  'Change:': [
    [['state'], async () => (await import('./commands/state.ts')).registerState],
    [verbs.map(({ name }) => name), async () => (await import('./commands/verbs.ts')).registerVerbs],
    [['scale', 'replace'], async () => (await import('./commands/demand.ts')).registerDemand],
    [['delete'], async () => (await import('./commands/delete.ts')).registerDelete],
  ],
  'See:': [
    [['get'], async () => (await import('./commands/get.ts')).registerGet],
    [['describe', 'runs'], async () => (await import('./commands/inspect.ts')).registerInspect],
    [['explain'], async () => (await import('./commands/explain.ts')).registerExplain],
    [['history'], async () => (await import('./commands/inspect.ts')).registerHistory],
    [['cost'], async () => (await import('./commands/cost.ts')).registerCost],
    [['diff'], async () => (await import('./commands/diff.ts')).registerDiff],
    [['events'], async () => (await import('./commands/events.ts')).registerEvents],
    [['logs'], async () => (await import('./commands/logs.ts')).registerLogs],
    [['bundle'], async () => (await import('./commands/bundle.ts')).registerBundle],
    [['changes'], async () => (await import('./commands/changes.ts')).registerChanges],
  ],
  'Access:': [
    [['kubeconfig'], async () => (await import('./commands/kubeconfig.ts')).registerKubeconfig],
    [['ssh'], async () => (await import('./commands/ssh.ts')).registerSsh],
    [['ssh-key'], async () => (await import('./commands/ssh-key.ts')).registerSshKey],
    [['whoami'], async () => (await import('./commands/whoami.ts')).registerWhoAmI],
    [['context'], async () => (await import('./commands/context.ts')).registerContext],
    [['console'], async () => (await import('./commands/console.ts')).registerConsole],
  ],
  'Approve:': [[['plans', 'approve', 'reject'], async () => (await import('./commands/approve.ts')).registerApprove]],
  'Documents:': [
    [['secrets', 'templates', 'roles'], async () => (await import('./commands/documents.ts')).registerDocuments],
    [['sources'], async () => (await import('./commands/sources.ts')).registerSources],
    [['notifications'], async () => (await import('./commands/notifications.ts')).registerNotifications],
    [['planes'], async () => (await import('./commands/planes.ts')).registerPlanes],
  ],
  'Fleets:': [
    [['inventory'], async () => (await import('./commands/inventory.ts')).registerInventory],
    [['rollout'], async () => (await import('./commands/rollout.ts')).registerRollOut],
  ],
  'Installation:': [
    [['local'], async () => (await import('./commands/local.ts')).registerLocal],
    [['provider'], async () => (await import('./commands/provider.ts')).registerProvider],
    [['doctor'], async () => (await import('./commands/doctor.ts')).registerDoctor],
    [['upgrade'], async () => (await import('./commands/upgrade.ts')).registerUpgrade],
    [['completion'], async () => (await import('./commands/completion.ts')).registerCompletion],
    [['version', 'schema'], async () => (await import('./commands/service.ts')).registerService],
  ],
};

const allModules = Object.values(modules).flat();

/** The command line, ready to parse `words`; without them, with every command and all its options. */
export async function kubeloomProgram(words?: readonly string[]): Promise<Command> {
  const program = new Command('kubeloom')
    .description('Kubernetes clusters that span clouds, data centres and accounts, from one manifest')
    .version(packageVersion(), '-V, --version')
    .option('--context <name>', 'the installation to use: a context, or `local` for the platform on this machine')
    .showHelpAfterError('(add --help for all options)')
    .exitOverride()
    // Every command has options: without that word the list fits into 80 columns.
    .configureHelp({
      subcommandTerm: (command) => [command.name(), ...command.registeredArguments.map(inUsage)].join(' '),
    })
    // One style for all errors, those of the parser included.
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'kubeloom: ')) })
    .addHelpText(
      'after',
      [
        '',
        'A manifest has generations: each change of its document is one. A run is an',
        'attempt to reach a generation: `g3-a2` is the second attempt at the third. Its',
        'plan is a path of waypoints, the numbered steps that `plan` prints. At each of',
        'them the cluster works. A waypoint goes through stages, from infrastructure to',
        'traffic.',
        '',
        'Exit codes: 0 ok, 1 fault, 2 usage, 3 invalid input, 4 not found, 5 conflict,',
        '6 run failed, 7 no answer, 8 access denied, 9 not confirmed or not approved.',
      ].join('\n'),
    )
    .hook('preAction', async (_, command) => {
      refuseOutsideClone(command);
      const { context } = program.opts<{ context?: string }>();
      // Loaded here: most of what needs no API needs no connection.
      if (context !== undefined) (await import('./connection/connection.ts')).useContext(context);
      if (takesNamespace(command)) {
        const namespace = (await import('./connection/connection.ts')).contextNamespace();
        if (namespace !== undefined) command.setOptionValueWithSource('namespace', namespace, 'config');
      }
    });

  const used = allModules.filter(([names]) => words === undefined || names.some((name) => words.includes(name)));
  for (const register of await Promise.all(used.map(([, load]) => load()))) register(program);
  // The list of all commands, and what is near a wrong word, need no module.
  if (used.length === 0)
    for (const { usage, description } of commandList) program.command(usage).description(description);
  for (const command of program.commands) command.helpGroup(groupOf(command.name()));
  addExamples(program);
  return program;
}

const groupOf = (name: string): string =>
  Object.keys(modules).find((group) => modules[group]?.some(([names]) => names.includes(name))) ?? '';

/** No namespace was given to it, and it has that option: the context's applies, except to the definition of a context. */
function takesNamespace(command: Command): boolean {
  const source = command.getOptionValueSource('namespace');
  const has = command.options.some(({ long }) => long === '--namespace');
  const open = source === undefined || source === 'default';
  return (
    has &&
    open &&
    command.parent?.name() !== 'context' &&
    command.opts<{ allNamespaces?: boolean }>().allNamespaces !== true
  );
}

/** An argument as a usage shows it: `<name>`, `[group]`, `<node...>`. */
export function inUsage(argument: Argument): string {
  const word = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${word}>` : `[${word}]`;
}

/** The words under which commands are found before their modules are loaded; a test compares them with the commands. */
export const commandWords: readonly string[] = allModules.flatMap(([names]) => names);
