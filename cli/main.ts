/** The command line: commands, help, and what errors look like. Work is done behind the API or in the domain. */
import { stripVTControlCharacters } from 'node:util';
import { Command, CommanderError } from 'commander';
import { ApiProblem } from './api-client.ts';
import { registerApply } from './commands/apply.ts';
import { registerDelete } from './commands/delete.ts';
import { registerDoctor } from './commands/doctor.ts';
import { registerEvents } from './commands/events.ts';
import { registerInspect } from './commands/inspect.ts';
import { registerKubeconfig } from './commands/kubeconfig.ts';
import { registerLocal } from './commands/local.ts';
import { registerLogs } from './commands/logs.ts';
import { registerPlan } from './commands/plan.ts';
import { registerService } from './commands/service.ts';
import { registerSimulate } from './commands/simulate.ts';
import { registerValidate } from './commands/validate.ts';
import { registerVerbs } from './commands/verbs.ts';
import { CliError, exitCodes } from './exit-codes.ts';
import { listenToInterrupts } from './interrupt.ts';
import { note, paint, printJson } from './output.ts';
import { packageVersion } from './package-version.ts';

const program = new Command('kubeloom')
  .description('Kubernetes clusters that span clouds, data centres and accounts, from one manifest')
  .version(packageVersion(), '-V, --version')
  .showHelpAfterError('(add --help for all options)')
  .exitOverride()
  .addHelpText(
    'after',
    '\nExit codes: 0 ok, 1 fault, 2 usage, 3 invalid input, 4 not found, 5 conflict, 6 run failed, 7 nothing answers.',
  );

for (const register of [
  registerApply,
  registerValidate,
  registerPlan,
  registerSimulate,
  registerInspect,
  registerEvents,
  registerLogs,
  registerKubeconfig,
  registerVerbs,
  registerDelete,
  registerLocal,
  registerDoctor,
  registerService,
]) {
  register(program);
}

listenToInterrupts();
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? 0 : exitCodes.fault),
);

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = tell(error);
}

/** Says what went wrong in the words of the thing that failed; with `--json` also to the program that reads. */
function tell(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof CliError ? error.exitCode : exitCodes.fault;
  note(`${paint('red', 'kubeloom:')} ${message}`);
  if (process.argv.includes('--json')) {
    printJson({
      error: error instanceof ApiProblem ? error.problem : { detail: stripVTControlCharacters(message) },
      exitCode: code,
    });
  }
  if (!(error instanceof CliError)) tellFault(error);
  return code;
}

/** Something that nobody has foreseen: where it was is of use to those who mend it. */
function tellFault(error: unknown): void {
  if (process.env.KUBELOOM_DEBUG) note(error instanceof Error ? (error.stack ?? '') : String(error));
  else note('this is a fault of Kubeloom; KUBELOOM_DEBUG=1 shows where it was');
}
